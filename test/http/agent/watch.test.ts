import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  me,
  payInFull,
  postFor,
  postsFor,
  type Shop,
  saidOf,
  send,
  shop,
  transactionOf,
  USDC,
} from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'

/** What the chain watch settles with no call by anybody. Every test runs alone: they share one chain and its depth. */

/** Three looks of the watch. */
const LOOKS_MS = 3_500

let app: TestApp
test.before(async () => {
  app = await startApp()
  await app.anvil.mine(10)
})
test.after.always(() => app?.stop())

test.serial('T-CHL-01 M-REC-03 W-DEL-01 a payment settles without any call', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await payInFull(app, offer)
  await settledByWatch(t, s, offer, hash)
})

deepTest.serial('T-CHL-01 I-SET-01 a payment short of its confirmations is left alone until it has them', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await send(app, offer)
  await app.anvil.mine(4)
  await pause(LOOKS_MS)
  t.is((await saidOf(app, 'PaymentDetected', hash)).length, 1)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
  await app.anvil.mine(1)
  await settledByWatch(t, s, offer, hash)
})

deepTest.serial('N-24 a payment that a reorganisation takes back before it counts is never settled', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  await send(app, offer)
  await app.anvil.mine(3)
  await pause(1_200)
  await app.anvil.reorg(4)
  await app.anvil.mine(10)
  await pause(LOOKS_MS)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
  await settledByWatch(t, s, offer, await payInFull(app, offer))
})

deepTest.serial('T-CHL-01 two transfers in one block settle two challenges, each by its own', async (t) => {
  const s = await shop(app)
  const offers = [await offerOf(app, s.key, s.resId), await offerOf(app, s.key, s.resId)]
  await app.anvil.client.setAutomine(false)
  const hashes: string[] = []
  const nonce = await app.anvil.client.getTransactionCount({ address: app.anvil.payer as `0x${string}` })
  for (const [n, { payTo, amountAtomic }] of offers.entries())
    hashes.push(await app.anvil.submit({ to: payTo, value: BigInt(amountAtomic), nonce: nonce + n } as never))
  await app.anvil.mine(6)
  await app.anvil.client.setAutomine(true)
  const settled = await eventually('both', async () => {
    const found = await saidOf(app, 'ChallengeSettled', s.resId)
    return found.length === 2 && found
  })
  t.is(new Set(settled.map(({ transfer }) => transfer.height)).size, 1)
  for (const [n, { challengeId }] of offers.entries())
    t.is(settled.find((e) => e.challengeId === challengeId)?.transfer.tx, hashes[n])
})

test.serial('T-CHL-01 a token payment settles without any call', async (t) => {
  await inLine(() => app.anvil.deployToken(USDC, 10n ** 12n))
  const s = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const body = { amount: 12.5, accepted_assets: ['usdc'] }
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body }))).json
  const [offer] = (await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id } }))).json
    .accepts as Offer[]
  await inLine(() => app.anvil.sendToken(USDC, s.address, BigInt(offer?.amountAtomic ?? 0)))
  await app.anvil.mine(6)
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', res_id)).length === 1)
  await eventually('the fee', async () => (await me(app, s.key)).credit_balance === 4.975)
  t.is((await me(app, s.key)).total_earned, 12.5)
})

test.serial('Q-55 N-21 an amount that no challenge asks for settles nothing by itself', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const asked = BigInt(offer.amountAtomic)
  for (const wei of [asked - 1n, asked + 1n, 2n * asked, asked - 10n ** 10n])
    await inLine(() => app.anvil.send(s.address, wei))
  await inLine(() => app.anvil.send(freshAddress(), asked))
  await app.anvil.mine(6)
  await eventually('the watch', async () => (await saidOf(app, 'TransfersSeen', s.address)).length > 0)
  await pause(1_000)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
  t.is((await saidOf(app, 'TransferClaimed', offer.challengeId)).length, 0)
  await settledByWatch(t, s, offer, await payInFull(app, offer))
})

deepTest.serial('I-SET-01 a second transfer to a settled challenge changes nothing', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await payInFull(app, offer)
  await settledByWatch(t, s, offer, hash)
  const second = await payInFull(app, offer)
  await eventually('the watch', async () => (await saidOf(app, 'TransfersSeen', second)).length > 0)
  await pause(1_000)
  t.is((await saidOf(app, 'TransferClaimed', second)).length, 0)
  await settledByWatch(t, s, offer, hash)
})

deepTest.serial('T-CHL-01 many blocks at once hide no payment among them', async (t) => {
  const s = await shop(app)
  const offers = [await offerOf(app, s.key, s.resId), await offerOf(app, s.key, s.resId)]
  for (const offer of offers) {
    await send(app, offer)
    await app.anvil.mine(700)
  }
  await eventually('both', async () => (await saidOf(app, 'ChallengeSettled', s.resId)).length === 2)
  await eventually('both fees', async () => (await me(app, s.key)).credit_balance === 4.6)
  t.is((await me(app, s.key)).settlements_count, 2)
})

deepTest.serial(
  'T-CHL-01 I-SET-01 a payment that was mined and confirmed while the service was down settles after the start',
  async (t) => {
    const s = await shop(app)
    const [paid, early] = [await offerOf(app, s.key, s.resId), await offerOf(app, s.key, s.resId)]
    await send(app, early)
    await app.restart(async () => {
      await send(app, paid)
      await app.anvil.mine(130)
    })
    await eventually('both', async () => (await saidOf(app, 'ChallengeSettled', s.resId)).length === 2)
    await eventually('two deliveries', async () => postsFor(app, s.resId).length === 2)
    await app.restart()
    await pause(LOOKS_MS)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 2)
    t.is(postsFor(app, s.resId).length, 2)
    t.is((await me(app, s.key)).credit_balance, 4.6)
  },
)

deepTest(
  'T-CHL-01 a young chain that was never paid on is read from where the service left it, however many blocks later',
  async (t) => {
    const young = await startApp()
    t.teardown(() => young.stop())
    await young.anvil.mine(20)
    const s = await shop(young)
    const offer = await offerOf(young, s.key, s.resId)
    await pause(1_500)
    await young.restart(async () => {
      await young.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
      await young.anvil.mine(300)
    })
    await eventually('the settlement', async () => (await saidOf(young, 'ChallengeSettled', s.resId)).length === 1)
    await eventually('the fee', async () => (await me(young, s.key)).credit_balance === 4.8)
    t.is((await me(young, s.key)).settlements_count, 1)
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const settledByWatch = async (t: ExecutionContext, s: Shop, offer: Offer, hash: string) => {
  await postFor(app, offer.challengeId)
  const settled = await saidOf(app, 'ChallengeSettled', offer.challengeId)
  t.deepEqual(
    settled.map(({ transfer }) => transfer.tx),
    [hash],
  )
  t.like(await transactionOf(app, s.key, offer.challengeId, 'C'), { status: 'C', hash })
  t.like((await ok(app.call('GET', `/r/${s.resId}`))).json, { settled: true })
  t.like(await me(app, s.key), { credit_balance: 4.8, settlements_count: 1 })
  t.is(postsFor(app, offer.challengeId).length, 1)
}
