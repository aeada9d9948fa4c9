import test from 'ava'
import type { Hex } from 'viem'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { BROWSER } from '../../../support/buyer.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { assertReplayEqual, me, postsFor, saidOf, transactionsOf, webhookLog } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'
import {
  decoded,
  encoded,
  payWith,
  sellSigned,
  signedShop,
  signFor,
  v1Payload,
  v2Payload,
} from '../../../support/signed-sale.ts'

/** Paying at a door with a signed authorization, carried out on a real chain by the real relayer. */

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

test('J-DOOR-05 W-GAS-01 X-PAYMENT is verified and settled: 200, the header tells the transaction, the seller has the money', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const signed = await signFor(app, payer, s.path)
  const { status, headers, json } = await payWith(app, s.path, signed)
  t.deepEqual([status, json], [200, { res_id: s.resId, settled: true, amount: 1, currency: 'USD' }])
  t.is(headers.get('cache-control'), 'no-store')
  const told = decoded(headers.get('x-payment-response'))
  const { transaction } = told
  t.deepEqual(told, { success: true, transaction, network: 'base-sepolia', payer: payer.address })
  const receipt = await chain.client.getTransactionReceipt({ hash: transaction as Hex })
  t.is(receipt.status, 'success')
  t.is(receipt.from as string, chain.relayer.address.toLowerCase())
  t.is(await chain.balance(s.address), BigInt(signed.value))
  t.is(await chain.balance(payer.address), 5_000_000n - BigInt(signed.value))
})

test('J-DOOR-10 an x402 client sends X-PAYMENT to the checkout URL, and each time it sells', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  for (let n = 1; n <= 2; n++) {
    const signed = await signFor(app, payer, s.checkout)
    const { status, headers, json } = await payWith(app, s.checkout, signed)
    t.deepEqual([status, json.res_id, json.settled], [200, s.resId, true])
    t.true(decoded(headers.get('x-payment-response')).success)
  }
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 2)
})

test('J-DOOR-05 version 2 pays the very challenge that it was offered, and is answered in PAYMENT-RESPONSE', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const asked = await app.call('GET', s.path)
  const [accepted] = decoded(asked.headers.get('payment-required')).accepts
  const signed = await signFor(app, payer, s.path)
  const header = encoded(v2Payload(signed, accepted))
  const { status, headers } = await app.call('GET', s.path, { headers: { 'payment-signature': header } })
  t.is(status, 200)
  t.like(decoded(headers.get('payment-response')), { success: true, network: 'eip155:84532', payer: payer.address })
  t.false(headers.has('x-payment-response'))
  const [settled] = await saidOf(app, 'ChallengeSettled', s.resId)
  t.is(settled?.challengeId, accepted.challengeId)
})

test('J-DOOR-05 Q-55 version 1 pays the price whose amount it signed, and takes nobody’s challenge by guessing it', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const { json } = await app.call('GET', s.path)
  const signed = await signFor(app, payer, s.path)
  const other = await app.call('GET', s.path, { headers: { 'user-agent': 'another' } })
  t.not(other.json.accepts[0].challengeId, json.accepts[0].challengeId)
  t.is((await payWith(app, s.path, signed)).status, 200)
  const [settled] = await saidOf(app, 'ChallengeSettled', s.resId)
  t.is(settled?.asked, json.accepts[0].amountAtomic)
  t.not(settled?.challengeId, json.accepts[0].challengeId)
  // Who was asked for that amount can still pay it.
  t.is((await saidOf(app, 'ChallengeReserved', json.accepts[0].challengeId)).length, 0)
})

// Alone, because payments that come at once share a transaction and its gas.
test.serial(
  'J-GAS-02 I-FEE-04 L-JSN-07 Q-12 the gas of the receipt plus 21 % is billed once, beside the platform fee',
  async (t) => {
    const s = await signedShop(app, { amount: 2 })
    const { hash } = await sellSigned(app, await chain.payer(5_000_000n), s.path)
    const receipt = await chain.client.getTransactionReceipt({ hash: hash as Hex })
    const wei = receipt.gasUsed * receipt.effectiveGasPrice
    // Ether costs 2,500 dollars in the fixed rates; the relayer rounds what it paid up to a millionth, the bill is
    // rounded down.
    const gasUsd = (wei * 2_500n * 1_000_000n + 10n ** 18n - 1n) / 10n ** 18n
    t.true(gasUsd > 0n)
    const bill = (gasUsd * 121n) / 100n
    const [spent, ...moreSpent] = await saidOf(app, 'AuthorizationGasSpent', s.resId)
    t.deepEqual([spent?.gasUsd, moreSpent], [String(gasUsd), []])
    const debits = await eventually('two debits', async () => {
      const all = await saidOf(app, 'CreditDebited', spent?.challengeId ?? '')
      return all.length === 2 && all
    })
    const of = (reason: string) => debits.find((each) => each.reason === reason)?.amount
    t.deepEqual([of('gasless-fee'), of('platform-fee')], [String(bill), '4000'])
    const left = 5_000_000n - bill - 4_000n
    t.is((await me(app, s.key)).credit_balance, Number(left) / 1_000_000)
    const { json } = await ok(app.call('GET', '/v1/settlements', { key: s.key }))
    t.like(json.settlements[0], { status: 'settled', hash, fee: 0.004, gas_fee: Number(bill) / 1_000_000 })
  },
)

