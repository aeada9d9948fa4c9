import test from 'ava'
import type { Hex } from 'viem'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { startCountingProxy } from '../../../support/counting-proxy.ts'
import { deepAfter, deepTest } from '../../../support/deep-test.ts'
import { authorize, type GaslessChain, type Payer, startGaslessChain } from '../../../support/gasless.ts'
import { assertReplayEqual, freshAddress, saidOf } from '../../../support/sale.ts'
import {
  facilitated,
  payWith,
  type Requirement,
  requirementOf,
  sellSigned,
  signedShop,
  signFor,
  v2Payload,
} from '../../../support/signed-sale.ts'
import { causedBy, strictly } from '../../strict.ts'

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
    const call = strictly(t, app)
    node.asked()
    const ids: string[] = []
    for (const body of [facilitated(signed, requirement), v2(signed, requirement)]) {
      const { status, json, requestId } = await call('POST', '/v1/exact-verify', { body })
      t.deepEqual([status, json], [200, { isValid: true, payer: payer.address }])
      ids.push(requestId)
    }
    const more = { ...signed, value: String(BigInt(signed.value) + 1n) }
    const tampered = await call('POST', '/v1/exact-verify', { body: facilitated(more, requirement) })
    t.deepEqual(tampered.json, {
      isValid: false,
      invalidReason: 'invalid_exact_evm_payload_signature',
      payer: payer.address,
    })
    for (const id of [...ids, tampered.requestId]) t.deepEqual(await causedBy(app, id), [])
    t.deepEqual(naming(payer), [], 'the service itself may ask the chain for something else meanwhile')
    await call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
    t.true(naming(payer).length > 0, 'what is asked of a payer names him')
  },
)

/** What the chain was asked since the last look about a payer. */
const naming = ({ address }: Pick<Payer, 'address'>): readonly string[] =>
  node.asked().filter((call) => call.toLowerCase().includes(address.slice(2).toLowerCase()))

test('J-GAS-05 exact-verify holds a payment against the books, whatever is posted with it', async (t) => {
  const { payer, signed, requirement } = await asked()
  const call = strictly(t, app)
  for (const [what, body, reason] of await lies(payer, signed, requirement)) {
    const { status, json } = await call('POST', '/v1/exact-verify', { body })
    t.deepEqual([status, json.isValid, json.invalidReason], [200, false, reason], what)
    const settle = await call('POST', '/v1/exact-settle', { body })
    t.deepEqual([settle.status, settle.json.success, settle.json.errorReason], [200, false, reason], what)
    t.is(settle.json.transaction, '', what)
  }
  t.is((await saidOf(app, 'AuthorizationAccepted', payer.address)).length, 0)
})

deepTest('J-GAS-05 Q-23 exact-verify tells a payer that it has reached the cap', async (t) => {
  const s = await signedShop(app, { max_per_caller: { amount: 1, window_hours: 1 } })
  const payer = await chain.payer(5_000_000n)
  await sellSigned(app, payer, s.checkout)
  const requirement = await requirementOf(app, s.checkout)
  const signed = await signFor(app, payer, s.checkout)
  const { json } = await app.call('POST', '/v1/exact-verify', { body: facilitated(signed, requirement) })
  t.deepEqual(json, { isValid: false, invalidReason: 'max_per_caller', payer: payer.address })
  const settle = await app.call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
  t.like(settle.json, { success: false, errorReason: 'max_per_caller' })
})

test('J-GAS-06 exact-settle settles once and answers the mined transaction, however often and at how many doors it is sent', async (t) => {
  const { s, payer, signed, requirement } = await asked()
  const call = strictly(t, app)
  const { status, json } = await call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
  const { transaction } = json
  t.deepEqual([status, json], [200, { success: true, transaction, network: 'base-sepolia', payer: payer.address }])
  t.is((await chain.client.getTransactionReceipt({ hash: transaction as Hex })).status, 'success')
  const again = await Promise.all(
    [1, 2, 3].map(() => call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })),
  )
  for (const each of again) t.deepEqual(each.json, json)
  t.is((await payWith(app, s.path, signed)).status, 200)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is(await chain.balance(s.address), BigInt(signed.value))
})

