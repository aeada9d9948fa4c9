import type { Answer, CallOptions } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { consoleOk } from './console.ts'
import type { GaslessChain } from './gasless.ts'
import { freshAddress } from './sale.ts'
import { activeSeller, ok } from './seller.ts'
import { checkUcp, type UcpKind } from './ucp-schemas.ts'

/**
 * A store of the commerce protocol, and a buyer's program that speaks to it. Every answer is held against the schemas.
 */

export type CommerceShop = Awaited<ReturnType<typeof commerceShop>>
/** What tests of one service share. */
export type CommerceScene = () => { readonly app: TestApp; readonly chain: GaslessChain; readonly shop: CommerceShop }

type Asked = Answer & { id: string }

/** A seller that is paid in eth and in the dollar on base, with a webhook, a product of $25 and a resource of $10. */
export const commerceShop = async (app: TestApp, { webhook = true } = {}) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  for (const asset of ['eth', 'usdc_base']) await ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
  if (webhook) await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  const product = async (body: object = {}) =>
    (await ok(app.call('POST', '/v1/checkouts', { key, body: { title: 'Widget', price: 25, ...body } }))).json.checkout
  const resource = async (body: object = {}) =>
    (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 10, currency: 'USD', listed: true, ...body } })))
      .json.res_id as string
  const { cloud_token: cloud } = await consoleOk(app, key, 'get-cloud-token')
  const widget = (await product()).slug as string
  return { key, address, cloud: cloud as string, widget, resId: await resource(), product, resource }
}

/** Calls in the name of a store; `ucp` speaks as a platform does. */
export const buyerOf = (app: TestApp, { cloud }: { cloud: string }, ucp = false) => {
  const platform = ucp ? { 'ucp-agent': 'profile="https://platform.example/.well-known/ucp"' } : {}
  const call = (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(method, `${path}?cloud=${cloud}`, { ...options, headers: { ...platform, ...headers } })
  const held = async (kind: UcpKind, answering: Promise<Answer>): Promise<Asked> => {
    const answer = await answering
    checkUcp(answer.status < 400 ? kind : 'error', answer.json)
    return { ...answer, id: answer.json.id }
  }
  return {
    call,
    create: (body: unknown, headers = {}) => held('create', call('POST', '/checkout-sessions', { body, headers })),
    read: (id: string) => held('get', call('GET', `/checkout-sessions/${id}`)),
    update: (id: string, body: unknown, headers = {}) =>
      held('update', call('PUT', `/checkout-sessions/${id}`, { body, headers })),
    complete: (id: string, body: unknown = {}, headers = {}) =>
      held('complete', call('POST', `/checkout-sessions/${id}/complete`, { body, headers })),
    cancel: (id: string, headers = {}) =>
      held('cancel', call('POST', `/checkout-sessions/${id}/cancel`, { body: {}, headers })),
    order: (id: string) => held('order', call('GET', `/orders/${id}`)),
  }
}

/** A cart of so many of each. */
export const cart = (...items: readonly (readonly [id: string, quantity?: number])[]) => ({
  line_items: items.map(([id, quantity]) => ({ item: { id }, ...(quantity !== undefined && { quantity }) })),
})
