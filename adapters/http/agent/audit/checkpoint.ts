import { z } from 'zod'
import { COSIGNATURES, WITNESSES_MAX } from '../../../../domain/audit/cosignatures.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { headShape } from '../../../audit/proof.ts'
import { checkpointNote, logKeyOf } from '../../../audit/witness/log-note.ts'
import { vkeyOf } from '../../../audit/witness/note.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'

/**
 * The newest head of the whole log for everybody, without a key: whoever keeps one can show later that the log was
 * written anew (c2sp.org/tlog-checkpoint).
 */

const query = z.object({
  cosignatures: z
    .string()
    .regex(/^\d$/, `has to be a number from 0 to ${WITNESSES_MAX}`)
    .transform(Number)
    .pipe(z.int().max(WITNESSES_MAX))
    .optional()
    .describe('The newest head that at least so many witnesses have signed; 0 unless given.'),
})

const shared = {
  method: 'get',
  auth: 'none',
  callers: { crossOrigin: true },
  query,
  refusals: ['not-found'],
} as const

const note = endpoint({
  ...shared,
  path: '/audit/checkpoint',
  summary: 'The newest head of the log as a signed note (C2SP tlog-checkpoint), with what witnesses have signed',
  waits: 'after',
  returns: z.string(),
  produces: 'text/plain',
  async answer({ query: { cosignatures }, flow }) {
    const checkpoint = await newest(flow, cosignatures)
    return new Reply(200, checkpointNote(checkpoint), { 'Content-Type': 'text/plain; charset=utf-8' })
  },
})

const Checkpoint = z
  .object({
    origin: z.string().describe('The name of the log.'),
    size: z.int().describe('Events covered.'),
    root: z.string().describe('Root of the Merkle tree over them (RFC 6962), base64.'),
    vkey: z.string().describe('The verifier key of the log: its name, a hash, and the Ed25519 key of its seals.'),
    note: z.string().describe('The same head as `/audit/checkpoint` gives it.'),
    head: headShape.nullable().describe('The same head as a seal of the log; null until the rows have come to it.'),
    cosignatures: z.array(
      z.object({
        witness: z.string().describe('The verifier key of the witness.'),
        cosigned_at: z.string().describe('The witness’ own time.'),
        line: z.string(),
      }),
    ),
  })
  .meta({ id: 'Checkpoint', description: 'A head of the log, signed by the log and by witnesses.' })

const json = endpoint({
  ...shared,
  path: '/audit/checkpoint.json',
  summary: 'The newest head of the log, in the form of a note and in that of a seal, and the keys to check them with',
  returns: Checkpoint,
  async answer({ query: { cosignatures }, flow, queries }) {
    const checkpoint = await newest(flow, cosignatures)
    const { origin, size, root } = checkpoint
    return {
      origin,
      size,
      root,
      vkey: vkeyOf(logKeyOf(checkpoint)),
      note: checkpointNote(checkpoint),
      head: (await queries.sealOf(size)) ?? null,
      cosignatures: checkpoint.cosignatures.map(({ witness, cosignedAt, line }) => ({
        witness,
        cosigned_at: cosignedAt,
        line,
      })),
    }
  },
})

const newest = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, least = 0) => {
  const { checkpoints } = await ledger.cosignatures.read(COSIGNATURES)
  const found = checkpoints.find(({ cosignatures }) => cosignatures.length >= least)
  return (
    found ??
    refuse(
      'not-found',
      least === 0
        ? 'The log is not sealed yet. Try again in a minute.'
        : 'No head has so many cosignatures. Ask for fewer, or try again later.',
    )
  )
}

export const checkpointEndpoints = [note, json]
