import test from 'ava'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  me,
  payInFull,
  postsFor,
  type Shop,
  saidOf,
  sell,
  send,
  shop,
  transactionOf,
  USDC,
  verify,
} from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'
import { oddPayments } from './odd-payments.ts'

/**
 * What becomes of a payment that is not simply the right one. Every test runs alone: they share one chain, its depth
 * and the clock.
 */

let app: TestApp
/** How far the service's clock is ahead of the chain's. */
let shiftMs = 0
const MINUTE_MS = 60_000

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
  await app.anvil.mine(10)
})
test.afterEach(() => {
  shiftMs = 0
})
test.after.always(() => app?.stop())

test.serial(
  'J-VER-03 T-CHL-03 M-REC-04 T-TXN-02 W-NOT-01 I-FEE-06 J-STL-01 nine tenths are underpaid: rejected, in the log, not told, no fee',
  async (t) => {
    const s = await shop(app)
    const { offer: full } = await sell(app, s)
    const offer = await offerBefore(s)
    const before = await me(app, s.key)
    const posts = postsFor(app, s.resId).length
    const nine = (BigInt(offer.amountAtomic) * 9n) / 10n
    const hash = await payInFull(app, offer, nine)
    const { json: said } = await ok(verify(app, offer.challengeId, hash))
    t.like(said, { status: 'underpaid', paid: toDecimal(nine, 18), asked: offer.amount })
    // The rest has an amount of its own, no less than what is missing.
    t.true(toUnits(said.missing, 18) >= BigInt(offer.amountAtomic) - nine)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, said)
    t.like(await transactionOf(app, s.key, offer.challengeId, 'X'), { status: 'X', hash })
    const log = await settlementsOf(s)
    t.deepEqual(
      log.map(({ status, challenge_id }) => [status, challenge_id]),
      [
        ['underpaid', offer.challengeId],
        ['settled', full.challengeId],
      ],
    )
    t.like(log[0], { hash, asset: 'eth', asset_amount_asked: offer.amount, fee: 0, amount: 100, currency: 'USD' })
    t.like(log[1], { fee: 0.2, asset_amount: full.amount })
    t.deepEqual(await me(app, s.key), before)
    t.is(postsFor(app, s.resId).length, posts)
    t.is((await saidOf(app, 'ChallengeUnderpaid', offer.challengeId)).length, 1)
  },
)

oddPayments(() => ({
  app,
  offerBefore,
  settlementsOf,
  asideOf,
  shift: (ms) => {
    shiftMs = ms
  },
}))

test.serial(
  'J-VER-05 E-410-01 N-24 a payment that comes too late is answered 410 and kept apart for the seller',
  async (t) => {
    const s = await shop(app)
    shiftMs = -62 * MINUTE_MS
    const offer = await offerOf(app, s.key, s.resId)
    shiftMs = 0
    const hash = await payInFull(app, offer)
    t.is((await verify(app, offer.challengeId, hash)).status, 410)
    t.like(await asideOf(hash, 'late'), { challengeId: offer.challengeId })
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
    t.like((await settlementsOf(s))[0], { status: 'late', hash, challenge_id: offer.challengeId })
  },
)

test.serial('T-CHL-04 J-CHL-04 L-JSN-13 an open challenge expires after its hour, and not before', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const nobodys = `0x${'12'.repeat(32)}`
  shiftMs = 59 * MINUTE_MS
  t.is((await verify(app, offer.challengeId, nobodys)).status, 200)
  shiftMs = 61 * MINUTE_MS
  t.is((await verify(app, offer.challengeId, nobodys)).status, 410)
})

test.serial(
  'N-24 a second payment of a settled challenge is kept apart as a double, without fee or webhook',
  async (t) => {
    const s = await shop(app)
    const { offer } = await sell(app, s)
    const second = await payInFull(app, offer)
    t.like(await asideOf(second, 'doubled'), { challengeId: offer.challengeId })
    t.like(await verify(app, offer.challengeId, second), { status: 409, json: { error_code: 'svc_already_paid' } })
    t.like(await me(app, s.key), { credit_balance: 4.8, settlements_count: 1, total_earned: 100 })
    t.is(postsFor(app, s.resId).length, 1)
  },
)

test.serial(
  'N-24 a little too much settles the only challenge it can be of, and far too much is left to the seller',
  async (t) => {
    const s = await shop(app)
    const [offer, price] = [await offerBefore(s), 4n * 10n ** 16n]
    const far = await payInFull(app, offer, 2n * price)
    t.like(await asideOf(far, 'unmatched'), { challengeId: null, candidates: [offer.challengeId] })
    t.like(await verify(app, offer.challengeId, far), { status: 400 })
    shiftMs = -2 * MINUTE_MS
    const next = await shop(app)
    const other = await offerOf(app, next.key, next.resId)
    shiftMs = 0
    const little = await payInFull(app, other, BigInt(other.amountAtomic) + price / 25n)
    t.deepEqual((await ok(verify(app, other.challengeId, little))).json, { settled: true })
    const [row, ...others] = await settlementsOf(next)
    t.like(row, { status: 'settled', hash: little, asset_amount_asked: other.amount })
    t.deepEqual(others, [])
  },
)

