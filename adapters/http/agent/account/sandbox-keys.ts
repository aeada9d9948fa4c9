import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { deletedOr } from '../../../../domain/kernel/refusal.ts'
import { type FreshKey, issueSandboxKey, rotateSandboxKey } from '../../../../domain/use-cases/account/sandbox-keys.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SandboxKeyRow } from '../../../../projections/account/sandbox-keys.ts'
import { endpoint } from '../../core/endpoint.ts'
import { longPage } from '../common/paging.ts'
import { keyLimitFields, keyLimitsOf, keyStatusOf, shownKeyLimits, writtenNetworks } from './key-limits.ts'

/** The keys with which a seller tries things out: they make test records only (K-SBX-01 to K-SBX-10). */

const LABEL_MAX = 100

const Kind = z.enum(['secret', 'publishable'])
const KeyNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number)

const Listed = z
  .object({
    id: z.int(),
    kind: Kind,
    mode: z.literal('test'),
    label: z.string(),
    key_hint: z.string(),
    status: z.enum(['active', 'ended', 'revoked']),
    created_at: z.string(),
    revoked_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
    ...shownKeyLimits,
  })
  .meta({
    id: 'SandboxKey',
    description:
      'A key for test records; `last_used_at` is exact to the hour; `networks` are null when it may come from all.',
  })

const Fresh = z
  .object({ api_key: z.string(), id: z.int(), kind: Kind, key_hint: z.string() })
  .meta({ id: 'FreshSandboxKey', description: 'The key is shown this once.' })

const listKeys = endpoint({
  method: 'get',
  path: '/v1/sandbox-keys',
  summary: 'List sandbox keys: active ones first, each newest first',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'sandbox-keys.manage' },
  query: z.object(longPage.query),
  returns: z.object({ keys: z.array(Listed) }),
  async answer({ query, actor, flow, queries }) {
    const { limit, offset } = longPage.of(query)
    const rows = await queries.sandboxKeys(actor.accountId, limit, offset)
    return { keys: await Promise.all(rows.map((row) => listed(flow, row))) }
  },
})

export const listed = async ({ vault, world }: UseCaseContext, row: SandboxKeyRow) => ({
  id: row.number,
  kind: row.kind,
  mode: 'test' as const,
  label: row.label === null ? '' : await openedText(vault, row.label),
  key_hint: row.hint,
  status: row.revokedAt === null ? keyStatusOf(row, world, 'active' as const) : ('revoked' as const),
  created_at: row.createdAt,
  revoked_at: row.revokedAt,
  last_used_at: row.lastUsedAt,
  ends_at: row.endsAt,
  networks: await writtenNetworks(vault, row.networks),
})

export const NewSandboxKey = z.object({
  kind: Kind.default('secret'),
  label: z.string().max(LABEL_MAX).default(''),
  ...keyLimitFields,
})

const createKey = endpoint({
  method: 'post',
  path: '/v1/sandbox-keys',
  summary: 'Make a sandbox key; it is shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'sandbox-keys.manage' },
  // A call that names a key but forgets to say what is to be done with it must not make another one.
  query: z.strictObject({}),
  body: NewSandboxKey,
  returns: Fresh,
  refusals: ['rate-limited', 'too-many-keys'],
  answer: async ({ body, actor, flow }) => shown(await sandboxKeyMade(flow, actor.accountId, body)),
})

export const sandboxKeyMade = async (
  flow: UseCaseContext,
  accountId: string,
  { kind, label, ...limits }: z.output<typeof NewSandboxKey>,
): Promise<FreshKey> =>
  issueSandboxKey(flow, accountId, { kind, label, ...(await keyLimitsOf(flow.vault, accountId, limits)) })

const rotateKey = endpoint({
  method: 'post',
  path: '/v1/sandbox-keys',
  when: { rotate: 'key' },
  summary: 'Give a sandbox key a new secret, shown once; the old one stops',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'sandbox-keys.manage' },
  query: z.object({ key_id: KeyNumber, rotate: z.literal('key') }),
  returns: Fresh,
  refusals: ['sandbox-key-not-found'],
  answer: async ({ query, actor, flow }) => shown(await rotateSandboxKey(flow, actor.accountId, query.key_id)),
})

export const KeyLimitsWish = z.object(keyLimitFields)

const limitKey = endpoint({
  method: 'put',
  path: '/v1/sandbox-keys',
  summary: 'Give a sandbox key an end, or networks that it may come from; null removes them',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'sandbox-keys.manage' },
  query: z.object({ key_id: KeyNumber }),
  body: KeyLimitsWish,
  returns: z.object({ id: z.int(), ...shownKeyLimits }),
  refusals: ['sandbox-key-not-found'],
  async answer({ query: { key_id: number }, body, actor: { accountId }, flow }) {
    const wish = await keyLimitsOf(flow.vault, accountId, body)
    const { state } = await flow.ledger.sandboxKeys.limit(accountId, { number, ...wish })
    const { endsAt = null, networks } = state.active[number] ?? {}
    return { id: number, ends_at: endsAt, networks: await writtenNetworks(flow.vault, networks?.text) }
  },
})

const revokeKey = endpoint({
  method: 'delete',
  path: '/v1/sandbox-keys',
  summary: 'Revoke a sandbox key; it stops at once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'sandbox-keys.manage' },
  query: z.object({ key_id: KeyNumber }),
  returns: z.object({ revoked: z.literal(true), id: z.int() }),
  refusals: ['sandbox-key-not-found'],
  async answer({ query: { key_id: number }, actor, flow }) {
    deletedOr(await flow.ledger.sandboxKeys.revoke(actor.accountId, { number }), 'sandbox-key-not-found')
    return { revoked: true as const, id: number }
  },
})

const shown = ({ apiKey, number, kind, hint }: FreshKey) => ({ api_key: apiKey, id: number, kind, key_hint: hint })

export const sandboxKeyEndpoints = [listKeys, createKey, rotateKey, limitKey, revokeKey]
