import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { buyerOf, cart } from '../../support/commerce.ts'
import { consoleOk } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  me,
  postFor,
  postsFor,
  transactionOf,
  transactionsOf,
} from '../../support/sale.ts'
import { SIMULATE, sandboxKey } from '../../support/sandbox.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { strictly } from '../strict.ts'

/** Whole sales with nothing but a sandbox key, by every way of asking for a payment. */

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** A seller without a wallet, who is told of payments, and a sandbox key of its. */
const sandboxSeller = async () => {
  const { key } = await activeSeller(app)
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  return { key, secret: await sandboxKey(app, key, 'secret') }
}

const simulated = async (challengeId: string) =>
  (await ok(app.call('POST', SIMULATE, { body: { challengeId } }))).json.settled

test('N-28 X-SBX-01 K-SBX-07 J-PRQ-03 a payment request of a sandbox key is asked for, played, told and listed as a test', async (t) => {
  const call = strictly(t, app)
  const { key, secret } = await sandboxSeller()
  const before = await me(app, key)
  const made = await call('POST', '/v1/payment-requests', { key: secret, body: { amount: 12, title: 'Try' } })
  t.like(made.json, { amount: 12, status: 'open', test: true })
  const { encrypted_id: id, transaction_id } = made.json
  const door = await call('GET', `/id/${id}`)
  t.like(door.json, { test: true, accepts: [{ asset: 'test', test: true, amount: '12' }] })
  t.is((await call('GET', `/id/${id}?asset=test`)).json.accepts[0].asset, 'test')
  t.is((await call('GET', `/id/${id}?asset=eth`)).status, 400)
  const { challengeId } = door.json.accepts[0]
  t.true(await simulated(challengeId))
  t.like((await call('GET', `/id/${id}`)).json, { settled: true })
  const post = await postFor(app, transaction_id)
  t.like(JSON.parse(post.body), { test: true, transaction: { is_test: '1', status: 'C' } })
  const [row, ...others] = (await call('GET', '/v1/payment-requests', { key: secret })).json.payment_requests
  t.like(row, { encrypted_id: id, status: 'paid', test: true })
  t.deepEqual(others, [])
  t.like((await call('GET', `/v1/payment-requests?id=${id}`, { key: secret })).json.payment_request, { status: 'paid' })
  t.deepEqual((await call('GET', '/v1/payment-requests', { key })).json, { payment_requests: [] })
  const ofTests = await call('GET', '/v1/payment-requests?is_test=1', { key })
  t.deepEqual(ofTests.json.payment_requests, [row])
  t.like((await call('GET', '/v1/me', { key: secret })).json, {
    test: true,
    settlements_count: 1,
    total_earned: 0,
    credit_balance: 0,
    webhook_url: '',
  })
  t.deepEqual(await me(app, key), before)
})

deepTest(
  'N-28 J-PRQ-03 E-410-02 a test request takes one payment: its other challenges are then closed, and a withdrawn one takes none',
  async (t) => {
    const { secret } = await sandboxSeller()
    const request = async () =>
      (await ok(app.call('POST', '/v1/payment-requests', { key: secret, body: {} }))).json as Record<string, string>
    const { encrypted_id: id, ...first } = await request()
    const at = async (amount: number) =>
      (await app.call('GET', `/id/${id}?amount=${amount}`)).json.accepts[0].challengeId as string
    const [one, other] = [await at(5), await at(6)]
    t.true(await simulated(one))
    t.is((await app.call('POST', SIMULATE, { body: { challengeId: other } })).status, 410)
    const sold = await eventually('the sale', async () => {
      const [newest] = await transactionsOf(app, secret)
      return newest?.status === 'C' && newest
    })
    t.like(sold, { id: first.transaction_id, status: 'C', amount_fiat: '5' })
    const gone = await request()
    const { challengeId } = (await app.call('GET', `/id/${gone.encrypted_id}?amount=7`)).json.accepts[0]
    await consoleOk(app, secret, 'delete-transaction', { transaction_id: gone.transaction_id ?? '' })
    t.is((await app.call('POST', SIMULATE, { body: { challengeId } })).status, 410)
  },
)

deepTest(
  'N-28 N-40 a test request in a coin needs no wallet of it, and asks for that coin at no real address',
  async (t) => {
    const { secret } = await sandboxSeller()
    const body = { asset: 'eth', asset_amount: 0.5 }
    const made = await ok(app.call('POST', '/v1/payment-requests', { key: secret, body }))
    const [offer] = (await app.call('GET', `/id/${made.json.encrypted_id}`)).json.accepts
    t.like(offer, { asset: 'eth', amount: '0.5', payTo: 'test', test: true })
    t.true(await simulated(offer.challengeId))
    const unknown = await app.call('POST', '/v1/payment-requests', { key: secret, body: { amount: 1, asset: 'nope' } })
    t.is(unknown.status, 400)
  },
)

