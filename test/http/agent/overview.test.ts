import test from 'ava'
import { toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { requestOf } from '../../support/buyer.ts'
import { goToCard, takesCards, told, transactionWith } from '../../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../../support/card/processor.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual, me, payInFull, type Shop, sell, shop, transactionOf, verify } from '../../support/sale.ts'
import { SIMULATE, sandboxKey } from '../../support/sandbox.ts'
import { activeSeller, freshAddress, offerOf, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'
import { teamCalls } from '../../support/team.ts'
import { refused } from '../strict.ts'

/** The figures of the last days over HTTP, with real sales on a chain. */

const PATH = '/v1/reports/overview'
const DAY_MS = 86_400_000

let app: TestApp
let processor: CardProcessor
/** How far the service's clock is ahead. */
let shiftMs = 0
test.before(async () => {
  processor = await startCardProcessor()
  app = await startApp({
    world: { now: () => new Date(Date.now() + shiftMs) },
    // Nothing listens there, so that this network is down.
    env: { CARD_PROCESSOR_URL: processor.url, CHAIN_BASE_RPC: 'http://127.0.0.1:9', CHAIN_BASE_ID: '8453' },
  })
})
test.after.always(async () => {
  await app?.stop()
  await processor?.stop()
})

const of = async (key: string, query = '') => (await ok(app.call('GET', `${PATH}${query}`, { key }))).json
type Matters = readonly { kind: string; count: number; transactions: readonly string[]; networks?: readonly string[] }[]
const matter = async (key: string, kind: string, query = '') =>
  ((await of(key, query)).needs_hand as Matters).find((each) => each.kind === kind)
const matterOf = (key: string, kind: string) => eventually(kind, () => matter(key, kind))
const refund = (key: string, id: string, body: object = {}) =>
  app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key, body })
const { make } = teamCalls(() => app)
/**
 * The overview of who takes coins of the chain that is there. How that is was looked at some seconds ago: while the
 * blocks of a payment were not yet read, by a clock that was days ahead, or when no test had made a block for minutes.
 */
const inTime = (key: string) =>
  eventually('the chain is found to be in time', async () => {
    const overview = await of(key)
    return (overview.needs_hand as Matters).every(({ kind }) => kind !== 'chains-behind') && overview
  })

test.serial(
  'N-83 I-EARN-01 the overview tells what was sold, what came for it and what it cost, of each day',
  async (t) => {
    const s = await shop(app, { webhook: false })
    const fresh = await inTime(s.key)
    t.like(fresh, { period: '7d', zone: 'UTC', sold: { sales: 0, usd: 0 }, needs_hand: [], refunded_usd: 0 })
    t.deepEqual(fresh.credit, { balance: 5, days_left: null })
    t.is(fresh.days.length, 7)

    const first = await sell(app, s)
    shiftMs = DAY_MS
    const second = await sell(app, s)
    const { id } = await transactionOf(app, s.key, second.offer.challengeId, 'C')
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    await ok(refund(s.key, id ?? ''))

    const week = await of(s.key)
    const units = BigInt(first.offer.amountAtomic) + BigInt(second.offer.amountAtomic)
    t.deepEqual(week.sold, { sales: 2, usd: 200 })
    t.like(week.settled.coins[0], { asset: 'eth', sales: 2, sold_usd: 200, settled_units: String(units) })
    t.true(week.settled.usd >= 200 && week.settled.usd < 200.001)
    t.deepEqual(week.fees, { platform: 0.4, gas: 0 })
    t.deepEqual(
      (week.days as { sales: number }[]).map(({ sales }) => sales),
      [0, 0, 0, 0, 0, 1, 1],
    )
    t.is(week.days.at(-1).day, week.to)
    t.is(week.days[0].day, week.from)

    const snapshot = await me(app, s.key)
    t.is(week.sold.usd - week.refunded_usd, snapshot.total_earned)
    t.is(week.sold.sales, snapshot.settlements_count)
    t.is(Math.round((5 - week.fees.platform) * 1e6), Math.round(snapshot.credit_balance * 1e6))
    // 0.40 in a day and some minutes, so that 4.60 last for some eleven days.
    t.is(week.credit.balance, 4.6)
    t.true(week.credit.days_left >= 11 && week.credit.days_left <= 12, String(week.credit.days_left))

    const today = await of(s.key, '?period=today')
    t.deepEqual(today.sold, { sales: 1, usd: 100 })
    t.is(today.from, today.to)
    t.is((await of(s.key, '?period=30d')).days.length, 30)
    shiftMs = 40 * DAY_MS
    t.deepEqual((await of(s.key, '?period=30d')).sold, { sales: 0, usd: 0 }, 'forty days later')
    shiftMs = 0
  },
)

