import { z } from 'zod'
import { shopHandle, shopOrigin } from '../../../../domain/storefront/shop.ts'
import { cardModeOf } from '../../../../domain/use-cases/card/processor.ts'
import { publishedKeys } from '../../../ap2/merchant-keys.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { failure } from './platform.ts'
import { paymentHandlers, publishedCapabilities, publishedServices, UCP_VERSION } from './ucp.ts'
import { handlersWith } from './ways.ts'

/**
 * The profile of a store: the protocols that it speaks, and the keys that it signs with (N-44, A3 of UCP's profile).
 */

/** Seconds for which a profile may be kept; UCP wants a minute at the least. */
const KEPT_S = 300

const Entry = z.looseObject({ version: z.string() })
const Registry = z.record(z.string(), z.array(Entry))
const Key = z.object({
  kid: z.string(),
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  use: z.literal('sig'),
  alg: z.literal('ES256'),
})

const profile = endpoint({
  method: 'get',
  path: '/.well-known/ucp',
  summary: 'What a store speaks, and the keys it signs with',
  auth: 'shop',
  ignores: 'query',
  callers: { crossOrigin: true },
  failure,
  returns: z.object({
    ucp: z.object({
      version: z.literal(UCP_VERSION),
      services: Registry,
      capabilities: Registry,
      payment_handlers: Registry,
    }),
    signing_keys: z.array(Key),
    keys: z.array(Key),
  }),
  refusals: ['store-not-found'],
  async answer({ actor: { accountId, storeId }, flow }) {
    const { origins } = flow
    const endpoint = shopOrigin(origins.shop, shopHandle(accountId, storeId)) ?? origins.base
    const takesCards = (await cardModeOf(flow.ledger, accountId)) === 'live'
    const ours = { spec: `${origins.base}/openapi.json`, schema: `${origins.base}/openapi.json` }
    const handlers = Object.entries(paymentHandlers(handlersWith(takesCards))).map(([name, entries]) => [
      name,
      entries.map((entry) => ({ ...entry, ...ours })),
    ])
    // Until 2026-04-08 the keys were called signing_keys.
    const keys = await publishedKeys(flow, accountId)
    const body = {
      ucp: {
        version: UCP_VERSION,
        services: publishedServices(endpoint),
        capabilities: publishedCapabilities(),
        payment_handlers: Object.fromEntries(handlers),
      },
      signing_keys: keys,
      keys,
    }
    return new Reply(200, body, { 'Cache-Control': `public, max-age=${KEPT_S}` })
  },
})

export const profileEndpoints = [profile]