deepTest('J-GAS-06 version 2 settles in its own words, for what the checkout sells too', async (t) => {
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
  const poor = await call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
  t.deepEqual(poor.json, {
    success: false,
    errorReason: 'insufficient_funds',
    transaction: '',
    network: 'base-sepolia',
    payer: signed.from,
  })
  const unknown = { ...requirement, resource: 'https://elsewhere.test/x' }
  const nowhere = await call('POST', '/v1/exact-settle', { body: facilitated(signed, unknown) })
  t.like(nowhere.json, { success: false, errorReason: 'invalid_payment_requirements', transaction: '' })
  const broken = { x402Version: 1, paymentPayload: { network: 7 }, paymentRequirements: {} }
  const none = await call('POST', '/v1/exact-settle', { body: broken })
  t.deepEqual(none.json, { success: false, errorReason: 'invalid_payload', transaction: '', network: '' })
  for (const body of [{}, { ...broken, x402Version: '1' }, { ...broken, paymentPayload: 'x' }])
    t.is((await call('POST', '/v1/exact-settle', { body })).status, 400, 'what is no call at all')
})

deepTest.serial(
  'J-GAS-07 J-DOOR-06 an outcome that nobody knows yet is settlement_pending, and the same call again is the success',
  async (t) => {
    const { signed, requirement, payer } = await asked()
    await chain.client.setAutomine(false)
    const first = await strictly(t, app)('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
    await chain.client.setAutomine(true)
    await chain.mine(1)
    t.like(first.json, { success: false, errorReason: 'settlement_pending', payer: payer.address })
    t.regex(first.json.transaction, /^0x[0-9a-f]{64}$/)
    const second = await app.call('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
    t.like(second.json, { success: true, transaction: first.json.transaction })
  },
)

test.serial(
  'X-CLOSED-01 J-GAS-07 while the relayer cannot reach its chain a settlement fails in the same shape, and the door says 503',
  async (t) => {
    const { s, signed, requirement } = await asked()
    nodeUrl = 'http://127.0.0.1:9'
    t.teardown(() => {
      nodeUrl = chain.url
    })
    const down = await strictly(t, app)('POST', '/v1/exact-settle', { body: facilitated(signed, requirement) })
    t.deepEqual([down.status, down.json.errorReason], [200, 'unexpected_settle_error'])
    t.deepEqual([down.json.success, down.json.transaction], [false, ''])
    t.is((await payWith(app, s.path, signed)).status, 503)
    nodeUrl = chain.url
    t.is((await payWith(app, s.path, signed)).status, 200, 'nothing was lost')
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Calls that say what is not so, with the reason that each is refused for. */
const lies = async (payer: Payer, signed: Authorization, requirement: Requirement) => {
  const stranger = freshAddress()
  const base = app.served().origin
  const other = await signedShop(app, { amount: 2 })
  const cheap = await authorize(payer, { to: requirement.payTo, value: 10n })
  const stolen = await authorize(payer, { to: stranger, value: BigInt(signed.value) })
  const dear = await authorize(payer, { to: requirement.payTo, value: 2_000_000n })
  const posted = (over: object) => facilitated(signed, { ...requirement, ...over })
  const [payee, value] = ['recipient_mismatch', 'authorization_value'].map(
    (word) => `invalid_exact_evm_payload_${word}`,
  )
  const terms = 'invalid_payment_requirements'
  const all: [string, object, string | undefined][] = [
    ['the poster’s price', facilitated(cheap, { ...requirement, maxAmountRequired: '10' }), value],
    ['the poster’s payee', facilitated(stolen, { ...requirement, payTo: stranger }), payee],
    ['another payee than signed', facilitated(stolen, requirement), payee],
    ['another seller', posted({ resource: `${base}${other.path}` }), payee],
    ['another token', posted({ asset: stranger }), terms],
    ['another network', posted({ network: 'base' }), 'invalid_network'],
    ['another name', posted({ extra: { name: 'USD Coin', version: '2' } }), terms],
    ['nothing of ours', posted({ resource: 'https://shop.test/paid' }), terms],
    ['no door of ours', posted({ resource: `${base}/v1/me` }), terms],
    ['a door to nothing', posted({ resource: `${base}/r/res_${'a'.repeat(26)}` }), terms],
    ['no requirements', facilitated(signed, {}), terms],
    ['no payment', { ...posted({}), paymentPayload: {} }, 'invalid_payload'],
    ['two versions', { ...posted({}), x402Version: 2 }, 'invalid_x402_version'],
    ['more than asked in version 2', v2(dear, requirement, { amount: signed.value }), `${value}_mismatch`],
  ]
  return all
}
