import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { look } from '../../support/buyer.ts'
import { consoleCall, said } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, sell, shop } from '../../support/sale.ts'
import { activeSeller, ok, signUp } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'
import { TEAM, teamCalls } from '../../support/team.ts'
import { readLog } from '../log.ts'
import { refused, strictly } from '../strict.ts'

/** What the credit of an account buys, seats among it, what its sales earn, and what its seller pays out itself. */

let app: TestApp
const BILLING = '/v1/billing'
const INVALID_KEY = { status: 401, code: 'invalid-api-key' }
const FORBIDDEN = { status: 403, code: 'svc_forbidden' }
const INVALID = { status: 400, code: 'svc_invalid_request' }
const NOT_FOUND = { status: 404, code: 'svc_not_found' }
const TOO_LOW = { status: 402, code: 'svc_insufficient_balance' }

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const { call, make, put, teamOf, statusOf } = teamCalls(() => app)
const balances = async (key: string) => (await ok(call('GET', BILLING, key))).json

test.serial(
  'K-SUB-03 I-CRD-03 I-CRD-04 E-402-02 further seats are paid from the credit, and without enough nothing is made',
  async (t) => {
    const strict = strictly(t, app)
    const { key } = await activeSeller(app)
    t.like(await make(key, { role: 'master-admin' }), { seat_fee: 0, new_balance: 5 })
    const clerk = await strict('POST', TEAM, { key, body: { role: 'clerk' } })
    t.like(clerk.json, { seat_fee: 1, slot: 2, new_balance: 4 })
    const before = await teamOf(key)
    t.like(before, { balance: 4, slots_free: 0 })
    t.like(before.prices, { clerk: 1, teller: 2, manager: 5, custom: 10, 'master-admin': 20 })
    await refused(t, app, [{ what: 'a seat too dear', path: TEAM, key, body: { role: 'manager' }, ...TOO_LOW }])
    t.deepEqual(await teamOf(key), before)
    const both = await Promise.all([make(key, { role: 'teller' }), make(key, { role: 'teller' })])
    t.deepEqual(both.map(({ slot }) => slot).sort(), [3, 4])
    t.like(await teamOf(key), { balance: 0, slots_free: 0 })
    await refused(t, app, [{ what: 'a fifth seat', path: TEAM, key, body: { role: 'clerk' }, ...TOO_LOW }])
  },
)

deepTest.serial(
  'K-SUB-07 I-CRD-04 a deleted sub-key stops at once, and the next one takes its seat for nothing',
  async (t) => {
    const strict = strictly(t, app)
    const { key } = await activeSeller(app)
    const [first, second] = [await make(key, { role: 'clerk' }), await make(key, { role: 'clerk' })]
    const gone = await strict('DELETE', `${TEAM}?subagent_id=1`, { key })
    t.deepEqual(gone.json, { deleted: true, id: 1 })
    t.is((await teamOf(key)).slots_free, 1)
    await refused(t, app, [
      { what: 'its key', method: 'GET', path: '/v1/transactions', key: first.api_key, ...INVALID_KEY },
      { what: 'again', method: 'DELETE', path: `${TEAM}?subagent_id=1`, key, ...NOT_FOUND },
    ])
    t.like(await make(key, { role: 'director' }), { seat_fee: 0, slot: 1, subagent: { id: 3 }, new_balance: 4 })
    t.is(await statusOf('GET', '/v1/transactions', second.api_key), 200)
  },
)

test.serial(
  'J-BIL-01 J-BIL-02 I-CRD-05 X-IDEM-01 packs are paid from the credit in one step, and once for one Idempotency-Key',
  async (t) => {
    const strict = strictly(t, app)
    const { key } = await activeSeller(app)
    const before = await strict('GET', BILLING, { key })
    t.deepEqual(before.json, { credit_balance: 5, native_points: 0, lander_slots: 1 })
    const order = { key, body: { action: 'buy-lander-pack', qty: 2 }, headers: { 'idempotency-key': 'packs' } }
    const bought = await strict('POST', BILLING, order)
    t.deepEqual(bought.json, { credit_balance: 1, native_points: 0, lander_slots: 11 })
    const again = await strict('POST', BILLING, order)
    t.deepEqual([again.json, again.headers.get('idempotency-replayed')], [bought.json, 'true'])
    t.deepEqual(await balances(key), bought.json)
    await refused(t, app, [
      {
        what: 'another order by its key',
        path: BILLING,
        ...order,
        body: { ...order.body, qty: 1 },
        status: 409,
        code: 'svc_conflict',
      },
    ])
  },
)

