import { randomBytes } from 'node:crypto'
import test from 'ava'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  me,
  payInFull,
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

let app: TestApp
/** How far the service's clock is ahead of the chain's; moved only by tests that run alone. */
let shiftMs = 0
const HOUR_MS = 3_600_000

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
})
test.after.always(() => app?.stop())

test.serial(
  'J-VER-02 M-REC-03 T-TXN-01 a payment short of confirmations is pending with its counters, and a P transaction',
  async (t) => {
    const s = await shop(app)
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await send(app, offer)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, {
      status: 'pending',
      confirmations: 1,
      required: 6,
    })
    t.like(await transactionOf(app, s.key, offer.challengeId, 'P'), { status: 'P', hash, confirmed_time: '' })
    await app.anvil.mine(4)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, {
      status: 'pending',
      confirmations: 5,
      required: 6,
    })
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
    t.is(postsFor(app, s.resId).length, 0)
    t.is((await me(app, s.key)).credit_balance, 5)
    await app.anvil.mine(1)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
    const record = await transactionOf(app, s.key, offer.challengeId)
    t.like(record, { status: 'C', hash })
    t.is((await transactionsOf(app, s.key)).length, 1)
    t.is((await webhookLog(app, s.key, record.id as string)).length, 1)
  },
)

deepTest.serial(
  'N-24 a payment that a reorganisation takes back is not known any more and settles nothing',
  async (t) => {
    const s = await shop(app)
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await send(app, offer)
    await app.anvil.mine(2)
    t.like((await ok(verify(app, offer.challengeId, hash))).json, { status: 'pending', confirmations: 3 })
    await app.anvil.reorg(3)
    await app.anvil.mine(8)
    t.like((await ok(verify(app, offer.challengeId, hash))).json, { status: 'pending', confirmations: 0 })
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
    const again = await payInFull(app, offer)
    t.deepEqual((await ok(verify(app, offer.challengeId, again))).json, { settled: true })
    t.like(await transactionOf(app, s.key, offer.challengeId, 'C'), { status: 'C', hash: again })
    t.is((await transactionsOf(app, s.key)).length, 1)
  },
)

deepTest.serial('J-VER-05 an expired challenge that was not paid answers 410', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  await atShift(61 * 60_000, async () => {
    const { status, json } = await verify(app, offer.challengeId, unknownHash())
    t.is(status, 410)
    t.like(json, { success: false, error_code: 'svc_gone' })
  })
  t.is((await transactionsOf(app, s.key)).length, 0)
})

deepTest.serial('J-VER-05 N-24 a payment mined in time settles also when it is found after the expiry', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await inLine(() => app.anvil.send(offer.payTo, BigInt(offer.amountAtomic)))
  await app.anvil.mine(6)
  await atShift(61 * 60_000, async () => {
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
  })
})

test.serial('J-VER-05 N-24 a payment mined after the expiry is refused with 410 and settles nothing', async (t) => {
  const s = await shop(app)
  const offer = await atShift(-2 * HOUR_MS, () => offerOf(app, s.key, s.resId))
  const hash = await payInFull(app, offer)
  t.is((await verify(app, offer.challengeId, hash)).status, 410)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
  t.is((await saidOf(app, 'TransferClaimed', offer.challengeId)).length, 0)
  t.is((await me(app, s.key)).settlements_count, 0)
})

test('J-VER-04 E-404-02 an unknown challenge answers 404, however its id is written', async (t) => {
  const s = await shop(app)
  const { challengeId } = await offerOf(app, s.key, s.resId)
  const [setId] = challengeId.split('.')
  const unknown = [
    'x',
    `ch_${'a'.repeat(26)}.eth`,
    `${setId}.usdc`,
    `${setId}.`,
    `${setId}`,
    `${challengeId}.eth`,
    `${challengeId} `,
    challengeId.toUpperCase(),
    '../../etc/passwd',
    '$all',
  ]
  for (const id of unknown) {
    const { status, json } = await verify(app, id, unknownHash())
    t.is(status, 404, id)
    t.like(json, { success: false })
  }
})

test('J-VER-01 a body without challenge or hash, or with one that is no text, is refused', async (t) => {
  const hash = unknownHash()
  const bodies = [
    {},
    { hash },
    { challengeId: 'x' },
    { challengeId: '', hash },
    { challengeId: 'x', hash: '' },
    { challengeId: 1, hash },
    { challengeId: 'x', hash: [hash] },
    { challengeId: null, hash },
  ]
  for (const body of bodies) t.is((await app.call('POST', '/v1/verify', { body })).status, 400, JSON.stringify(body))
})

