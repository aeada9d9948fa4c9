import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { daybook } from '../../cli/daybook.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  me,
  payInFull,
  postFor,
  type Shop,
  saidOf,
  shop,
  transactionsOf,
} from '../../support/sale.ts'
import { type Offer, ok, signUp } from '../../support/seller.ts'

/** Links that ask for one payment, and the credit that sellers buy by them. */

let app: TestApp
/** How far the service's clock is ahead of the chain's; moved only by tests that run alone. */
let shiftMs = 0
const HOUR_MS = 3_600_000

test.before(async () => {
  app = await startApp({
    world: { now: () => new Date(Date.now() + shiftMs) },
    env: { PLATFORM_WALLETS: `eth=${'0x90F79bf6EB2c4f870365E785982E1f101E93b906'}` },
  })
})
test.after.always(() => app?.stop())

test('J-PRQ-01 J-PRQ-02 a request is answered with its eight fields and a link on the pay host', async (t) => {
  const s = await shop(app)
  const json = await request(s, { amount: 3, expiry: '1h', title: 'Invoice 7', external_reference: 'inv-7' })
  const fields = ['amount', 'cryptocurrency', 'currency', 'encrypted_id', 'expiry', 'status', 'transaction_id', 'url']
  t.deepEqual(Object.keys(json).sort(), [...fields, 'asset_amount'].sort())
  t.like(json, { amount: 3, asset_amount: null, currency: 'USD', cryptocurrency: '', expiry: '1h', status: 'open' })
  t.is(json.url, `${app.served().origin}/id/${json.encrypted_id}`)
  const [record] = await transactionsOf(app, s.key)
  t.like(record, {
    id: json.transaction_id,
    status: 'P',
    type: 'payment-request',
    title: 'Invoice 7',
    amount_fiat: '3',
  })
})

test('J-PRQ-01 L-JSN-14 only the five expiries are taken, and what contradicts itself is refused', async (t) => {
  const s = await shop(app)
  for (const expiry of ['15m', '1h', '24h', '7d', '30d']) t.is((await request(s, { amount: 1, expiry })).expiry, expiry)
  for (const body of [
    { expiry: '2h' },
    { amount: 0 },
    { amount: -1 },
    { amount: '3' },
    { asset: 'zzz' },
    { asset: 'usdc' },
    { asset: 'eth', cryptocurrency: 'usdc' },
    { asset_amount: 1 },
    { asset: 'eth', asset_amount: 1, amount: 3 },
    { asset: 'eth', asset_amount: 1e-12 },
    { redirect: 'javascript:alert(1)' },
    { external_reference: 'res_mine' },
    { currency: 'usd' },
    { colour: 'red' },
  ])
    t.is((await app.call('POST', '/v1/payment-requests', { key: s.key, body })).status, 400, JSON.stringify(body))
  t.is((await transactionsOf(app, s.key)).length, 5)
})

test('J-PRQ-04 requests are listed, and found by their id, but not by a stranger', async (t) => {
  const [s, other] = [await shop(app), await shop(app)]
  const made = await request(s, { asset: 'eth', asset_amount: 0.0123, note: 'two words' })
  const { payment_requests } = (await ok(app.call('GET', '/v1/payment-requests', { key: s.key }))).json
  t.like(payment_requests[0], {
    ...made,
    asset_amount: '0.0123',
    note: 'two words',
    cryptocurrency: 'eth',
    amount: null,
  })
  for (const id of [made.encrypted_id, made.transaction_id]) {
    const one = `/v1/payment-requests?id=${id}`
    t.deepEqual((await ok(app.call('GET', one, { key: s.key }))).json.payment_request, payment_requests[0])
    t.is((await app.call('GET', one, { key: other.key })).status, 404)
  }
  t.deepEqual((await ok(app.call('GET', '/v1/payment-requests', { key: other.key }))).json, { payment_requests: [] })
})

