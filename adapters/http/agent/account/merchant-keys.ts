import { z } from 'zod'
import { merchantKeyList, rotateMerchantKey } from '../../../ap2/merchant-keys.ts'
import { endpoint } from '../../core/endpoint.ts'

/** The keys that sign what a seller offers in the commerce protocol, for the seller itself (C-SES-08, N-44). */

const path = '/v1/commerce/keys'

const Key = z
  .object({
    kid: z.string(),
    public_jwk: z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() }),
    state: z.enum(['next', 'signing', 'retiring']),
    active_from: z.string(),
  })
  .meta({
    id: 'MerchantKey',
    description: 'A published key; `next` signs from `active_from` on, `retiring` signs no more.',
  })

const Keys = z.object({ keys: z.array(Key) })

const listKeys = endpoint({
  method: 'get',
  path,
  summary: 'The keys that sign merchant_authorization, the newest first',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view', sandbox: 'secret' },
  waits: 'after',
  returns: Keys,
  answer: async ({ actor, flow }) => ({ keys: shown(await merchantKeyList(flow, actor.accountId)) }),
})

const rotateKey = endpoint({
  method: 'post',
  path,
  when: { action: 'rotate' },
  summary: 'Publish the next key, which signs ten minutes later; the one before stays published for a day after that',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  waits: 'after',
  query: z.strictObject({ action: z.literal('rotate') }),
  returns: Keys,
  refusals: ['too-many-keys'],
  async answer({ actor, flow }) {
    await rotateMerchantKey(flow, actor.accountId)
    return { keys: shown(await merchantKeyList(flow, actor.accountId)) }
  },
})

const shown = (keys: Awaited<ReturnType<typeof merchantKeyList>>): z.input<typeof Key>[] =>
  keys.map(({ kid, publicJwk, use, activeFrom }) => ({
    kid,
    public_jwk: { ...publicJwk },
    state: use,
    active_from: activeFrom,
  }))

export const merchantKeyEndpoints = [listKeys, rotateKey]