deepTest.serial('J-BIL-04 E-402-02 I-CRD-03 what the credit or the points do not cover changes nothing', async (t) => {
  const { key } = await signUp(app)
  const post = { path: BILLING, key }
  await refused(t, app, [
    { what: 'a pack', ...post, body: { action: 'buy-lander-pack', qty: 1 }, ...TOO_LOW },
    { what: 'a point', ...post, body: { action: 'redeem-points', amount: 1 }, ...TOO_LOW },
    { what: 'no action', ...post, body: { qty: 1 }, ...INVALID },
    { what: 'an unknown action', ...post, body: { action: 'buy' }, ...INVALID },
    { what: 'half a pack', ...post, body: { action: 'buy-lander-pack', qty: 0.5 }, ...INVALID },
    { what: 'too many packs', ...post, body: { action: 'buy-lander-pack', qty: 1_001 }, ...INVALID },
    { what: 'no pack', ...post, body: { action: 'buy-lander-pack', qty: 0 }, ...INVALID },
    { what: 'no points', ...post, body: { action: 'redeem-points', amount: 0 }, ...INVALID },
    { what: 'half a point', ...post, body: { action: 'redeem-points', amount: 0.5 }, ...INVALID },
    { what: 'points without a number', ...post, body: { action: 'redeem-points' }, ...INVALID },
  ])
  t.deepEqual(await balances(key), { credit_balance: 0, native_points: 0, lander_slots: 1 })
})

deepTest.serial(
  'J-BIL-03 I-CRD-06 a live sale earns points, and redeeming them makes credit of them in one step',
  async (t) => {
    const strict = strictly(t, app)
    const s = await shop(app, { amount: 150 })
    await sell(app, s)
    const earned = await eventually('the points', async () => {
      const json = await balances(s.key)
      return json.native_points > 0 && json
    })
    t.deepEqual(earned, { credit_balance: 4.7, native_points: 150, lander_slots: 1 })
    const post = { path: BILLING, key: s.key }
    await refused(t, app, [
      { what: 'more than there are', ...post, body: { action: 'redeem-points', amount: 151 }, ...TOO_LOW },
    ])
    const redeemed = await strict('POST', BILLING, { key: s.key, body: { action: 'redeem-points', amount: 100 } })
    t.deepEqual(redeemed.json, { credit_balance: 4.71, native_points: 50, lander_slots: 1 })
    t.deepEqual(await balances(s.key), redeemed.json)
    t.is((await ok(call('GET', '/v1/agent', s.key))).json.credit_balance, 4.71)
  },
)