test('J-PRQ-03 J-CHL-03 a paid request completes its transaction, tells the merchant once, and takes no further payment', async (t) => {
  const s = await shop(app)
  const made = await request(s, { amount: 20, external_reference: 'order-20' })
  const offer = await offered(made.encrypted_id)
  t.like(offer, { asset: 'eth' })
  const hash = await payInFull(app, offer)
  const post = await postFor(app, 'order-20')
  const told = JSON.parse(post.body).transaction
  t.like(told, {
    id: made.transaction_id,
    status: 'C',
    hash,
    cryptocurrency: 'eth',
    amount: offer.amount,
    amount_fiat: '20',
  })
  t.like((await transactionsOf(app, s.key))[0], {
    id: made.transaction_id,
    status: 'C',
    external_reference: 'order-20',
  })
  const door = await app.call('GET', `/id/${made.encrypted_id}?agent=1`)
  t.like(door, { status: 200 })
  t.like(door.json, { settled: true, amount: 20 })
  const second = await payInFull(app, offer)
  await eventually('the double', async () => (await saidOf(app, 'TransferSetAside', second)).length === 1)
  t.like(await me(app, s.key), { settlements_count: 1, total_earned: 20, credit_balance: 4.96 })
})

deepTest(
  'J-PRQ-03 two who pay one request by different challenges pay it once; the other payment is kept apart',
  async (t) => {
    const s = await shop(app)
    const made = await request(s, { currency: 'EUR' })
    const [one, two] = [await offered(made.encrypted_id, '&amount=10'), await offered(made.encrypted_id, '&amount=11')]
    t.not(one.challengeId, two.challengeId)
    const hashes = [await payInFull(app, one), await payInFull(app, two)]
    await eventually('both', async () => {
      const said = [...(await saidOf(app, 'ChallengeSettled', made.encrypted_id)), ...(await asides(hashes))]
      return said.length === 2
    })
    t.is((await saidOf(app, 'ChallengeSettled', made.encrypted_id)).length, 1)
    t.is((await me(app, s.key)).settlements_count, 1)
  },
)

deepTest('N-40 a request without an amount asks the payer for one', async (t) => {
  const s = await shop(app)
  const made = await request(s, {})
  t.is((await app.call('GET', `/id/${made.encrypted_id}?agent=1`)).status, 400)
  t.is((await offered(made.encrypted_id, '&amount=7.5')).fiatAmount, '7.5')
})

deepTest.serial(
  'J-PRQ-03 T-TXN-02 Q-07 a request that nobody pays is closed on its expiry, and its transaction rejected',
  async (t) => {
    const s = await shop(app)
    const made = await request(s, { amount: 3, expiry: '1h' })
    shiftMs = HOUR_MS - 60_000
    t.is((await app.call('GET', `/id/${made.encrypted_id}?agent=1`)).status, 402)
    shiftMs = HOUR_MS + 1_000
    t.is((await app.call('GET', `/id/${made.encrypted_id}?agent=1`)).status, 410)
    const listed = () => app.call('GET', `/v1/payment-requests?id=${made.encrypted_id}`, { key: s.key })
    t.is((await listed()).json.payment_request.status, 'expired')
    shiftMs = HOUR_MS + 120_000
    await eventually('the rejection', async () => (await transactionsOf(app, s.key))[0]?.status === 'X')
    shiftMs = 0
  },
)

test('J-PRQ-01 X-IDEM-01 the same key makes one request', async (t) => {
  const s = await shop(app)
  const create = (amount: number) =>
    app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount }, headers: { 'idempotency-key': 'k1' } })
  const [first, second] = await Promise.all([create(4), create(4)])
  t.is(first?.json.encrypted_id, second?.json.encrypted_id)
  t.is((await create(5)).status, 409)
  t.is((await transactionsOf(app, s.key)).length, 1)
})

test('J-ACC-08 N-18 I-CRD-02 credit is bought through our own door, also before activation, and raised by exactly that, once', async (t) => {
  const { key } = await signUp(app)
  const { json } = await ok(app.call('POST', '/v1/top-up', { key, body: { amount: 10 } }))
  t.like(json, { amount: 10, activated: false })
  t.deepEqual(Object.keys(json).sort(), ['activated', 'amount', 'next', 'url'])
  const requestId = new URL(json.url).pathname.slice('/id/'.length)
  const offer = await offered(requestId)
  const hash = await payInFull(app, offer)
  const granted = await eventually('the credit', async () => {
    const found = await saidOf(app, 'CreditGranted', requestId)
    return found.length > 0 && found
  })
  t.is(granted.length, 1)
  t.like(granted[0], { amount: '10000000' })
  await app.anvil.mine(20)
  await ok(app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } }))
  t.is((await saidOf(app, 'CreditGranted', requestId)).length, 1)
  t.is((await saidOf(app, 'CreditDebited', offer.challengeId)).length, 0)
})

