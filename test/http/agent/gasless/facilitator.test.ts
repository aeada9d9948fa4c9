import test from 'ava'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepAfter } from '../../../support/deep-test.ts'
import { authorize, type GaslessChain, startGaslessChain, TEST_USDC } from '../../../support/gasless.ts'
import { assertReplayEqual, freshAddress } from '../../../support/sale.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import { facilitated, type Requirement, requirementOf, signedShop, signFor } from '../../../support/signed-sale.ts'
import { strictly } from '../../strict.ts'

/** The facilitator that sellers' own libraries ask, for what they sell on servers of their own. */

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

test('N-42 what a seller sells elsewhere is settled with its key, to its own active wallet, and buys once', async (t) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address } }))
  const payer = await chain.payer(50_000_000n)
  const call = strictly(t, app)
  const terms = (payTo: string, value: bigint): Requirement => ({
    scheme: 'exact',
    network: 'base-sepolia',
    maxAmountRequired: String(value),
    payTo,
    asset: TEST_USDC,
    resource: 'https://shop.test/paid',
    extra: { name: 'USDC', version: '2', maxGasFeeUsd: '0.1' },
  })
  const own = terms(address, 3_000_000n)
  const signed = await authorize(payer, { to: address, value: 3_000_000n })
  const body = facilitated(signed, own)
  t.deepEqual((await call('POST', '/v1/x402/verify', { key, body })).json, { isValid: true, payer: payer.address })
  for (const options of [{ body }, { body, key: (await activeSeller(app)).key }]) {
    const { json } = await call('POST', '/v1/x402/settle', options)
    t.is(json.success, false, 'without the key of that wallet’s seller')
  }
  const stranger = freshAddress()
  const away = await authorize(payer, { to: stranger, value: 3_000_000n })
  const refused = await call('POST', '/v1/x402/settle', { key, body: facilitated(away, terms(stranger, 3_000_000n)) })
  t.is(refused.json.errorReason, 'invalid_exact_evm_payload_recipient_mismatch')
  t.is((await call('POST', '/v1/exact-settle', { body })).json.errorReason, 'invalid_payment_requirements')

  const settled = await Promise.all([1, 2, 3].map(() => call('POST', '/v1/x402/settle', { key, body })))
  t.is(settled.filter(({ json }) => json.success).length, 1, 'one payment is told once')
  const [first] = settled.filter(({ json }) => json.success)
  t.is(await chain.balance(address), 3_000_000n)
  const after = await call('POST', '/v1/x402/verify', { key, body })
  t.like(after.json, { isValid: false, invalidReason: 'duplicate_settlement' })
  const { json } = await ok(app.call('GET', '/v1/transactions', { key }))
  const [record, ...more] = json.transactions
  t.deepEqual(more, [])
  t.like(record, { type: 'x402', hash: first?.json.transaction, amount: '3', amount_fiat: '3', currency: 'USD' })
  t.regex(record.external_reference, /^x402\.ch_[a-z2-7]{26}\.usdc_base$/)
  const log = await ok(app.call('GET', '/v1/settlements', { key }))
  t.like(log.json.settlements[0], { status: 'settled', res_id: null, amount: 3, fee: 0.006 })
  t.true(log.json.settlements[0].gas_fee > 0)
  await ok(app.call('PUT', '/v1/wallets?asset=usdc_base', { key, body: { active: false } }))
  const paused = await authorize(payer, { to: address, value: 3_000_000n })
  t.is((await call('POST', '/v1/x402/settle', { key, body: facilitated(paused, own) })).json.success, false)
})

test('N-42 the facilitator’s own verify also asks the chain', async (t) => {
  const s = await signedShop(app)
  const signed = await signFor(app, await chain.payer(0n), s.path)
  const requirement = await requirementOf(app, s.path)
  const { json } = await strictly(t, app)('POST', '/v1/x402/verify', { body: facilitated(signed, requirement) })
  t.like(json, { isValid: false, invalidReason: 'insufficient_funds' })
  const supported = await strictly(t, app)('GET', '/v1/x402/supported')
  t.deepEqual(supported.json, {
    kinds: [
      { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
      { x402Version: 2, scheme: 'exact', network: 'eip155:84532' },
    ],
    extensions: [],
    signers: { 'eip155:*': [chain.relayer.address] },
  })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
