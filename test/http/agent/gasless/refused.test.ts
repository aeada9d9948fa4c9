import test from 'ava'
import type { Hex } from 'viem'
import { addressClaimId } from '../../../../domain/account/address-claim.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { byLog } from '../../../support/by-log.ts'
import { type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { freshAddress, saidOf } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'
import {
  decoded,
  encoded,
  payWith,
  requirementOf,
  sellSigned,
  signedShop,
  signFor,
  v1Payload,
  v2Payload,
} from '../../../support/signed-sale.ts'
import { ownerOf } from '../../../support/stores.ts'

/** Signed payments that a door does not take, and what it says to them. */

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

test('N-42 who only knows the nonce of a payment, which the chain shows to all, is not answered as its payer', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const { signed } = await sellSigned(app, payer, s.checkout)
  const stranger = await chain.payer(5_000_000n)
  const forged = await signFor(app, stranger, s.checkout, { nonce: signed.nonce as Hex })
  const asPayer = { ...forged, from: signed.from }
  const another = await signFor(app, payer, s.checkout, { nonce: signed.nonce as Hex, value: 2_000_000n })
  for (const bad of [asPayer, another, { ...signed, signature: forged.signature }]) {
    const { status, json } = await payWith(app, s.path, bad)
    t.deepEqual([status, json.error], [402, 'invalid_transaction_state'])
  }
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
})

test('N-42 one payment does not buy two things of one seller', async (t) => {
  const s = await signedShop(app)
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 1 } }))
  const { signed } = await sellSigned(app, await chain.payer(5_000_000n), s.path)
  const { status, json: again } = await payWith(app, `/r/${json.res_id}`, signed)
  t.deepEqual([status, again.error], [402, 'duplicate_settlement'])
  t.is((await app.call('GET', `/r/${json.res_id}`)).status, 402)
})

test('Q-55 N-42 a signature is not taken for what was asked at an address that is another account’s by now', async (t) => {
  const [s, other] = [await signedShop(app), await signedShop(app)]
  const signed = await signFor(app, await chain.payer(5_000_000n), s.path)
  const { accountId } = await ownerOf(app, other)
  const move = { accountId, coins: [], reason: 'it was never theirs' }
  await byLog(app, ({ addressClaim }) =>
    addressClaim.move(addressClaimId({ network: 'base', address: s.address }), move),
  )
  const body = { asset: 'usdc_base', address: freshAddress() }
  await eventually('the pause', async () => {
    const { json } = await ok(app.call('GET', '/v1/wallets?all=1', { key: s.key }))
    return json.paused.includes('usdc_base')
  })
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body }))
  await ok(app.call('PUT', '/v1/wallets?asset=usdc_base', { key: s.key, body: { active: true } }))
  const { status, json } = await payWith(app, s.path, signed)
  t.deepEqual([status, json.error], [402, 'invalid_exact_evm_payload_recipient_mismatch'])
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
})

test('J-DOOR-05 N-42 a header that cannot be read, or two of them, is a malformed request', async (t) => {
  const s = await signedShop(app)
  const signed = await signFor(app, await chain.payer(5_000_000n), s.path)
  const good = encoded(v1Payload(signed))
  const bad = [
    '',
    ' ',
    '{',
    'bm90IGpzb24=',
    encoded([]),
    encoded({ x402Version: 1 }),
    `${good}, ${good}`,
    good.slice(5),
  ]
  for (const header of bad.filter((each) => each.trim() !== '')) {
    const { status, json } = await app.call('GET', s.path, { headers: { 'x-payment': header } })
    t.deepEqual([status, json.error_code], [400, 'svc_invalid_request'], header)
  }
  const both = { 'x-payment': good, 'payment-signature': encoded(v2Payload(signed)) }
  t.is((await app.call('GET', s.path, { headers: both })).status, 400)
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 0)
})

