import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, payPage, saidIn } from '../../support/buyer.ts'
import { buyerOf, cart, commerceShop } from '../../support/commerce.ts'
import { deepTest } from '../../support/deep-test.ts'
import { payInFull, saidOf, verify } from '../../support/sale.ts'
import { type Offer, ok } from '../../support/seller.ts'
import { storeOf } from '../../support/storefront.ts'

/** Products of which there are few pieces: who is lent one, who finds none, and what becomes of money without one. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const shopWith = async (stock: number) => {
  const shop = await commerceShop(app, { webhook: false })
  const { key } = shop
  const kettle = await shop.product({ title: 'Kettle', price: 25, asset: 'eth', stock })
  const stockOf = async () =>
    (await ok(app.call('GET', `/v1/checkouts?checkout_id=${kettle.id}`, { key }))).json.checkout
  return { ...shop, kettle, path: `/buy/${kettle.slug}`, stockOf }
}

const form = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
/** A person presses the button of a product page; answers the path of the payment request. */
const buyOn = async (path: string): Promise<string> => {
  const answer = await app.call('POST', path, { headers: form, body: '' })
  if (answer.status !== 303) throw new Error(`buying answered ${answer.status}`)
  return answer.headers.get('location') ?? ''
}

const refusedAs = (answer: { status: number; json: { error?: string } }) => [answer.status, answer.json.error]

test('N-97 N-98 of the last piece a person on a page and an agent with a cart, one gets it, and the other is shown no address', async (t) => {
  const shop = await shopWith(1)
  const buyer = buyerOf(app, shop)
  const agent = await buyer.create(cart([shop.kettle.slug]))
  t.is(agent.status, 200)
  const request = await buyOn(shop.path)
  const page = await choose(app, request, 'eth')
  const complete = await buyer.complete(agent.id)
  t.deepEqual(refusedAs(complete), [409, 'out_of_stock'])
  t.is((await buyer.read(agent.id)).json.status, 'incomplete', 'its terms are not fixed')
  t.deepEqual(refusedAs(await buyer.create(cart([shop.kettle.slug]))), [409, 'out_of_stock'])
  const found = await buyer.call('POST', '/catalog/product', { body: { id: shop.kettle.slug } })
  t.deepEqual(found.json.variants[0].availability, { available: false, status: 'out_of_stock' })
  t.like(await shop.stockOf(), { stock: 1, in_stock: false })
  t.regex(saidIn(await look(app, request)), /Kettle/, 'whoever holds it still chooses how to pay')
  t.notRegex(saidIn(await look(app, request)), /Sold out/)
  const hash = await payPage(app, page)
  await app.anvil.mine(12)
  const challengeId = new URL(page, 'http://any').searchParams.get('challenge') ?? ''
  t.true((await ok(verify(app, challengeId, hash))).json.settled)
  await eventually('the piece to be taken', async () => (await shop.stockOf()).stock === 0)
  t.like(await shop.stockOf(), { stock: 0, in_stock: false })
})

deepTest('N-97 pages of the shop say that a product is sold out and have no button, also in German', async (t) => {
  const shop = await shopWith(1)
  const { key, path } = shop
  t.regex((await look(app, path)).text, /<button type="submit">/)
  const body = { set: 0, reason: 'lost' }
  await ok(app.call('POST', `/v1/checkouts?checkout_id=${shop.kettle.id}&action=stock`, { key, body }))
  const page = await look(app, path)
  t.regex(saidIn(page), /Sold out/)
  t.notRegex(page.text, /<button type="submit">/)
  t.regex(saidIn(await look(app, path, { 'accept-language': 'de' })), /Ausverkauft/)
  const posted = await app.call('POST', path, { headers: form, body: '' })
  t.deepEqual([posted.status, /Sold out/.test(saidIn(posted))], [409, true])
  t.deepEqual(refusedAs(await app.call('POST', path, { body: {} })), [409, 'out_of_stock'])
  t.is((await ok(app.call('GET', path))).json.in_stock, false)
  const [created] = await saidOf(app, 'CheckoutCreated', `checkout-${shop.kettle.id}`)
  const store = await storeOf(app, { ...shop.kettle, path, accountId: created?.accountId ?? '' })
  t.regex(saidIn(await look(app, store)), /Kettle 25\.00 USD Sold out/)
})

test('N-98 an anonymous look at a door lends no piece, its page and a key do, and then the door is shut', async (t) => {
  const shop = await commerceShop(app, { webhook: false })
  const { key } = shop
  const resId = await shop.resource({ stock: 1 })
  for (let n = 0; n < 3; n++) t.is((await app.call('GET', `/r/${resId}`)).status, 402)
  const level = async () => (await ok(app.call('GET', `/v1/resources?res_id=${resId}`, { key }))).json
  t.like(await level(), { stock: 1, in_stock: true })
  const minted = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
  t.like(await level(), { stock: 1, in_stock: false })
  t.deepEqual(refusedAs(await app.call('GET', `/r/${resId}`)), [409, 'out_of_stock'])
  t.deepEqual(refusedAs(await app.call('POST', '/v1/challenge', { key, body: { res_id: resId } })), [
    409,
    'out_of_stock',
  ])
  t.regex(saidIn(await look(app, `/r/${resId}`)), /Sold out/)
  const less = await app.call('POST', `/v1/resources?res_id=${resId}&action=stock`, {
    key,
    body: { set: 0, reason: 'lost' },
  })
  t.deepEqual(refusedAs(less), [400, 'svc_invalid_request'])
  const offer = (minted.json.accepts as (Offer & { asset: string })[]).find(({ asset }) => asset === 'eth') as Offer
  const hash = await payInFull(app, offer)
  t.true((await ok(verify(app, offer.challengeId, hash))).json.settled)
  await eventually('the piece to be taken', async () => (await level()).stock === 0)
})