test.serial('J-BIL-01 X-CAP-01 who may look at the balances and who may spend them is told apart', async (t) => {
  const { key } = await activeSeller(app)
  const { api_key } = await make(key, { role: 'director' })
  t.is((await balances(api_key)).credit_balance, 5)
  const pack = { action: 'buy-lander-pack', qty: 1 }
  await refused(t, app, [{ what: 'a director spends', path: BILLING, key: api_key, body: pack, ...FORBIDDEN }])
  await put(key, 1, { role: 'custom', permissions: ['billing.spend'] })
  t.is(await statusOf('GET', BILLING, api_key), 403)
  t.is((await ok(call('POST', BILLING, api_key, pack))).json.credit_balance, 1)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const PAYOUTS = '/v1/payout-info'
const TERMS = { payout_asset: 'EUR', details: 'May wages, IBAN NL91 ABNA 0417 1643 00' }
const paidOut = (id: string) => `${PAYOUTS}?transaction_id=${id}&action=complete`
const notePayout = async (key: string, body: object = TERMS) => (await ok(call('POST', PAYOUTS, key, body))).json
const payoutsOf = async (key: string) => (await ok(call('GET', PAYOUTS, key))).json.requests

test('J-PAY-01 J-PAY-02 X-IDEM-01 a payout is noted once, with a transaction, and whoever is paid says where to at its link', async (t) => {
  const strict = strictly(t, app)
  const { key } = await activeSeller(app)
  t.deepEqual(await payoutsOf(key), [])
  const post = () => strict('POST', PAYOUTS, { key, body: TERMS, headers: { 'idempotency-key': 'wages' } })
  const [first, again] = await Promise.all([post(), post()])
  t.is(first.text, again.text)
  const { transaction_id: id, link } = first.json
  const { transaction } = (await strict('GET', `/v1/transactions?transaction_id=${id}`, { key })).json
  t.like(transaction, { id, type: 'payout', status: 'P', currency: 'EUR', cryptocurrency: '', description: '' })

  const { origin, pathname } = new URL(link)
  t.is(origin, app.served().origin)
  const page = await look(app, pathname)
  t.is(page.status, 200)
  t.regex(page.text, /The seller<\/bdi> wants to pay you in.*EUR.*<textarea/s)
  t.notRegex(page.text, /You pay the seller/)
  t.notRegex(page.text, /IBAN/)
  const say = (details: string) =>
    app.call('POST', pathname, { headers: FORM, body: new URLSearchParams({ details }).toString() })
  t.is((await say(' \n')).status, 400)
  t.is((await say('x'.repeat(2_001))).status, 400)
  t.is((await say('Account 7\r\nof Ada')).status, 303)
  t.is((await say('Account 7\nof Ada')).status, 303, 'sent twice')
  const second = await say('Account 8 of Mallory')
  t.is(second.status, 409)
  t.regex(second.text, /What you have sent now was not taken.*cannot be changed here/s)
  t.regex((await look(app, pathname)).text, /cannot be changed here/)
  t.is((await look(app, '/payout/po_nobody')).status, 404)

  const requests = (await strict('GET', PAYOUTS, { key })).json.requests
  t.is(requests.length, 1)
  t.like(requests[0], { transaction_id: id, link, ...TERMS, payee_details: 'Account 7\nof Ada', status: 'requested' })
  t.notRegex((await readLog(app)).map(({ data }) => JSON.stringify(data)).join(), /ABNA|of Ada/)
  await refused(t, app, [
    { what: 'other details', path: PAYOUTS, key, body: { ...TERMS, details: 'x' }, ...ONCE_MORE },
    ...[{ ...TERMS, payout_asset: 'nocoin' }, { payout_asset: 'eth' }, { ...TERMS, details: ' ' }].map((body) => ({
      what: JSON.stringify(body),
      path: PAYOUTS,
      key,
      body,
      status: 400,
      code: codeOf(body),
    })),
  ])
})

test('J-PAY-03 W-NOT-01 a payout is completed once, for no fee, and no webhook tells of it', async (t) => {
  const strict = strictly(t, app)
  const { key } = await shop(app)
  await ok(call('PUT', '/v1/settings', key, { payment: { refunds: true } }))
  const before = await balances(key)
  const { transaction_id: id } = await notePayout(key, { ...TERMS, payout_asset: 'eth' })
  for (let n = 0; n < 2; n++) t.deepEqual((await strict('POST', paidOut(id), { key })).json, { completed: true, id })
  const { transaction } = (await ok(call('GET', `/v1/transactions?transaction_id=${id}`, key))).json
  t.like(transaction, { status: 'C', type: 'payout', cryptocurrency: 'eth' })
  t.regex(transaction.confirmed_time, /^\d{4}/)
  t.like((await payoutsOf(key))[0], { transaction_id: id, status: 'completed' })
  const act = (action: string) => `/v1/transactions?transaction_id=${id}&action=${action}`
  await refused(t, app, [
    { what: 'a refund of it', path: act('refund'), key, ...INVALID },
    { what: 'its webhook', path: act('resend-webhook'), key, ...INVALID },
    { what: 'a hash for it', path: act('submit-hash'), key, body: { hash: '0xab' }, ...INVALID },
  ])
  const log = (await ok(call('GET', `/v1/transactions?transaction_id=${id}&webhook_log=1`, key))).json
  t.deepEqual(log, { webhook_log: [] })
  t.deepEqual(await balances(key), before)
})

test('J-PAY-01 J-PAY-03 J-AUTH-04 payouts take capabilities of the whole account, and those of another seller are not there', async (t) => {
  const [{ key }, other] = [await shop(app), await activeSeller(app)]
  await addStore(app, key)
  const { api_key: north } = await make(key, { role: 'officer', store_scope: [2] })
  const { api_key: clerk } = await make(key, { role: 'clerk' })
  const { transaction_id: id } = await notePayout(key)
  const mine = await notePayout(key, { ...TERMS, store_id: 2 })
  t.deepEqual(
    (await payoutsOf(key)).map((each: { store_id: number }) => each.store_id),
    [2, 1],
  )
  const sale = (await ok(call('POST', '/v1/payment-requests', key, { amount: 3 }))).json.transaction_id
  await refused(t, app, [
    { what: 'a stranger', path: paidOut(id), key: other.key, ...NOT_FOUND },
    { what: 'a key of its store', path: paidOut(mine.transaction_id), key: north, ...FORBIDDEN },
    { what: 'a key of a store reading', method: 'GET', path: PAYOUTS, key: north, ...FORBIDDEN },
    { what: 'a key of a store noting', path: PAYOUTS, key: north, body: { ...TERMS, store_id: 2 }, ...FORBIDDEN },
    { what: 'no payout', path: paidOut(sale), key, ...NOT_FOUND },
    { what: 'a clerk', path: paidOut(id), key: clerk, ...FORBIDDEN },
    { what: 'a clerk reading', method: 'GET', path: PAYOUTS, key: clerk, ...FORBIDDEN },
  ])
  const link = await said(consoleCall(app, key, 'payment-link', { transaction_id: mine.transaction_id }))
  t.is(link.url, mine.link)
  await said(consoleCall(app, key, 'delete-transaction', { transaction_id: mine.transaction_id }))
  t.is((await payoutsOf(key)).length, 1)
  t.is((await look(app, new URL(mine.link).pathname)).status, 404)
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const ONCE_MORE = { headers: { 'idempotency-key': 'wages' }, status: 409, code: 'svc_conflict' }
const codeOf = ({ payout_asset }: { payout_asset: string }) =>
  payout_asset === 'nocoin' ? 'svc_unknown_asset' : 'svc_invalid_request'