test('J-DOOR-05 N-42 what is not a payment of this resource is refused with a fresh 402 and the reason, and nothing is kept', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const poor = await chain.payer(0n)
  const asked = await requirementOf(app, s.path)
  const stranger = `0x${'11'.repeat(20)}`
  const reasons: [string, Parameters<typeof signFor>[3], string][] = [
    ['too little', { value: BigInt(asked.maxAmountRequired) / 2n }, 'invalid_exact_evm_payload_authorization_value'],
    ['another payee', { to: stranger }, 'invalid_exact_evm_payload_recipient_mismatch'],
    ['expired', { validFor: -10 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    ['about to expire', { validFor: 3 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    ['for years', { validFor: 4_000 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    ['not yet', { validAfter: BigInt(2 ** 40) }, 'invalid_exact_evm_payload_authorization_valid_after'],
  ]
  for (const [what, instead, reason] of reasons) {
    const { status, json, headers } = await payWith(app, s.path, await signFor(app, payer, s.path, instead))
    t.deepEqual([status, json.error], [402, reason], what)
    t.is(json.paymentRequirements.length, 1, what)
    t.is(decoded(headers.get('payment-required')).error, reason, what)
    t.like(decoded(headers.get('x-payment-response')), { success: false, errorReason: reason, transaction: '' }, what)
  }
  const broke = await payWith(app, s.path, await signFor(app, poor, s.path))
  t.deepEqual([broke.status, broke.json.error], [402, 'insufficient_funds'])
  const signed = await signFor(app, payer, s.path)
  const forged = await payWith(app, s.path, { ...signed, from: poor.address })
  t.deepEqual([forged.status, forged.json.error], [402, 'insufficient_funds'])
  await chain.mint(poor.address, 5_000_000n)
  const rich = await payWith(app, s.path, { ...signed, from: poor.address })
  t.deepEqual([rich.status, rich.json.error], [402, 'invalid_exact_evm_payload_signature'])
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 0)
  t.is((await payWith(app, s.path, signed)).status, 200)
})

test('N-42 each version is refused in its own words', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const signed = await signFor(app, payer, s.path)
  const send = async (payload: object) => {
    const { status, json } = await app.call('GET', s.path, { headers: { 'payment-signature': encoded(payload) } })
    return [status, json.error]
  }
  const cases: [object, string][] = [
    [v2Payload(signed, { network: 'eip155:8453' }), 'invalid_exact_evm_network_mismatch'],
    [v2Payload(signed, { asset: `0x${'22'.repeat(20)}` }), 'invalid_exact_evm_eip3009_not_supported'],
    [v2Payload(signed, { payTo: `0x${'22'.repeat(20)}` }), 'invalid_exact_evm_recipient_mismatch'],
    [v2Payload(signed, { amount: '1' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
    [v2Payload(signed, { extra: { name: 'USD Coin', version: '2' } }), 'invalid_exact_evm_token_name_mismatch'],
    [v2Payload(signed, { scheme: 'upto' }), 'invalid_exact_evm_scheme'],
    [{ ...v1Payload(signed), network: 'base' }, 'invalid_network'],
    [{ ...v1Payload(signed), network: 'solana' }, 'invalid_network'],
    [{ ...v1Payload(signed), x402Version: 3 }, 'invalid_x402_version'],
    [{ ...v1Payload(signed), payload: { transaction: 'AAAA' } }, 'invalid_payload'],
  ]
  for (const [payload, reason] of cases) t.deepEqual(await send(payload), [402, reason], reason)
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 0)
})

test('J-GAS-01 a test resource is not paid by a signature', async (t) => {
  const s = await signedShop(app)
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 1, test: true } }))
  const signed = await signFor(app, await chain.payer(5_000_000n), s.path)
  const { status, json: refused } = await payWith(app, `/r/${json.res_id}`, signed)
  t.deepEqual([status, refused.error, refused.test], [402, 'invalid_payment_requirements', true])
  t.is((await saidOf(app, 'AuthorizationAccepted', json.res_id)).length, 0)
})