deepTest(
  'N-98 who pays without a piece has sold_out money, which its seller matches once there is a piece',
  async (t) => {
    const shop = await commerceShop(app, { webhook: false })
    const { key } = shop
    const resId = await shop.resource({ stock: 1 })
    const asked = async (agent: string) => {
      const { json } = await app.call('GET', `/r/${resId}`, { headers: { 'user-agent': agent } })
      return (json.accepts as (Offer & { asset: string })[]).find(({ asset }) => asset === 'eth') as Offer
    }
    const [one, two] = [await asked('one'), await asked('two')]
    const first = await payInFull(app, one)
    t.true((await ok(verify(app, one.challengeId, first))).json.settled)
    const second = await payInFull(app, two)
    t.deepEqual(refusedAs(await verify(app, two.challengeId, second)), [409, 'out_of_stock'])
    const rows = async () => (await ok(app.call('GET', '/v1/settlements', { key }))).json.settlements
    await eventually('its row', async () => (await rows()).length === 2)
    const [row] = await rows()
    t.like(row, { status: 'sold_out', hash: second })
    const match = { transfer: row.transfer, challenge_id: two.challengeId }
    const path = '/v1/settlements?action=match'
    t.deepEqual(refusedAs(await app.call('POST', path, { key, body: match })), [409, 'out_of_stock'])
    const more = { add: 1, reason: 'received' }
    await ok(app.call('POST', `/v1/resources?res_id=${resId}&action=stock`, { key, body: more }))
    t.is((await ok(app.call('POST', path, { key, body: match }))).json.status, 'settled')
    const level = async () => (await ok(app.call('GET', `/v1/resources?res_id=${resId}`, { key }))).json.stock
    await eventually('the piece to be taken', async () => (await level()) === 0)
  },
)

deepTest('N-98 a cart is lent all of its pieces or none, and a stranger holds two of a kind', async (t) => {
  const shop = await shopWith(5)
  const cups = await shop.product({ title: 'Cup', price: 5, stock: 1 })
  const buyer = buyerOf(app, shop)
  const { id } = await buyer.create(cart([shop.kettle.slug, 2], [cups.slug, 1]))
  const other = await buyer.create(cart([cups.slug, 1]))
  t.is((await buyer.complete(other.id)).status, 200)
  t.deepEqual(refusedAs(await buyer.complete(id)), [409, 'out_of_stock'])
  const { key } = shop
  const level = await app.call('POST', `/v1/checkouts?checkout_id=${shop.kettle.id}&action=stock`, {
    key,
    body: { set: 4, reason: 'counted' },
  })
  t.like(level.json, { stock: 4, lent: 0, available: 4 })
  const three = await buyer.create(cart([shop.kettle.slug, 3]))
  const tooMany = await buyer.complete(three.id)
  t.deepEqual(refusedAs(tooMany), [429, 'svc_rate_limited'])
  await buyer.update(three.id, cart([shop.kettle.slug, 2]))
  t.is((await buyer.complete(three.id)).status, 200)
  t.is((await buyer.cancel(other.id)).status, 200)
  await eventually('the cup to come back', async () => {
    const { checkout } = (await ok(app.call('GET', `/v1/checkouts?checkout_id=${cups.id}`, { key }))).json
    return checkout.in_stock === true
  })
})

deepTest(
  'N-97 a test product is sold out as a live one, and a refund puts a piece back when its seller says so',
  async (t) => {
    const shop = await commerceShop(app, { webhook: false })
    const { key } = shop
    await ok(app.call('PUT', '/v1/settings', { key, body: { payment: { refunds: true } } }))
    const resId = await shop.resource({ stock: 1, test: true })
    const minted = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
    const challengeId = minted.json.accepts[0].challengeId
    t.true((await ok(app.call('POST', '/v1/simulate-payment', { body: { challengeId } }))).json.settled)
    const level = async () => (await ok(app.call('GET', `/v1/resources?res_id=${resId}`, { key }))).json.stock
    await eventually('the piece to be taken', async () => (await level()) === 0)
    t.deepEqual(refusedAs(await app.call('GET', `/r/${resId}`)), [200, undefined], 'what it sold stays open')
    const { transactions } = (await ok(app.call('GET', '/v1/transactions?is_test=1', { key }))).json
    const path = `/v1/transactions?transaction_id=${transactions[0].id}&action=refund`
    t.like((await ok(app.call('POST', path, { key, body: { restock: true } }))).json, {
      refunded: true,
      restocked: true,
    })
    await eventually('the piece to be back', async () => (await level()) === 1)
  },
)