deepTest('J-DOOR-05 a signed payment is a payment like any other: a transaction, a webhook, earnings', async (t) => {
  const s = await signedShop(app, { amount: 3 })
  const payer = await chain.payer(5_000_000n)
  const { hash } = await sellSigned(app, payer, s.path)
  const [transaction, ...more] = await eventually('a completed transaction', async () => {
    const all = await transactionsOf(app, s.key)
    return all[0]?.status === 'C' && all
  })
  t.deepEqual(more, [])
  t.like(transaction, { status: 'C', hash, cryptocurrency: 'usdc_base', amount_fiat: '3', type: 'resource' })
  const [delivery] = await webhookLog(app, s.key, transaction?.id ?? '')
  t.is(delivery?.state, 'accepted')
  t.is(postsFor(app, s.resId).length, 1)
  t.like(await me(app, s.key), { total_earned: 3, settlements_count: 1 })
  const { json } = await ok(app.call('GET', '/v1/settlements', { key: s.key }))
  t.like(json.settlements[0], { payer: payer.address, hash, asset: 'usdc_base' })
})

test('X-IDEM-04 N-42 a payment that is sent again gets the same answer for ever, and pays once', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const { signed, hash } = await sellSigned(app, payer, s.path)
  for (const path of [s.path, s.checkout, s.path]) {
    const { status, headers } = await payWith(app, path, signed)
    t.is(status, 200)
    t.is(decoded(headers.get('x-payment-response')).transaction, hash)
  }
  await ok(app.call('POST', '/v1/exact-relay', { key: s.key, body: { enabled: 0 } }))
  t.is((await payWith(app, s.path, signed)).status, 200, 'also when the seller takes no more of them')
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is(await chain.balance(s.address), BigInt(signed.value))
})

test('X-IDEM-04 20 posts of one payment at once are one payment and 20 equal answers', async (t) => {
  const s = await signedShop(app)
  const signed = await signFor(app, await chain.payer(1_100_000n), s.path)
  const answers = await Promise.all(Array.from({ length: 20 }, () => payWith(app, s.path, signed)))
  t.deepEqual(
    answers.map(({ status, text, headers }) => [status, text, headers.get('x-payment-response')]),
    answers.map(() => [200, answers[0]?.text, answers[0]?.headers.get('x-payment-response')]),
  )
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 1)
  t.is(await chain.balance(s.address), BigInt(signed.value))
  await eventually('one fee and one bill for gas', async () => {
    const { credit_balance } = await me(app, s.key)
    const { json } = await ok(app.call('GET', '/v1/settlements', { key: s.key }))
    const [{ fee, gas_fee }] = json.settlements
    return Math.abs(5 - fee - gas_fee - credit_balance) < 1e-9
  })
  // Nothing of what the calls have reserved one after the other is kept back.
  const reserved = await saidOf(app, 'PayerFundsReserved', signed.nonce)
  const released = await saidOf(app, 'PayerFundsReleased', signed.nonce)
  t.is(reserved.length, released.length)
})

deepTest(
  'J-DOOR-05 who was offered the price before it was settled may still pay, and a settled resource is bought again',
  async (t) => {
    const s = await signedShop(app)
    const payer = await chain.payer(5_000_000n)
    const mine = await signFor(app, payer, s.path)
    await sellSigned(app, payer, s.checkout)
    t.is((await app.call('GET', s.path)).status, 200)
    t.is((await payWith(app, s.path, mine)).status, 200)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 2)
  },
)

deepTest('Q-47 a browser that sends a payment in either header gets no page', async (t) => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  const first = await signFor(app, payer, s.path)
  const v1 = await app.call('GET', s.path, {
    headers: { accept: BROWSER, 'x-payment': encoded(v1Payload(first)) },
  })
  t.deepEqual([v1.status, v1.json.settled], [200, true])
  const second = await signFor(app, payer, s.checkout)
  const v2 = await app.call('GET', s.checkout, {
    headers: { accept: BROWSER, 'payment-signature': encoded(v2Payload(second)) },
  })
  t.deepEqual([v2.status, v2.json.settled], [200, true])
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