test('N-28 M-TXN-01 X-IDEM-01 the console asks for tests, too, and the same reference is another payment for a live key', async (t) => {
  const { key, secret } = await sandboxSeller()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  const fields = { amount: '20', currency_code: 'USD', external_reference: 'order-7' }
  const live = await consoleOk(app, key, 'create-transaction', fields)
  const played = await consoleOk(app, secret, 'create-transaction', fields)
  t.not(live.transaction_id, played.transaction_id)
  t.is(played.test, true)
  t.is(live.test, undefined)
  t.is((await consoleOk(app, secret, 'create-transaction', fields)).transaction_id, played.transaction_id)
  const values = (is_test: string) => ({
    transaction_id: played.transaction_id as string,
    values: JSON.stringify({ title: 'Edited', is_test }),
  })
  await consoleOk(app, secret, 'update-transaction', values('1'))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ function: 'update-transaction', ...values('0') }).toString()
  const refused = await app.call('POST', '/api.php', { key: secret, body, headers: form })
  t.is(refused.status, 400)
  t.like(await consoleOk(app, secret, 'get-transaction', { transaction_id: played.transaction_id as string }), {
    title: 'Edited',
    is_test: '1',
  })
})

test('N-28 S-CHK-02 C-SES-13 X-SBX-01 a product of a sandbox key is bought by its link and in a cart, and is in no public list', async (t) => {
  const call = strictly(t, app)
  const { key, secret } = await sandboxSeller()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  const saved = await call('POST', '/v1/checkouts', { key: secret, body: { title: 'Play tea', price: 9 } })
  const { id, slug, url } = saved.json.checkout
  t.is(saved.json.checkout.test, true)
  const changed = { title: 'Play tea, green', price: 9, version: 1 }
  await call('PUT', `/v1/checkouts?checkout_id=${id}`, { key: secret, body: changed })
  t.deepEqual((await call('GET', '/v1/checkouts', { key })).json, { checkouts: [] })
  t.is((await call('GET', '/v1/checkouts?is_test=1', { key })).json.checkouts.length, 1)
  const told = await call('GET', `/buy/${slug}?agent=1`)
  t.like(told.json, { title: 'Play tea, green', test: true })
  t.regex((await app.call('GET', `/buy/${slug}`, { headers: { accept: 'text/html' } })).text, /This is a test/)
  const bought = await app.call('POST', new URL(url).pathname, { body: {} })
  const door = await call('GET', bought.headers.get('location') ?? '')
  t.like(door.json, { test: true, accepts: [{ asset: 'eth', test: true }] })
  t.true(await simulated(door.json.accepts[0].challengeId))
  const { cloud_token: cloud } = await consoleOk(app, secret, 'get-cloud-token')
  const buyer = buyerOf(app, { cloud: cloud as string })
  const session = await buyer.create(cart([slug, 2]))
  const ready = await buyer.complete(session.id)
  t.is(ready.json.status, 'ready_for_complete')
  const challengeId = JSON.stringify(ready.json).match(/ch_[a-z2-7]{26}\.eth/)?.[0] ?? ''
  t.true(await simulated(challengeId))
  const [order] = (await call('GET', '/v1/orders', { key: secret })).json.orders
  t.like(order, { test: true, total: 1_800 })
  t.deepEqual((await call('GET', '/v1/orders', { key })).json.orders, [])
  t.like((await call('GET', `/v1/orders?order_id=${order.id}`, { key: secret })).json, { id: order.id, test: true })
  const search = await app.call('POST', `/catalog/search?cloud=${cloud}`, { body: { query: 'tea' } })
  t.deepEqual(search.json.products, [])
  const lookup = await app.call('POST', `/catalog/lookup?cloud=${cloud}`, { body: { ids: [slug] } })
  t.deepEqual(lookup.json.products, [])
  t.is((await app.call('POST', '/v1/landers', { key, body: { checkout_id: id } })).status, 404)
  t.deepEqual((await call('DELETE', `/v1/checkouts?checkout_id=${id}`, { key: secret })).json, { deleted: true, id })
})

test('N-28 J-TXN-06 J-TXN-07 a sandbox key gives back, and has told again, what it has played', async (t) => {
  const { key, secret } = await sandboxSeller()
  await ok(app.call('PUT', '/v1/settings', { key, body: { payment: { refunds: true } } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key: secret, body: { amount: 3 } }))
  const minted = await ok(app.call('POST', '/v1/challenge', { key: secret, body: { res_id: json.res_id } }))
  const [{ challengeId }] = minted.json.accepts
  t.true(await simulated(challengeId))
  await postFor(app, challengeId)
  const { id } = await transactionOf(app, secret, challengeId)
  const act = (action: string) => `/v1/transactions?transaction_id=${id}&action=${action}`
  t.like((await ok(app.call('POST', act('resend-webhook'), { key: secret }))).json, { resent: true })
  t.is((await postsFor(app, challengeId)).length, 2)
  t.like((await ok(app.call('POST', act('refund'), { key: secret }))).json, { refunded: true })
  const life = await ok(app.call('GET', `/v1/audit/transactions/${id}`, { key: secret }))
  t.like(life.json, { test: true, refunded: true })
})

test('N-28 Q-24 a sandbox key reads how its seller sells, and nothing of where live payments are told', async (t) => {
  const call = strictly(t, app)
  const { key, secret } = await sandboxSeller()
  const store = { label: 'North', webhook_url: `${app.receiver.url}/store` }
  await ok(app.call('POST', '/v1/stores', { key, body: store }))
  const texts = []
  for (const path of [
    'settings',
    'stores',
    'me',
    'wallets',
    'site',
    'discount-codes',
    'custom-fields',
    'card-processor',
  ])
    texts.push((await call('GET', `/v1/${path}`, { key: secret })).text)
  texts.push(JSON.stringify(await consoleOk(app, secret, 'get-settings')))
  t.deepEqual(
    texts.filter((text) => text.includes(app.receiver.url)),
    [],
  )
  t.true((await call('GET', '/v1/stores', { key })).text.includes(app.receiver.url))
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
