import test from 'ava'
import Stripe from 'stripe'
import { createReceiver } from '../../../src/demo/reference-receiver.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  payInFull,
  postFor,
  postsFor,
  saidOf,
  sell,
  send,
  shop,
  transactionOf,
  transactionsOf,
  verify,
  webhookLog,
} from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** What a merchant does with a transaction, and how the list is narrowed. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const act = (key: string, id: string | undefined, action: string, body?: object) =>
  app.call('POST', `/v1/transactions?transaction_id=${id}&action=${action}`, { key, ...(body && { body }) })

test.serial(
  'J-TXN-06 E-400-07 E-400-09 N-68 a refund is noted once, when refunds are enabled, and only for a completed payment',
  async (t) => {
    const s = await shop(app)
    const { offer } = await sell(app, s)
    const { id } = await transactionOf(app, s.key, offer.challengeId)
    const off = await act(s.key, id, 'refund')
    t.like(off, { status: 400 })
    t.is(off.json.error_code, 'refunds-not-enabled')
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    t.is((await act(s.key, id, 'refund', { amount: 2 })).status, 400, 'more than came')
    t.is((await act(s.key, id, 'refund', { amuont: 1 })).status, 400, 'no part is taken for the whole')
    t.deepEqual((await ok(act(s.key, id, 'refund'))).json, { refunded: true, recorded: true, sent: false })
    t.regex(
      (await transactionOf(app, s.key, offer.challengeId)).refunded_time ?? '',
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    )
    t.is((await act(s.key, id, 'refund')).status, 400)
    const pending = await offerOf(app, s.key, s.resId)
    await send(app, pending)
    const waiting = await eventually('the payment', () =>
      transactionOf(app, s.key, pending.challengeId).catch(() => undefined),
    )
    t.is((await act(s.key, waiting.id, 'refund')).status, 400)
  },
)

test('J-TXN-07 W-RTY-02 Q-19 a webhook is sent again under its own event id, with the same record, and its answer is shown', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const first = await postFor(app, offer.challengeId)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  const { json } = await ok(act(s.key, id, 'resend-webhook'))
  t.deepEqual(json, { resent: true, webhook_response: { http_status: 200, reason: null, body: 'thanks' } })
  const [, again] = postsFor(app, offer.challengeId)
  const [one, two] = [first, again].map((post) => JSON.parse(post?.body ?? ''))
  t.deepEqual(two.transaction, one.transaction)
  t.not(two.event_id, one.event_id)
  t.is(again?.headers['x-webhook-event-id'], two.event_id)
  t.is((await webhookLog(app, s.key, id as string)).length, 2)
})

test.serial('J-TXN-07 E-400-08 E-400-09 without a URL, or before it is completed, nothing is sent again', async (t) => {
  const s = await shop(app, { webhook: false })
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  t.is((await act(s.key, id, 'resend-webhook')).status, 400)
  t.is((await saidOf(app, 'DeliveryScheduled', id ?? 'none')).length, 0)
  const other = await shop(app)
  const pending = await offerOf(app, other.key, other.resId)
  await send(app, pending)
  const waiting = await eventually('the payment', () =>
    transactionOf(app, other.key, pending.challengeId).catch(() => undefined),
  )
  t.is((await act(other.key, waiting.id, 'resend-webhook')).status, 400)
})

deepTest(
  'J-TXN-08 E-400-09 a hash that the merchant submits is looked up for a pending transaction, and for no other',
  async (t) => {
    const s = await shop(app)
    const request = (await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5 } }))).json
    const id = request.transaction_id
    t.is((await act(s.key, id, 'submit-hash', { hash: `0x${'1'.repeat(64)}` })).status, 400)
    const offer = (await app.call('GET', `/id/${request.encrypted_id}?agent=1`)).json.accepts[0]
    // An amount that nobody was asked for: the watch cannot know it, the merchant does.
    const hash = await payInFull(app, offer, BigInt(offer.amountAtomic) + 10n ** 12n)
    t.deepEqual((await ok(act(s.key, id, 'submit-hash', { hash }))).json, { submitted: true, tx_hash: hash })
    t.like((await transactionsOf(app, s.key))[0], { id, status: 'C', hash })
    t.is((await act(s.key, id, 'submit-hash', { hash })).status, 400)
  },
)

test('X-TEN-01 J-TXN-06 J-TXN-07 J-TXN-08 the transaction of another seller is not there', async (t) => {
  const [s, stranger] = [await shop(app), await shop(app)]
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  for (const [action, body] of [['refund'], ['resend-webhook'], ['submit-hash', { hash: 'x' }]] as const) {
    t.is((await act(stranger.key, id, action, body)).status, 404, action)
    t.is((await act(s.key, '123', action, body)).status, 404, action)
  }
  t.is((await act(s.key, id, 'dance')).status, 400)
})