test.serial(
  'Q-55 N-62 what came to the platform and is nobody’s by its amount is matched by the operator alone',
  async (t) => {
    const [one, two] = [await shop(app), await shop(app)]
    const topUp = async ({ key }: Shop) => {
      const { json } = await ok(app.call('POST', '/v1/top-up', { key, body: { amount: 20 } }))
      return offered(new URL(json.url).pathname.split('/').at(-1) ?? '')
    }
    const [wanted, other] = [await topUp(one), await topUp(two)]
    const hash = await payInFull(app, wanted, BigInt(wanted.amountAtomic) + 10n ** 14n)
    const row = await eventually('the payment in the list', async () => {
      const { stdout } = await daybook(app.env, 'payments', 'odd', '--json')
      return (JSON.parse(stdout) as Record<string, string>[]).find(({ transfer }) => transfer?.includes(hash))
    })
    t.like(row, { transfer: `eth:${hash}:native`, asset: 'eth', status: 'unmatched' })
    const listed = await daybook(app.env, 'payments', 'odd')
    t.true(listed.stdout.includes(`eth:${hash}:native`) && listed.stdout.includes(other.challengeId), listed.stdout)
    const match = (...args: string[]) => daybook(app.env, 'payments', 'match', ...args, '--json')
    const transfer = row.transfer ?? ''
    t.is((await match('eth:0xnone:native', '--challenge', wanted.challengeId)).code, 1)
    t.is((await match(transfer, '--challenge', `ch_${'a'.repeat(26)}.eth`)).code, 1)
    t.is((await match(transfer, '--challenge', 'nope')).code, 2)
    // A seller cannot take it for a challenge of its own, and the operator cannot take a seller's money.
    const body = { transfer, challenge_id: wanted.challengeId }
    t.is((await app.call('POST', '/v1/settlements?action=match', { key: one.key, body })).status, 404)
    const matched = await match(transfer, '--challenge', wanted.challengeId)
    t.is(matched.code, 0, matched.stderr)
    t.deepEqual(JSON.parse(matched.stdout), { transfer, challenge_id: wanted.challengeId, status: 'settled' })
    await eventually('the credit', async () => (await me(app, one.key)).credit_balance >= 25)
    t.is((await match(transfer, '--challenge', wanted.challengeId)).code, 0, 'quiet when repeated')
    t.is((await match(transfer, '--challenge', other.challengeId)).code, 1)
    t.true((await me(app, one.key)).credit_balance < 26)
    t.is((await me(app, two.key)).credit_balance, 5)
  },
)

test('J-ACC-09 L-JSN-02 a top-up below one dollar is refused', async (t) => {
  const { key } = await signUp(app)
  for (const amount of [0.99, 0, -5, '10'])
    t.is((await app.call('POST', '/v1/top-up', { key, body: { amount } })).status, 400, String(amount))
  t.is((await app.call('POST', '/v1/top-up', { key, body: { amount: 1 } })).status, 200)
})

deepTest('J-PRQ-01 less of a coin than its smallest unit is refused, and never asked for as nothing', async (t) => {
  const s = await shop(app)
  for (const asset_amount of [1e-19, 1e-9, 0]) {
    const body = { asset: 'eth', asset_amount }
    t.is((await app.call('POST', '/v1/payment-requests', { key: s.key, body })).status, 400, String(asset_amount))
  }
  const body = { asset: 'eth', asset_amount: 1e-8 }
  await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body }))
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const request = async (s: Shop, body: object) =>
  (await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body }))).json

const offered = async (requestId: string, query = ''): Promise<Offer & { asset: string; fiatAmount: string }> => {
  const { status, json, text } = await app.call('GET', `/id/${requestId}?agent=1${query}`)
  if (status !== 402) throw new Error(`the door answered ${status}: ${text}`)
  return json.accepts[0]
}

const asides = async (hashes: readonly string[]) =>
  (await Promise.all(hashes.map((hash) => saidOf(app, 'TransferSetAside', hash)))).flat()
