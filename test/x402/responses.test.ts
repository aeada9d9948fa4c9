import test from 'ava'
import type { SignedPayment } from '../../adapters/x402/header.ts'
import { differenceFrom, isSignedByPayer } from '../../adapters/x402/judge.ts'
import { paymentRefusals, wordFor } from '../../adapters/x402/reasons.ts'
import type { Requirements } from '../../adapters/x402/requirements.ts'
import { settleBody, settlementHeader, supportedBody, verifyBody } from '../../adapters/x402/responses.ts'
import { BASE_SEPOLIA_USDC, SELLER, signedBy } from './payments.ts'

const PAYER = '0x857b06519E91e3A54538791bDbb0E22373e36b66'
const HASH = `0x${'ab'.repeat(32)}`
const V1 = { version: 1, network: 'base-sepolia' } as const
const V2 = { version: 2, network: 'eip155:84532' } as const
const NOW = 1_800_000_000
const SAID: Requirements = {
  version: 1,
  scheme: 'exact',
  network: 'base-sepolia',
  caip2: 'eip155:84532',
  asset: BASE_SEPOLIA_USDC.verifyingContract,
  payTo: SELLER,
  amount: '50000',
}

test('W-GAS-01 the answer to a payment carries its settlement in a header, in the version that it came in', (t) => {
  const done = { success: true, transaction: HASH, payer: PAYER } as const
  const decoded = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, text]) => [name, JSON.parse(Buffer.from(text, 'base64').toString())])
  t.deepEqual(decoded(settlementHeader(V1, done)), [['X-PAYMENT-RESPONSE', { ...done, network: 'base-sepolia' }]])
  t.deepEqual(decoded(settlementHeader(V2, done)), [['PAYMENT-RESPONSE', { ...done, network: 'eip155:84532' }]])
})

test('N-42 a failed settlement says why, and has an empty transaction when none was sent', (t) => {
  const failed = { success: false, reason: 'funds', payer: PAYER } as const
  const told = { success: false, transaction: '', payer: PAYER }
  t.deepEqual(settleBody(V1, failed), { ...told, errorReason: 'insufficient_funds', network: V1.network })
  const errorReason = 'invalid_exact_evm_insufficient_balance'
  t.deepEqual(settleBody(V2, failed), { ...told, errorReason, network: V2.network })
  t.is(settleBody(V2, { success: false, reason: 'reverted', transaction: HASH }).transaction, HASH)
})

test('J-GAS-05 a verification says who paid, or why not', (t) => {
  t.deepEqual(verifyBody(1, { payer: PAYER }), { isValid: true, payer: PAYER })
  const refused = { isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' }
  t.deepEqual(verifyBody(1, { refusal: 'signature' }), refused)
  t.is(verifyBody(2, { refusal: 'signature' }).invalidReason, 'invalid_exact_evm_signature')
})

test('N-42 every refusal has a word in both versions', (t) => {
  for (const refusal of paymentRefusals)
    for (const version of [1, 2] as const) t.regex(wordFor(version, refusal), /^[a-z0-9_]+$/, refusal)
  t.is(wordFor(1, 'max-per-caller'), 'max_per_caller')
})

test('N-42 what can be settled is told for both versions, where version 1 can name the chain', (t) => {
  const { kinds, signers } = supportedBody(['eip155:84532', 'eip155:42161'], { extensions: [], signers: [PAYER] })
  const kind = (x402Version: number, network: string) => ({ x402Version, scheme: 'exact', network })
  const expected = [kind(1, 'base-sepolia'), kind(2, 'eip155:84532'), kind(2, 'eip155:42161')]
  t.deepEqual(kinds as object[], expected)
  t.deepEqual(signers, { 'eip155:*': [PAYER] })
})

test('J-GAS-05 a payment is held against what it is said to be for: network, token, recipient, amount', async (t) => {
  const judged = async (over: object, rest: Partial<SignedPayment> = {}, said: Partial<Requirements> = {}) =>
    differenceFrom({ ...SAID, ...said }, await payment(over, rest))
  t.is(await judged({}), undefined)
  t.is(await judged({}, {}, { scheme: 'upto' }), 'scheme')
  t.is(await judged({}, { caip2: 'eip155:8453' }), 'network')
  t.is(await judged({}, { caip2: undefined }, { caip2: undefined }), 'network')
  t.is(await judged({}, {}, { asset: PAYER }), 'token')
  t.is(await judged({}, {}, { token: { name: 'USD Coin', version: '2' } }), 'token-name')
  t.is(await judged({}, {}, { token: { name: 'USDC', version: '1' } }), 'token-version')
  t.is(await judged({ to: PAYER }), 'recipient')
  t.is(await judged({ value: '49999' }), 'value')
  t.is(await judged({ value: '50001' }), undefined)
  t.is(await judged({ value: '50001' }, { version: 2 }), 'value')
  t.is(await judged({}, { version: 2 }), undefined)
})

test('J-GAS-05 only the payer’s own signature over the very terms counts', async (t) => {
  const good = await payment({})
  t.true(isSignedByPayer(good, BASE_SEPOLIA_USDC))
  t.false(isSignedByPayer({ ...good, authorization: { ...good.authorization, value: '1' } }, BASE_SEPOLIA_USDC))
  t.false(isSignedByPayer({ ...good, authorization: { ...good.authorization, from: PAYER } }, BASE_SEPOLIA_USDC))
  t.false(isSignedByPayer(good, { ...BASE_SEPOLIA_USDC, chainId: 8453 }))
})

const payment = async (over: object, rest: Partial<SignedPayment> = {}): Promise<SignedPayment> => {
  const signed = await signedBy({ validAfter: '0', validBefore: String(NOW + 300), ...over })
  return { version: 1, scheme: 'exact', network: 'base-sepolia', caip2: 'eip155:84532', ...signed, ...rest }
}
