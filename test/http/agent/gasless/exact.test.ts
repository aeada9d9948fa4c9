import test from 'ava'
import type { Hex } from 'viem'
import type { Authorization } from '../../../../domain/gasless/authorization-terms.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { startCountingProxy } from '../../../support/counting-proxy.ts'
import { authorize, type GaslessChain, startGaslessChain, TEST_USDC } from '../../../support/gasless.ts'
import { assertReplayEqual, freshAddress, logOf, saidOf } from '../../../support/sale.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import {
  payWith,
  type Requirement,
  requirementOf,
  sellSigned,
  signedShop,
  signFor,
  v1Payload,
  v2Payload,
} from '../../../support/signed-sale.ts'
import { strictly } from '../../strict.ts'

/** Checking and settling signed payments for others, who say what these are for. */

let app: TestApp
let chain: GaslessChain
let node: Awaited<ReturnType<typeof startCountingProxy>>
let nodeUrl: string
test.before(async () => {
  chain = await startGaslessChain()
  nodeUrl = chain.url
  node = await startCountingProxy(() => nodeUrl)
  app = await startApp({ env: { ...chain.env, CHAIN_BASE_RPC: node.url } })
})
test.after.always(async () => {
  await app?.stop()
  node?.stop()
  await chain?.stop()
})

const v1 = (signed: Authorization, paymentRequirements: object) => ({
  ...{ x402Version: 1, paymentPayload: v1Payload(signed), paymentRequirements },
})

/** As version 2 posts it, for what a door asks. */
const v2 = (signed: Authorization, { resource }: Requirement, over: object = {}) => {
  const paymentPayload = v2Payload(signed, over, resource)
  return { x402Version: 2, paymentPayload, paymentRequirements: paymentPayload.accepted }
}

const asked = async (balance = 5_000_000n) => {
  const s = await signedShop(app)
  const payer = await chain.payer(balance)
  return { s, payer, signed: await signFor(app, payer, s.path), requirement: await requirementOf(app, s.path) }
}

test.serial(
  'J-GAS-05 a good payment is valid and names its payer, a tampered one is not; nothing is written and no chain is asked',
  async (t) => {
    const { payer, signed, requirement } = await asked()
    const before = (await logOf(app)).length
    const call = strictly(t, app)
    node.methods()
    for (const body of [v1(signed, requirement), v2(signed, requirement)]) {
      const { status, json } = await call('POST', '/v1/exact-verify', { body })
      t.deepEqual([status, json], [200, { isValid: true, payer: payer.address }])
    }
    const more = { ...signed, value: String(BigInt(signed.value) + 1n) }
    const tampered = await call('POST', '/v1/exact-verify', { body: v1(more, requirement) })
    t.deepEqual(tampered.json, {
      ...{ isValid: false, invalidReason: 'invalid_exact_evm_payload_signature', payer: payer.address },
    })
    t.is((await logOf(app)).length, before)
    t.deepEqual(
      node.methods().filter((method) => /eth_(call|getCode|sendRawTransaction)/.test(method)),
      [],
    )
  },
)

