import { z } from 'zod'
import { type FreshOwnerKey, rotateOwnerKey } from '../../../../domain/use-cases/account/owner-keys.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { giveBack, limit } from '../../core/limits.ts'
import { networkName } from '../../core/network-of.ts'

/** The owner's key: where it was used, and another in its place. It is shown once and kept as a hash. */

const OldKey = z.enum(['hour', 'none'])

const rotate = endpoint({
  method: 'post',
  path: '/v1/me',
  when: { action: 'rotate-key' },
  summary: 'Replace the owner key; the new one is shown once, the old one is good for another hour or ends at once',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  query: z.strictObject({ action: z.literal('rotate-key') }),
  body: z.strictObject({ password: z.string().max(1_000), old_key: OldKey.default('hour') }),
  returns: z
    .object({ api_key: z.string(), key_hint: z.string(), old_key_ends_at: z.string(), next: z.string() })
    .meta({ id: 'FreshOwnerKey', description: 'The key is shown this once.' }),
  refusals: ['credentials-wrong', 'not-found', 'busy'],
  async answer({ body, actor: { accountId, keyId: usedKeyId }, ip, ...request }) {
    const { apiKey, hint, oldEndsAt } = await ownerKeyRotated(request, { accountId, usedKeyId, ip, ...body })
    return { api_key: apiKey, key_hint: hint, old_key_ends_at: oldEndsAt, next: NEXT[body.old_key] }
  },
})

type RotationCall = {
  readonly accountId: string
  readonly usedKeyId: string
  readonly ip: string
  readonly password: string
  readonly old_key: z.output<typeof OldKey>
}

/** Replaces the owner key, within the limit of wrong passwords. Refuses `credentials-wrong`, `rate-limited`. */
export const ownerKeyRotated = async (
  { flow, signIn }: { readonly flow: UseCaseContext; readonly signIn: SignInRows },
  { accountId, usedKeyId, ip, password, old_key }: RotationCall,
): Promise<FreshOwnerKey> => {
  // A network that has guessed too often waits; the key itself goes on, and so does its owner from elsewhere.
  const guess = [accountId, ip] as const
  await limit({ flow, signIn }, 'owner-password', ...guess)
  const wish = { usedKeyId, password, keepsOld: old_key === 'hour', network: networkName(ip) }
  const fresh = await rotateOwnerKey(flow, accountId, wish)
  await giveBack({ flow, signIn }, 'owner-password', ...guess)
  return fresh
}

const NEXT = {
  hour: 'Keep this key: it is not shown again. Put it in the place of the old one within the hour.',
  none: 'Keep this key: it is not shown again. The old one does not work any more.',
} as const

const listKeys = endpoint({
  method: 'get',
  path: '/v1/me',
  when: { action: 'keys' },
  summary: 'The owner keys that are good, and when and from which network each was last used',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  query: z.strictObject({ action: z.literal('keys') }),
  returns: z.object({
    keys: z.array(
      z
        .object({
          key_hint: z.string(),
          status: z.enum(['newest', 'replaced']),
          created_at: z.string(),
          ends_at: z.string().nullable(),
          last_used_at: z.string().nullable(),
          last_used_network: z.string().nullable(),
          this_call: z.boolean(),
        })
        .meta({ id: 'OwnerKey', description: '`last_used_at` is exact to some minutes.' }),
    ),
  }),
  answer: async ({ actor, ...request }) => ({ keys: await goodOwnerKeys(request, actor) }),
})

/** The owner keys of an account that are good, the newest first. */
export const goodOwnerKeys = async (
  { flow, queries, signIn }: { readonly flow: UseCaseContext; readonly queries: Queries; readonly signIn: SignInRows },
  { accountId, keyId: usedKeyId }: Pick<Actor, 'accountId' | 'keyId'>,
) => {
  const [rows, uses] = await Promise.all([queries.ownerKeys(accountId), signIn.ownerKeys.ownerKeyUses(accountId)])
  const now = flow.world.now().toISOString()
  const good = rows.filter(({ endsAt }) => endsAt === null || endsAt > now)
  const keys = good.map(async ({ keyId, hint, createdAt, endsAt }) => {
    const use = uses.find((each) => each.keyId === keyId)
    return {
      key_hint: hint,
      status: endsAt === null ? ('newest' as const) : ('replaced' as const),
      created_at: createdAt,
      ends_at: endsAt,
      last_used_at: use?.usedAt.toISOString() ?? null,
      last_used_network: (use && (await flow.vault.open(use.network))) ?? null,
      this_call: keyId === usedKeyId,
    }
  })
  return await Promise.all(keys)
}

export const ownerKeyEndpoints = [rotate, listKeys]
