import type { ExecutionContext } from 'ava'
import { shopHandle } from '../../domain/storefront/shop.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from './app.ts'
import { look, saidIn } from './buyer.ts'
import { saidOf } from './sale.ts'
import { ok } from './seller.ts'
import { changeSettings } from './settings.ts'

/** What a seller sells in public, over the JSON API, and where it is seen. */

export type OnSale = { readonly id: number; readonly slug: string; readonly path: string; readonly accountId: string }

/** A saved payment link. */
export const putOnSale = async (app: TestApp, key: string, body: object): Promise<OnSale> => {
  const { checkout } = (await ok(app.call('POST', '/v1/checkouts', { key, body }))).json
  const [created] = await saidOf(app, 'CheckoutCreated', `checkout-${checkout.id}`)
  const { id, slug, url } = checkout
  return { id, slug, path: new URL(url).pathname, accountId: created?.accountId ?? '' }
}

/** A lander of a payment link, with its texts. */
export const putOnLander = async (
  app: TestApp,
  key: string,
  { id, slug }: OnSale,
  { tpl, ...texts }: { tpl: string; [name: string]: unknown },
): Promise<{ landerId: number; path: string }> => {
  const { lander_id: landerId } = (await ok(app.call('POST', '/v1/landers', { key, body: { checkout_id: id, tpl } })))
    .json
  await ok(app.call('PUT', `/v1/landers?lander_id=${landerId}`, { key, body: texts }))
  return { landerId, path: `/l/${slug}` }
}

export const brand = async (app: TestApp, key: string, branding: Parameters<typeof changeSettings>[2]['branding']) => {
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 1 } }))).json
  await changeSettings(app, res_id, { branding })
}

/** The page of a seller's first store, once it shows. */
export const storeOf = async (app: TestApp, { accountId }: OnSale): Promise<string> => {
  const path = `/shop/${shopHandle(accountId, 1)}`
  await eventually('the store', async () => (await look(app, path)).text.includes('class="cards'))
  return path
}

/** The page of an order of two of one thing, as it changes with what its seller says of it. */
export const orderTold = async (t: ExecutionContext, app: TestApp, key: string, order: string) => {
  t.regex(saidIn(await look(app, order)), /Assam × 2 Not delivered yet 97\.00 USD Total 97\.00 USD See the receipt/)
  const sent = {
    type: 'shipped',
    line_items: [{ id: 'li_1', quantity: 2 }],
    description: 'By <b>boat</b>',
    tracking_url: 'https://post.example/"><script>',
  }
  const named = `/v1/orders?order_id=${order.split('/')[2]}`
  await ok(app.call('POST', named, { key, body: sent }))
  await ok(app.call('POST', named, { key, body: { type: 'delivered', line_items: [{ id: 'li_1', quantity: 1 }] } }))
  const told = await look(app, order)
  t.regex(saidIn(told), /1 of 2 delivered .* What has happened .* UTC Sent: 2 × Assam By &lt;b>boat/)
  t.notRegex(told.text, /<script|<b>boat/)
  t.is((await ok(app.call('GET', order))).json.fulfillment.events.length, 2)
  t.is((await look(app, `/orders/ord_${'a'.repeat(26)}`)).status, 404)
}
