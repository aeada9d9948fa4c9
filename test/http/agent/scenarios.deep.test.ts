import test from 'ava'
import type { Answer } from '../../../src/demo/client.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { tokenCall } from '../../support/anvil.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { inLine, payInFull, saidOf, shop, transactionOf, USDC, verify } from '../../support/sale.ts'
import { SIMULATE, testSale } from '../../support/sandbox.ts'
import { offerOf } from '../../support/seller.ts'

/** The same outcomes on a real chain and on the simulated one. Every test runs alone: they share the clock. */

let app: TestApp
/** How far the service's clock is ahead of the chain's. */
let shiftMs = 0
const LATE_MS = 62 * 60_000

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
  await app.anvil.mine(10)
})
test.afterEach(() => {
  shiftMs = 0
})
test.after.always(() => app?.stop())

/** A challenge of a seller's, and how its buyer pays so many percent of what it asks. */
type Sale = {
  readonly key: string
  readonly challengeId: string
  pay(percent: bigint): Promise<{ hash: string | undefined; answer: Answer }>
}

const onAnvil = async (): Promise<Sale> => {
  const { key, resId } = await shop(app)
  // Of some minutes ago, so that an odd payment may be taken for it.
  if (shiftMs === 0) shiftMs = -120_000
  const offer = await offerOf(app, key, resId)
  if (shiftMs === -120_000) shiftMs = 0
  const pay = async (percent: bigint) => {
    const hash = await payInFull(app, offer, (BigInt(offer.amountAtomic) * percent) / 100n)
    return { hash, answer: await verify(app, offer.challengeId, hash) }
  }
  return { key, challengeId: offer.challengeId, pay }
}

const simulated = async (): Promise<Sale> => {
  const { key, challengeId } = await testSale(app)
  const pay = async (percent: bigint) => {
    const amount = String((5 * Number(percent)) / 100)
    const answer = await app.call('POST', SIMULATE, { body: { challengeId, amount } })
    return { hash: answer.json.hash, answer }
  }
  return { key, challengeId, pay }
}

for (const [chain, open] of Object.entries({ anvil: onAnvil, 'the simulated chain': simulated })) {
  for (const [what, percent] of Object.entries({ 'in full': 100n, 'and a little over': 104n }))
    test.serial(`N-24 J-VER-01 on ${chain} a payment ${what} settles once`, async (t) => {
      const { key, challengeId, pay } = await open()
      const { answer, hash } = await pay(percent)
      t.like(answer, { status: 200, json: { settled: true } })
      t.like(await transactionOf(app, key, challengeId, 'C'), { status: 'C', hash })
      await pay(100n)
      t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 1)
      t.like(await transactionOf(app, key, challengeId, 'C'), { status: 'C', hash })
    })

  test.serial(`J-VER-03 N-25 on ${chain} half of it is underpaid, and the whole settles it afterwards`, async (t) => {
    const { key, challengeId, pay } = await open()
    const { answer, hash } = await pay(50n)
    t.like(answer, { status: 200, json: { status: 'underpaid' } })
    t.like(await transactionOf(app, key, challengeId, 'X'), { status: 'X', hash })
    const { hash: whole } = await pay(100n)
    t.like(await transactionOf(app, key, challengeId, 'C'), { status: 'C', hash: whole })
    t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 1)
    t.is((await saidOf(app, 'ChallengeUnderpaid', challengeId)).length, 1)
  })

  test.serial(`J-VER-05 J-SIM-05 on ${chain} a payment after its hour is 410 and settles nothing`, async (t) => {
    shiftMs = -LATE_MS
    const { challengeId, pay } = await open()
    shiftMs = 0
    t.is((await pay(100n)).answer.status, 410)
    t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 0)
  })
}

test.serial('N-24 a transaction that fails on chain pays nothing, and the payment after it settles', async (t) => {
  const { key, resId, address } = await shop(app)
  const offer = await offerOf(app, key, resId)
  await inLine(() => app.anvil.deployToken(USDC, 10n ** 18n))
  // The test token takes no more than the payer has, and its `transfer` is not payable.
  const data = tokenCall('transfer', [address, 10n ** 30n])
  const failed = await inLine(() =>
    app.anvil.transact({ to: USDC, data, value: BigInt(offer.amountAtomic), gas: 200_000n }),
  )
  await app.anvil.mine(offer.requiredConfirmations)
  t.is((await verify(app, offer.challengeId, failed)).status, 400)
  const hash = await payInFull(app, offer)
  t.deepEqual((await verify(app, offer.challengeId, hash)).json, { settled: true })
})

test.serial(
  'N-24 coin that a contract sends on settles nothing by itself: it is no transfer that a chain lists',
  async (t) => {
    const { key, resId, address } = await shop(app)
    const offer = await offerOf(app, key, resId)
    await inLine(() => app.anvil.deployToken(USDC, 10n ** 18n))
    const data = tokenCall('forward', [address])
    const before = await app.anvil.balanceOf(address)
    const hash = await inLine(() => app.anvil.transact({ to: USDC, data, value: BigInt(offer.amountAtomic) }))
    t.is(await app.anvil.balanceOf(address), before + BigInt(offer.amountAtomic))
    await app.anvil.mine(offer.requiredConfirmations)
    t.is((await verify(app, offer.challengeId, hash)).status, 400)
    // The watch writes down only what it finds: once it has settled a later payment it has read these blocks.
    const other = await shop(app)
    const later = await payInFull(app, await offerOf(app, other.key, other.resId))
    await eventually('the watch', async () => (await saidOf(app, 'ChallengeSettled', later)).length === 1)
    t.is((await saidOf(app, 'ChallengeSettled', resId)).length, 0)
  },
)