test('J-VER-02 a hash that no chain knows is pending with no confirmations and records nothing', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  for (const hash of [unknownHash(), `0x${'A'.repeat(64)}`]) {
    const { json } = await ok(verify(app, offer.challengeId, hash))
    t.deepEqual(json, { status: 'pending', confirmations: 0, required: 6 }, hash)
  }
  for (const hash of ['not a hash', s.address, '0x', 'a'.repeat(64)]) {
    const { status, json } = await verify(app, offer.challengeId, hash)
    t.is(status, 400, hash)
    t.regex(json.message, /^hash: /)
  }
  const { status } = await verify(app, offer.challengeId, 'a'.repeat(100_000))
  t.is(status, 400)
  t.is((await transactionsOf(app, s.key)).length, 0)
})

test('J-VER-01 T-CHL-01 J-CHL-03 W-DEL-01 Q-09 a confirmed payment settles once, and again answers the same', async (t) => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const record = await transactionOf(app, s.key, offer.challengeId)
  t.is((await webhookLog(app, s.key, record.id as string)).length, 1)
  for (const posted of [hash, hash.toUpperCase().replace('0X', '0x'), ` ${hash} `])
    t.deepEqual((await ok(verify(app, offer.challengeId, posted))).json, { settled: true })
  const other = await payInFull(app, offer)
  for (const posted of [other, unknownHash()])
    t.like(await verify(app, offer.challengeId, posted), { status: 409, json: { error_code: 'svc_already_paid' } })
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is((await saidOf(app, 'TransferClaimed', offer.challengeId)).length, 1)
  t.is((await saidOf(app, 'TransferClaimed', other)).length, 0)
  t.is(postsFor(app, s.resId).length, 1)
  t.like(await transactionOf(app, s.key, offer.challengeId), { hash, status: 'C' })
  t.is((await me(app, s.key)).credit_balance, 4.8)
})

test('J-VER-03 an amount that is too low is underpaid: nothing settles, nothing is delivered', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const low = await payInFull(app, offer, BigInt(offer.amountAtomic) - 1n)
  const { json } = await ok(verify(app, offer.challengeId, low))
  t.deepEqual(json, {
    status: 'underpaid',
    paid: toDecimal(BigInt(offer.amountAtomic) - 1n, 18),
    asked: offer.amount,
    missing: toDecimal(1n, 18),
  })
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
  t.is(postsFor(app, s.resId).length, 0)
  t.is((await me(app, s.key)).credit_balance, 5)
})

deepTest(
  'N-24 Q-55 an amount of nobody settles nothing by its hash, and what its seller posts with the key does',
  async (t) => {
    const s = await shop(app)
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await payInFull(app, offer, 2n * BigInt(offer.amountAtomic))
    t.like(await verify(app, offer.challengeId, hash), {
      status: 400,
      json: { error_code: 'svc_payment_not_matching' },
    })
    const stranger = await shop(app)
    const body = { challengeId: offer.challengeId, hash }
    t.is((await app.call('POST', '/v1/verify', { key: stranger.key, body })).status, 400)
    t.deepEqual((await ok(app.call('POST', '/v1/verify', { key: s.key, body }))).json, { settled: true })
    t.is((await me(app, s.key)).total_earned, 100)
  },
)

deepTest('Q-55 a transfer mined before the challenge was minted does not pay for it', async (t) => {
  const s = await shop(app)
  const early = await inLine(() => app.anvil.send(s.address, 10n ** 18n))
  await app.anvil.mine(6)
  const offer = await offerOf(app, s.key, s.resId)
  t.like(await verify(app, offer.challengeId, early), { status: 400, json: { error_code: 'svc_payment_not_matching' } })
  t.is((await saidOf(app, 'TransferClaimed', offer.challengeId)).length, 0)
})

deepTest('J-VER-01 a transfer to another address does not pay', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const elsewhere = await payInFull(app, { ...offer, payTo: freshAddress() })
  t.like(await verify(app, offer.challengeId, elsewhere), {
    status: 400,
    json: { error_code: 'svc_payment_not_matching' },
  })
})

deepTest(
  'J-VER-01 the watch is not needed: a verify by the seller with the key and one by the buyer without answer alike',
  async (t) => {
    const s = await shop(app)
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await payInFull(app, offer)
    const body = { challengeId: offer.challengeId, hash }
    const [bySeller, byBuyer] = await Promise.all([
      app.call('POST', '/v1/verify', { key: s.key, body }),
      app.call('POST', '/v1/verify', { body }),
    ])
    t.deepEqual([bySeller.json, byBuyer.json], [{ settled: true }, { settled: true }])
    await eventually('one delivery', async () => postsFor(app, s.resId).length === 1)
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const unknownHash = () => `0x${randomBytes(32).toString('hex')}`

const atShift = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
  shiftMs = ms
  try {
    return await act()
  } finally {
    shiftMs = 0
  }
}