test.serial('N-83 I-FEE-05 tests are counted apart, and a sandbox key is told of them alone', async (t) => {
  const { key } = await activeSeller(app)
  const sandbox = await sandboxKey(app, key, 'secret')
  const { json } = await ok(app.call('POST', '/v1/resources', { key: sandbox, body: { amount: 7 } }))
  const minted = await ok(app.call('POST', '/v1/challenge', { key: sandbox, body: { res_id: json.res_id } }))
  const challengeId: string = minted.json.accepts[0].challengeId
  await ok(app.call('POST', SIMULATE, { body: { challengeId, confirmations: 100 } }))
  await transactionOf(app, sandbox, challengeId, 'C')
  t.like(await of(key), { sold: { sales: 0, usd: 0 } })
  const tests = await of(key, '?is_test=1')
  t.like(tests, { sold: { sales: 1, usd: 7 }, fees: { platform: 0, gas: 0 }, credit: null, test: true })
  t.deepEqual(await of(sandbox), tests)
  const bad = { method: 'GET', status: 400, code: 'svc_invalid_request' }
  await refused(t, app, [
    { ...bad, what: 'live records of a sandbox key', path: `${PATH}?is_test=0`, key: sandbox },
    { ...bad, what: 'an unknown period', path: `${PATH}?period=year`, key },
    { ...bad, what: 'an unknown name', path: `${PATH}?periode=7d`, key },
  ])
})

test.serial('N-83 J-AUTH-04 who sees single stores, or may not see money, is told of no more', async (t) => {
  const s = await shop(app)
  await sell(app, s)
  const { storeId, key: storeKey } = await addStore(app, s.key)
  const ofStore = await of(storeKey)
  t.like(ofStore, { sold: { sales: 0, usd: 0 }, credit: null, refunded_usd: null, fees: { platform: 0, gas: null } })
  const teller = await make(s.key, { role: 'clerk', store_scope: [1] })
  t.like(await of(teller.api_key), { sold: { sales: 1, usd: 100 }, credit: null, refunded_usd: null })
  const clerk = await make(s.key, { role: 'clerk' })
  t.like(await of(clerk.api_key), { sold: { sales: 1, usd: 100 }, credit: null, refunded_usd: 0 })
  const other = await make(s.key, { role: 'clerk', store_scope: [storeId] })
  t.like(await inTime(other.api_key), { sold: { sales: 0, usd: 0 }, needs_hand: [] })
  const { key: directing } = await activeSeller(app)
  const director = await make(directing, { role: 'director', store_scope: [1] })
  t.like(await of(director.api_key), { credit: null }, 'the credit is not that of a store')
  const { key: designing } = await activeSeller(app)
  const designer = await make(designing, { role: 'designer' })
  await refused(t, app, [
    { what: 'without the right', method: 'GET', path: PATH, key: designer.api_key, status: 403, code: 'svc_forbidden' },
  ])
  const { key: another } = await activeSeller(app)
  t.like(await inTime(another), { sold: { sales: 0, usd: 0 }, needs_hand: [] }, 'another account')
})

/** Sends an amount that no open challenge asks for. */
const odd = async (s: Shop) => {
  const offer = await offerOf(app, s.key, s.resId)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { odd_payments: 'ask' } } }))
  await payInFull(app, offer, (BigInt(offer.amountAtomic) * 3n) / 2n)
}