test('J-GAS-05 exact-verify holds a payment against the books, whatever is posted with it', async (t) => {
  const { payer, signed, requirement } = await asked()
  const cheap = await authorize(payer, { to: requirement.payTo, value: 10n })
  const stranger = freshAddress()
  const stolen = await authorize(payer, { to: stranger, value: BigInt(signed.value) })
  const otherShop = await signedShop(app, { amount: 2 })
  const base = app.served().origin
  const cases: [string, object, string][] = [
    [
      'a price of the poster',
      v1(cheap, { ...requirement, maxAmountRequired: '10' }),
      'invalid_exact_evm_payload_authorization_value',
    ],
    [
      'a payee of the poster',
      v1(stolen, { ...requirement, payTo: stranger }),
      'invalid_exact_evm_payload_recipient_mismatch',
    ],
    ['another payee than signed', v1(stolen, requirement), 'invalid_exact_evm_payload_recipient_mismatch'],
    [
      'another seller',
      v1(signed, { ...requirement, resource: `${base}${otherShop.path}` }),
      'invalid_exact_evm_payload_recipient_mismatch',
    ],
    ['another token', v1(signed, { ...requirement, asset: stranger }), 'invalid_payment_requirements'],
    ['another network', v1(signed, { ...requirement, network: 'base' }), 'invalid_network'],
    [
      'another name',
      v1(signed, { ...requirement, extra: { name: 'USD Coin', version: '2' } }),
      'invalid_payment_requirements',
    ],
    [
      'nothing of ours',
      v1(signed, { ...requirement, resource: 'https://shop.test/paid' }),
      'invalid_payment_requirements',
    ],
    ['no door of ours', v1(signed, { ...requirement, resource: `${base}/v1/me` }), 'invalid_payment_requirements'],
    [
      'a door to nothing',
      v1(signed, { ...requirement, resource: `${base}/r/res_${'a'.repeat(26)}` }),
      'invalid_payment_requirements',
    ],
    ['no requirements', v1(signed, {}), 'invalid_payment_requirements'],
    ['no payment', { ...v1(signed, requirement), paymentPayload: {} }, 'invalid_payload'],
    ['two versions', { ...v1(signed, requirement), x402Version: 2 }, 'invalid_x402_version'],
    [
      'more than asked in version 2',
      v2(await authorize(payer, { to: requirement.payTo, value: 2_000_000n }), requirement, { amount: signed.value }),
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
  ]
  const call = strictly(t, app)
  for (const [what, body, reason] of cases) {
    const { status, json } = await call('POST', '/v1/exact-verify', { body })
    t.deepEqual([status, json.isValid, json.invalidReason], [200, false, reason], what)
    const settle = await call('POST', '/v1/exact-settle', { body })
    t.deepEqual([settle.status, settle.json.success, settle.json.errorReason], [200, false, reason], what)
    t.is(settle.json.transaction, '', what)
  }
  t.is((await saidOf(app, 'AuthorizationAccepted', payer.address)).length, 0)
})

test('J-GAS-05 Q-23 exact-verify tells a payer that it has reached the cap', async (t) => {
  const s = await signedShop(app, { max_per_caller: { amount: 1, window_hours: 1 } })
  const payer = await chain.payer(5_000_000n)
  await sellSigned(app, payer, s.checkout)
  const requirement = await requirementOf(app, s.checkout)
  const signed = await signFor(app, payer, s.checkout)
  const { json } = await app.call('POST', '/v1/exact-verify', { body: v1(signed, requirement) })
  t.deepEqual(json, { isValid: false, invalidReason: 'max_per_caller', payer: payer.address })
  const settle = await app.call('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
  t.like(settle.json, { success: false, errorReason: 'max_per_caller' })
})

test('J-GAS-06 exact-settle settles once and answers the mined transaction, however often and at how many doors it is sent', async (t) => {
  const { s, payer, signed, requirement } = await asked()
  const call = strictly(t, app)
  const { status, json } = await call('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
  const { transaction } = json
  t.deepEqual([status, json], [200, { success: true, transaction, network: 'base-sepolia', payer: payer.address }])
  t.is((await chain.client.getTransactionReceipt({ hash: transaction as Hex })).status, 'success')
  const again = await Promise.all(
    [1, 2, 3].map(() => call('POST', '/v1/exact-settle', { body: v1(signed, requirement) })),
  )
  for (const each of again) t.deepEqual(each.json, json)
  t.is((await payWith(app, s.path, signed)).status, 200)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is(await chain.balance(s.address), BigInt(signed.value))
})

test('J-GAS-06 version 2 settles in its own words, for what the checkout sells too', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const requirement = await requirementOf(app, s.checkout)
  const signed = await signFor(app, payer, s.checkout)
  const { json } = await strictly(t, app)('POST', '/v1/exact-settle', { body: v2(signed, requirement) })
  t.like(json, { success: true, network: 'eip155:84532', payer: payer.address })
})

test('J-GAS-07 hard failures have the same shape: an unknown URL, a payment that is none, a payer without money', async (t) => {
  const { signed, requirement } = await asked(0n)
  const call = strictly(t, app)
  const poor = await call('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
  t.deepEqual(poor.json, {
    ...{ success: false, errorReason: 'insufficient_funds', transaction: '' },
    ...{ network: 'base-sepolia', payer: signed.from },
  })
  const unknown = { ...requirement, resource: 'https://elsewhere.test/x' }
  const nowhere = await call('POST', '/v1/exact-settle', { body: v1(signed, unknown) })
  t.like(nowhere.json, { success: false, errorReason: 'invalid_payment_requirements', transaction: '' })
  const broken = { x402Version: 1, paymentPayload: { network: 7 }, paymentRequirements: {} }
  const none = await call('POST', '/v1/exact-settle', { body: broken })
  t.deepEqual(none.json, { success: false, errorReason: 'invalid_payload', transaction: '', network: '' })
  for (const body of [{}, { ...broken, x402Version: '1' }, { ...broken, paymentPayload: 'x' }])
    t.is((await call('POST', '/v1/exact-settle', { body })).status, 400, 'what is no call at all')
})

test.serial(
  'J-GAS-07 J-DOOR-06 an outcome that nobody knows yet is settlement_pending, and the same call again is the success',
  async (t) => {
    const { signed, requirement, payer } = await asked()
    await chain.client.setAutomine(false)
    const first = await strictly(t, app)('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
    await chain.client.setAutomine(true)
    await chain.mine(1)
    t.like(first.json, { success: false, errorReason: 'settlement_pending', payer: payer.address })
    t.regex(first.json.transaction, /^0x[0-9a-f]{64}$/)
    const second = await app.call('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
    t.like(second.json, { success: true, transaction: first.json.transaction })
  },
)

test.serial(
  'J-GAS-07 while the relayer cannot reach its chain a settlement fails in the same shape, and the door says 503',
  async (t) => {
    const { s, signed, requirement } = await asked()
    nodeUrl = 'http://127.0.0.1:9'
    t.teardown(() => {
      nodeUrl = chain.url
    })
    const down = await strictly(t, app)('POST', '/v1/exact-settle', { body: v1(signed, requirement) })
    t.deepEqual([down.status, down.json.errorReason], [200, 'unexpected_settle_error'])
    t.deepEqual([down.json.success, down.json.transaction], [false, ''])
    t.is((await payWith(app, s.path, signed)).status, 503)
    nodeUrl = chain.url
    t.is((await payWith(app, s.path, signed)).status, 200, 'nothing was lost')
  },
)

test('N-42 what a seller sells elsewhere is settled with its key, to its own active wallet, and buys once', async (t) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address } }))
  const payer = await chain.payer(50_000_000n)
  const call = strictly(t, app)
  const terms = (payTo: string, value: bigint): Requirement => ({
    ...{ scheme: 'exact', network: 'base-sepolia', maxAmountRequired: String(value), payTo, asset: TEST_USDC },
    ...{ resource: 'https://shop.test/paid', extra: { name: 'USDC', version: '2' } },
  })
  const own = terms(address, 3_000_000n)
  const signed = await authorize(payer, { to: address, value: 3_000_000n })
  const body = v1(signed, own)
  t.deepEqual((await call('POST', '/v1/x402/verify', { key, body })).json, { isValid: true, payer: payer.address })
  for (const options of [{ body }, { body, key: (await activeSeller(app)).key }]) {
    const { json } = await call('POST', '/v1/x402/settle', options)
    t.is(json.success, false, 'without the key of that wallet’s seller')
  }
  const stranger = freshAddress()
  const away = await authorize(payer, { to: stranger, value: 3_000_000n })
  const refused = await call('POST', '/v1/x402/settle', { key, body: v1(away, terms(stranger, 3_000_000n)) })
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
  t.is((await call('POST', '/v1/x402/settle', { key, body: v1(paused, own) })).json.success, false)
})

test('N-42 the facilitator’s own verify also asks the chain', async (t) => {
  const { signed, requirement } = await asked(0n)
  const { json } = await strictly(t, app)('POST', '/v1/x402/verify', { body: v1(signed, requirement) })
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

test.serial.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