deepTest('J-TXN-02 each filter narrows the list, all together, and the CSV by the same', async (t) => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const sold = await transactionOf(app, s.key, offer.challengeId)
  const asked = (
    await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5, title: "O'Hara 100%" } }))
  ).json.transaction_id
  const ids = async (query: string) => (await transactionsOf(app, s.key, `?${query}`)).map(({ id }) => id)
  const today = new Date().toISOString().slice(0, 10)
  for (const [query, expected] of [
    ['', [asked, sold.id]],
    ['type=resource', [sold.id]],
    ['type=payment-request', [asked]],
    ['type=nothing', []],
    ['status=C', [sold.id]],
    ['status=P', [asked]],
    ['status=X', []],
    ['asset=eth', [sold.id]],
    ['cryptocurrency=eth', [sold.id]],
    ['asset=usdc', []],
    [`from=${today}&to=${today}`, [asked, sold.id]],
    ['from=2001-01-01T00:00:00Z', [asked, sold.id]],
    ['to=2001-01-01', []],
    [`q=${hash.slice(4, 30).toUpperCase()}`, [sold.id]],
    ["q=o'hara 100%25", [asked]],
    ['q=%25', [asked]],
    [`q=${sold.id}&status=C&asset=eth&type=resource`, [sold.id]],
    [`q=${sold.id}&status=P`, []],
    ['store_id=1', [asked, sold.id]],
    ['store_id=2', []],
  ] as const) {
    t.deepEqual(await ids(query), [...expected], query)
    const csv = (await app.call('GET', `/v1/transactions?download=1&${query}`, { key: s.key })).text.trim().split('\n')
    t.deepEqual(
      csv.slice(1).map((line) => line.split(',')[0]),
      [...expected].reverse(),
      query,
    )
  }
  t.is((await ok(app.call('GET', '/v1/transactions?status=C', { key: s.key }))).json.pagination.total, 1)
  for (const query of [
    'status=Z',
    'from=yesterday',
    'to=2026-13-01',
    'store_id=x',
    'store_id=-1',
    `q=${'x'.repeat(201)}`,
  ])
    t.is((await app.call('GET', `/v1/transactions?${query}`, { key: s.key })).status, 400, query)
})

test('J-RES-04 W-SIG-01 W-SIG-02 W-DEL-05 the webhook passes a verifier that we did not write, and the receiver that we advise', async (t) => {
  const s = await shop(app)
  const own = `${app.receiver.url}?own`
  const body = { amount: 3, webhook_url: own }
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body }))).json
  const { offer } = await sell(app, { key: s.key, resId: res_id })
  const post = await postFor(app, offer.challengeId)
  const header = post.headers['x-webhook-signature'] ?? ''
  const event = Stripe.webhooks.constructEvent(post.body, header, s.secret) as unknown as { test: boolean }
  t.is(event.test, false)
  t.throws(() => Stripe.webhooks.constructEvent(`${post.body} `, header, s.secret))
  t.throws(() => Stripe.webhooks.constructEvent(post.body, header, `${s.secret}x`))
  const orders: string[] = []
  const receiver = createReceiver(s.secret, (order) => orders.push(order))
  t.is(receiver.receive(post.body, post.headers), 200)
  await eventually('the order', async () => orders.length === 1)
  t.is(orders[0], `${res_id}.${offer.challengeId}`)
})

test.serial('M-REC-02 the three states of a transaction are P, C and X', async (t) => {
  const s = await shop(app)
  const offers = [
    await offerOf(app, s.key, s.resId),
    await offerOf(app, s.key, s.resId),
    await offerOf(app, s.key, s.resId),
  ]
  const [waits, done, low] = offers as [(typeof offers)[0], (typeof offers)[0], (typeof offers)[0]]
  await ok(verify(app, done?.challengeId ?? '', await payInFull(app, done as never)))
  const little = await payInFull(app, low as never, BigInt(low?.amountAtomic ?? 0) / 2n)
  const body = { challengeId: low?.challengeId ?? '', hash: little }
  t.like((await ok(app.call('POST', '/v1/verify', { key: s.key, body }))).json, { status: 'underpaid' })
  await send(app, waits as never)
  const states = await eventually('three', async () => {
    const found = await transactionsOf(app, s.key)
    return found.length === 3 && found.map(({ status }) => status).sort()
  })
  t.deepEqual(states, ['C', 'P', 'X'])
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