test.serial(
  'N-83 money that settles nothing, a failed webhook and a network that is behind need a hand until they are mended',
  async (t) => {
    const s = await shop(app)
    app.receiver.answer.status = 500
    const { offer } = await sell(app, s)
    const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
    t.deepEqual(await matterOf(s.key, 'webhooks-failed'), { kind: 'webhooks-failed', count: 1, transactions: [id] })
    app.receiver.answer.status = 200
    await ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=resend-webhook`, { key: s.key }))
    await eventually('the webhook is accepted', async () => (await matter(s.key, 'webhooks-failed')) === undefined)

    t.is(await matter(s.key, 'unmatched'), undefined)
    await odd(s)
    t.like(await matterOf(s.key, 'unmatched'), { count: 1 })
    t.is(await matter(s.key, 'unmatched', '?is_test=1'), undefined)

    // No coin of the other network is taken.
    await inTime(s.key)
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc_base', address: freshAddress() } }))
    await eventually('the other network alone is behind', async () => {
      const behind = await matter(s.key, 'chains-behind')
      return behind?.networks?.join() === 'base'
    })

    shiftMs = 31 * DAY_MS
    t.deepEqual(
      ((await of(s.key)).needs_hand as Matters).map(({ kind }) => kind),
      ['chains-behind'],
      'after a month nobody is reminded',
    )
    shiftMs = 0
  },
)

test.serial('N-83 an underpaid payment needs a hand until the rest has come', async (t) => {
  const s = await shop(app)
  // The chain's clock may be ahead by some seconds.
  shiftMs = -60_000
  const offer = await offerOf(app, s.key, s.resId)
  shiftMs = 0
  const hash = await payInFull(app, offer, BigInt(offer.amountAtomic) / 2n)
  const { json } = await ok(verify(app, offer.challengeId, hash))
  t.is(json.status, 'underpaid')
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'X')
  t.deepEqual(await matterOf(s.key, 'underpaid'), { kind: 'underpaid', count: 1, transactions: [id] })
  const rest = await payInFull(app, offer, toUnits(json.missing, 18))
  t.deepEqual((await ok(verify(app, offer.challengeId, rest))).json, { settled: true })
  await eventually('it is mended', async () => (await matter(s.key, 'underpaid')) === undefined)
  t.like(await of(s.key), { sold: { sales: 1, usd: 100 } })
})

test.serial('N-83 an open dispute of a payment by card needs a hand until it is decided', async (t) => {
  const s = await shop(app)
  const rail = await takesCards(app, processor, s.key)
  const session = await goToCard(
    app,
    processor,
    await requestOf(app, s, { amount: 10, external_reference: 'disputed' }),
  )
  processor.pay(session.id)
  await told(processor, rail, 'checkout.session.completed', session)
  const paid = await transactionWith(
    app,
    s.key,
    (each) => each.external_reference === 'disputed' && each.status === 'C',
  )
  const week = await of(s.key)
  t.like(week.settled.coins[0], { asset: 'USD', sales: 1, sold_usd: 10, settled_amount: '10' })
  const dispute = processor.dispute(session.payment_intent as string)
  await told(processor, rail, 'charge.dispute.created', dispute)
  t.deepEqual(await matterOf(s.key, 'disputed'), { kind: 'disputed', count: 1, transactions: [paid.id] })
  await told(processor, rail, 'charge.dispute.closed', { ...dispute, status: 'won' })
  await eventually('the dispute is over', async () => (await matter(s.key, 'disputed')) === undefined)
})

test.serial('N-83 credit that lasts for less than a week is low', async (t) => {
  const s = await shop(app, { webhook: false })
  await sell(app, s)
  t.like((await of(s.key)).credit, { balance: 4.8, days_left: 24 })
  t.is(await matter(s.key, 'low-credit'), undefined)
  const dear = await shop(app, { amount: 1_000, webhook: false })
  await sell(app, dear)
  t.like((await of(dear.key)).credit, { balance: 3, days_left: 1 })
  t.deepEqual(await matter(dear.key, 'low-credit'), { kind: 'low-credit', count: 1, transactions: [] })
})

deepAfter('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))
