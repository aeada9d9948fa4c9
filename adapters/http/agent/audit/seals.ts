import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { toBase64 } from '../../../audit/hash.ts'
import { consistencyPath } from '../../../audit/paths.ts'
import { headShape, proofOf, proofShape } from '../../../audit/proof.ts'
import { indexOf, rowSource } from '../../../audit/row-source.ts'
import { endpoint } from '../../core/endpoint.ts'
import { page } from '../common/paging.ts'
import { Position, reads, Size } from './fields.ts'

/**
 * The signed heads of the log, and the proofs that an event is in it and that a later head keeps an earlier one (RFC
 * 6962).
 */

const Head = headShape.meta({
  id: 'SignedHead',
  description: 'Names and values are those that are signed. Heads are of the whole log, and the same for everybody.',
})

const SealKey = z
  .object({
    keyId: z.string(),
    publicKey: z.string(),
    previous: z.string().nullable(),
    endorsement: z
      .string()
      .nullable()
      .describe('The signature of the key before it over `daybook-seal-key/1` and this key.'),
    at: z.string(),
  })
  .meta({ id: 'SealKey', description: 'A public key that signs heads: Ed25519, base64.' })

const seals = endpoint({
  ...reads,
  path: '/v1/audit/seals',
  summary: 'The signed heads of the log, newest first, and the public keys that they are checked with',
  query: z.object({ before: Size.optional(), limit: page.query.limit }),
  returns: z.object({
    heads: z.array(Head),
    keys: z.array(SealKey),
    next: z.int().nullable().describe('`before` of the next page: heads of fewer events. Null on the last one.'),
  }),
  async answer({ query: { before, limit: wished }, queries }) {
    const { limit } = page.of({ limit: wished })
    const [heads, keys] = await Promise.all([queries.seals({ below: before, limit: limit + 1 }), queries.sealKeys()])
    const shown = heads.slice(0, limit)
    return { heads: shown, keys, next: heads.length > limit ? (shown.at(-1)?.size ?? null) : null }
  },
})

const proof = endpoint({
  ...reads,
  path: '/v1/audit/proof',
  summary:
    'Proof that an event of the account stands in the log under its newest head, as `daybook audit prove` writes it',
  query: z.object({ position: Position }),
  returns: proofShape.meta({ id: 'Proof' }),
  refusals: ['not-found'],
  async answer({ query: { position }, actor, queries, audit }) {
    const row = await queries.timelineAt(position, actor.accountId)
    const line = row && (await audit.lineOf(row.stream, BigInt(row.revision)))
    if (!row || line === undefined)
      return refuse(
        'not-found',
        'There is no event of this account at that place. Look for it in GET /v1/audit/events.',
      )
    const index = await indexOf(queries, position, line)
    const [head] = await queries.seals({ limit: 1 })
    if (index === undefined || !head)
      return refuse('not-found', 'No seal holds this event. New ones are sealed within a minute: try again then.')
    return proofOf(rowSource(queries), line, index, head)
  },
})

const consistency = endpoint({
  ...reads,
  path: '/v1/audit/consistency',
  summary: 'Proof that the log of a later head begins with the whole log of an earlier one',
  query: z.object({ from: Size, to: Size }),
  returns: z.object({ from: z.int(), to: z.int(), path: z.array(z.string()) }).meta({ id: 'ConsistencyProof' }),
  refusals: ['not-found'],
  async answer({ query: { from, to }, queries }) {
    if (from > to) return refuse('invalid-request', 'from: has to be at most to')
    const [older, newer] = await Promise.all([queries.sealOf(from), queries.sealOf(to)])
    if (!older || !newer)
      return refuse('not-found', 'No head has that size. Take from and to from the sizes in GET /v1/audit/seals.')
    const path = await consistencyPath(rowSource(queries), from, to)
    return { from, to, path: path.map(toBase64) }
  },
})

export const sealEndpoints = [seals, proof, consistency]
