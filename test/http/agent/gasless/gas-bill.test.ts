import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { slowly, YES } from '../../../support/odd-wallets.ts'
import { freshAddress, me, saidOf } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'
import {
  decoded,
  payWith,
  requirementOf,
  type SignedShop,
  signedShop,
  signFor,
  v1Payload,
} from '../../../support/signed-sale.ts'

/** What a seller is billed for gas at most, whatever a payer does, or the price of gas. */

let app: TestApp
let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

test.serial('Q-12 J-GAS-08 the 402 and the relayer of a resource say what is billed for gas at most', async (t) => {
  const s = await signedShop(app, { amount: 2 })
  const { json } = await app.call('GET', `/relayer/${s.resId}`)
  t.true(json.active && json.max_gas_fee > 0 && json.max_gas_fee < 2)
  t.is(Number((await requirementOf(app, s.path)).extra.maxGasFeeUsd), json.max_gas_fee)
  const { headers } = await app.call('GET', s.path)
  const [second] = decoded(headers.get('payment-required')).accepts
  t.is(Number(second.extra.maxGasFeeUsd), json.max_gas_fee)
  const cheap = await signedShop(app, { amount: 0.6 })
  const [own] = (await app.call('GET', cheap.path)).json.accepts
  t.is(own.extra.maxGasFeeUsd, '0.6', 'never more than the sale brings')
})

test.serial(
  'Q-12 N-42 a wallet whose code takes more gas than may be billed is refused before any is spent',
  async (t) => {
    const s = await signedShop(app, { amount: 2 })
    const signed = await signedBy(slowly(11_500), s)
    const paymentRequirements = await requirementOf(app, s.path)
    const body = { x402Version: 1, paymentPayload: v1Payload(signed), paymentRequirements }
    t.like((await app.call('POST', '/v1/x402/verify', { body })).json, {
      isValid: false,
      invalidReason: 'gas_above_offer',
    })
    const { status, json } = await payWith(app, s.path, signed)
    t.deepEqual([status, json.error], [402, 'gas_above_offer'])
    t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 0)
  },
)

test.serial('N-42 a wallet gets half as much gas again as it took when it was tried, and no more', async (t) => {
  const s = await signedShop(app, { amount: 2 })
  const signed = await signedBy(YES, s)
  t.is((await payWith(app, s.path, signed)).status, 200)
  const [accepted] = await saidOf(app, 'AuthorizationAccepted', s.resId)
  const [sent] = await saidOf(app, 'RelayTransactionSent', signed.nonce)
  t.true(Number(accepted?.code?.gas) < 120_000)
  t.is(BigInt(sent?.gas ?? 0), (BigInt(accepted?.code?.gas ?? 0) * 3n) / 2n)
})

// Last, because the price of gas stays high for long.
deepTest.serial(
  'Q-12 J-GAS-02 gas that has become dear is billed as it was offered, and the platform bears the rest',
  async (t) => {
    const s = await signedShop(app, { amount: 2 })
    const offered = Number((await requirementOf(app, s.path)).extra.maxGasFeeUsd)
    const signed = await signFor(app, await chain.payer(5_000_000n), s.path)
    await chain.client.setAutomine(false)
    t.teardown(() => chain.client.setAutomine(true))
    const paying = payWith(app, s.path, signed)
    await eventually('it is sent', async () => (await saidOf(app, 'RelayTransactionSent', signed.nonce)).length > 0)
    const { baseFeePerGas } = await chain.client.getBlock()
    // Dearer than the first transaction bears, so that the relayer has to raise its fees.
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 20n * (baseFeePerGas ?? 1n) })
    await chain.client.mine({ blocks: 1 })
    await eventually(
      'it is sent again',
      async () => (await saidOf(app, 'RelayTransactionSent', signed.nonce)).length > 1,
    )
    await chain.client.mine({ blocks: 1 })
    t.is((await paying).status, 200)
    const [row] = await eventually('the row', async () => {
      const { json } = await ok(app.call('GET', '/v1/settlements', { key: s.key }))
      return json.settlements[0]?.gas && json.settlements
    })
    const { billed, spent, kept } = row.gas
    t.true(spent > offered, `${spent} was spent`)
    t.deepEqual([billed, row.gas_fee], [offered, offered])
    t.is(Math.round(kept * 1e6), Math.round((billed - spent) * 1e6))
    await eventually('the bill', async () => {
      const left = 5 - (await me(app, s.key)).credit_balance
      return Math.round(left * 1e6) === Math.round((row.fee + billed) * 1e6)
    })
  },
)

/** What somebody signs in the name of a contract that holds money. */
const signedBy = async (code: Parameters<GaslessChain['setCode']>[1], s: SignedShop) => {
  const from = freshAddress()
  await chain.setCode(from, code)
  await chain.mint(from, 5_000_000n)
  const { maxAmountRequired } = await requirementOf(app, s.path)
  return authorize(await chain.payer(0n), { to: s.address, value: BigInt(maxAmountRequired), from })
}
