/** What a seller of the fuzz has, and who calls in the name of sellers. */
import type { Ids, Tenant } from '../http/tenants/tenant.ts'
import type { TestApp } from '../support/app.ts'
import { ok } from '../support/seller.ts'
import { FULL, listed } from './names.ts'
import type { Caller } from './requests.ts'

/** What buyers meet at a seller's: links, pages, sessions, challenges, by the paths that they are on. */
export const shopOf = async (app: TestApp, { cloud, key, resId, stores: [own] }: Tenant): Promise<Ids> => {
  const call = async (method: string, path: string, body?: object) =>
    (await ok(app.call(method, path, { key, body }))).json
  const { checkout_id = [], id: requests = [], transaction_id = [], challengeId = [] } = own
  const slugs = checkout_id.filter((each) => !/^\d+$/.test(each))
  const session = async () =>
    (await call('POST', `/checkout-sessions?cloud=${cloud}`, { line_items: [{ item: { id: slugs[0] }, quantity: 1 }] }))
      .id as string
  const sessions = [await session(), await session()]
  const page = await app.call('GET', `/buy/${slugs[0]}`, { headers: { accept: 'text/html' } })
  const { checkout_url } = await call('GET', `/v1/resources?res_id=${resId}`)
  const { res_id: played } = await call('POST', '/v1/resources', { amount: 3, test: true })
  const { accepts } = await call('POST', '/v1/challenge', { res_id: played })
  const template = await call('POST', '/v1/site?resource=templates', { name: 'Fuzz', chrome: {} })
  const payout = await call('POST', '/v1/payout-info', { payout_asset: 'EUR', details: 'To my bank' })
  const simulated = accepts[0].challengeId as string
  return listed({
    slug: slugs,
    ids: slugs,
    handle: /\/shop\/([^/"]+)/.exec(page.text)?.[1] ?? 'none',
    challenge: [...challengeId, simulated],
    'templates id': String(template.id),
    '/r/:id id': resId,
    '/relayer/:id id': resId,
    '/checkout/:id id': new URL(checkout_url).pathname.split('/')[2] ?? '',
    '/id/:id id': requests,
    '/v1/payment-requests id': requests,
    '/buy/:id id': slugs,
    '/catalog/product id': slugs,
    '/checkout-sessions id': slugs,
    ...Object.fromEntries(['', '/complete', '/cancel'].map((end) => [`/checkout-sessions/:id${end} id`, sessions])),
    '/payout/:id id': String(payout.link).split('/').at(-1) ?? '',
    '/v1/payout-info transaction_id': String(payout.transaction_id),
    '/session/:id id': sessions,
    '/orders/:id id': sessions,
    '/v1/orders order_id': sessions,
    '/v1/simulate-payment challengeId': simulated,
    '/v1/transactions transaction_id': transaction_id.slice(0, 2),
    'save-checkout checkout_id': checkout_id,
  })
}

/** Keys and store tokens of every kind, and some that are none. */
export const sellersOf = ({ key, keys, storeKey, cloud, storeCloud }: Tenant, foreign: string): Caller[] => {
  const wrong = key.replace(/.{8}$/, '0'.repeat(8))
  const named = {
    owner: key,
    'owner again': key,
    admin: keys.admin,
    'admin of one store': keys.second,
    clerk: keys.spare,
    'store key': storeKey,
    'sandbox secret': keys.secret,
    'sandbox publishable': keys.publishable,
    'another seller': foreign,
    'a key with a wrong secret': wrong,
    'a key that is none': 'sk_live_x',
    'a cloud token as key': cloud,
  }
  const tokens = { cloud, 'cloud of a store': storeCloud, 'cloud that is none': 'ct_nope' }
  return [
    ...Object.entries(named).map(([name, value]) => ({
      name,
      ...(value === key && FULL),
      for: ['key', 'offered'] as const,
      headers: { 'x-api-key': value },
    })),
    { name: 'a key in the form', for: ['key'], body: { 'api-key': key } },
    ...Object.entries(tokens).flatMap(([name, value]) => [
      { name, ...(value === cloud && FULL), for: ['cloud', 'shop'] as const, query: { cloud: value } },
      { name: `${name} in the form`, for: ['cloud'] as const, body: { cloud: value } },
    ]),
  ]
}