test.serial('T-CHL-02 a payment is seen at once without a call, and settles when it is deep enough', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await send(app, offer)
  await eventually('the payment', async () => (await saidOf(app, 'PaymentDetected', hash)).length === 1)
  t.like(await transactionOf(app, s.key, offer.challengeId, 'P'), { status: 'P', hash })
  await app.anvil.mine(5)
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
})

test.serial('N-24 N-25 a payment that a reorganisation takes back is retracted, and another one settles', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await send(app, offer)
  await app.anvil.mine(2)
  await eventually('the payment', async () => (await saidOf(app, 'PaymentDetected', hash)).length === 1)
  await app.anvil.reorg(4)
  await app.anvil.mine(1)
  await eventually('the retraction', async () => (await saidOf(app, 'PaymentRetracted', hash)).length === 1)
  t.true((await saidOf(app, 'BlocksReorganised', 'eth')).length >= 1)
  await app.anvil.mine(10)
  t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId)).length, 0)
  const again = await payInFull(app, offer)
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', again)).length === 1)
  t.like(await transactionOf(app, s.key, offer.challengeId, 'C'), { status: 'C', hash: again })
})

test.serial('Q-06 I-SET-02 J-SET-05 what the seller takes as enough settles, a little less does not', async (t) => {
  const s = await shop(app)
  const put = { payment: { accept_underpayments: 10 }, confirmations: { coins: { eth: 3 } } }
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: put }))
  const [enough, less] = [await offerOf(app, s.key, s.resId), await offerOf(app, s.key, s.resId)]
  t.is(enough.requiredConfirmations, 3)
  const nine = (amount: string) => (BigInt(amount) * 9n + 9n) / 10n
  // Two open challenges and an amount that neither asked for: the seller says which it pays.
  const bySeller = (challengeId: string, hash: string) =>
    app.call('POST', '/v1/verify', { key: s.key, body: { challengeId, hash } })
  const hash = await payInFull(app, enough, nine(enough.amountAtomic))
  t.is((await verify(app, enough.challengeId, hash)).status, 400)
  t.deepEqual((await ok(bySeller(enough.challengeId, hash))).json, { settled: true })
  const low = await payInFull(app, less, nine(less.amountAtomic) - 10n ** 12n)
  t.like((await ok(bySeller(less.challengeId, low))).json, { status: 'underpaid' })
})

test.serial('N-24 another token, a token of the same name, and coin to another address pay nothing', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  await inLine(() => app.anvil.deployToken(USDC, 10n ** 18n))
  const token = await inLine(() => app.anvil.sendToken(USDC, s.address, BigInt(offer.amountAtomic) / 10n ** 10n))
  const elsewhere = await inLine(() => app.anvil.send(freshAddress(), BigInt(offer.amountAtomic)))
  await app.anvil.mine(6)
  for (const hash of [token, elsewhere]) t.is((await verify(app, offer.challengeId, hash)).status, 400)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
})

test.serial(
  'J-RES-12 T-RES-01 J-DOOR-07 X-SOFT-01 a disabled resource is gone from list and door, and what it sold stays',
  async (t) => {
    const s = await shop(app)
    const { hash } = await sell(app, s)
    t.deepEqual((await ok(app.call('DELETE', `/v1/resources?res_id=${s.resId}`, { key: s.key }))).json, {
      disabled: true,
      res_id: s.resId,
    })
    t.deepEqual((await ok(app.call('GET', '/v1/resources', { key: s.key }))).json.resources, [])
    t.is((await app.call('GET', `/r/${s.resId}`)).status, 404)
    t.is((await app.call('GET', '/r/res_unknown')).status, 404)
    t.like((await settlementsOf(s))[0], { status: 'settled', hash, res_id: s.resId })
  },
)

test.serial(
  'J-CHL-01 J-CHL-05 POST /v1/challenge answers its four fields, and 404 for a resource of nobody',
  async (t) => {
    const s = await shop(app)
    const { json } = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } }))
    t.deepEqual(Object.keys(json).sort(), ['accepts', 'amount', 'currency', 'res_id'])
    t.is((await app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: 'nope' } })).status, 404)
  },
)

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Of some minutes ago, so that an odd payment may be taken for it. */
const offerBefore = async (s: Shop) => {
  shiftMs = -2 * MINUTE_MS
  const offer = await offerOf(app, s.key, s.resId)
  shiftMs = 0
  return offer
}

const settlementsOf = async (s: Shop): Promise<Record<string, unknown>[]> =>
  (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json.settlements

const asideOf = (hash: string, reason: string) =>
  eventually(`the ${reason} payment`, async () =>
    (await saidOf(app, 'TransferSetAside', hash)).find((aside) => aside.reason === reason),
  )
