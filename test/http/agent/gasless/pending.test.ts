import test from 'ava'
import type { Hex } from 'viem'
import { callWithParts } from '../../../../adapters/x402/eip3009.ts'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import type { Answer } from '../../../../src/demo/client.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepAfter, deepTest } from '../../../support/deep-test.ts'
import {
  authorize,
  cancellation,
  type GaslessChain,
  type Payer,
  startGaslessChain,
  TEST_USDC,
  usdcCall,
} from '../../../support/gasless.ts'
import { assertReplayEqual, freshAddress, me, saidOf } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'
import { decoded, payWith, requirementOf, type SignedShop, signedShop, signFor } from '../../../support/signed-sale.ts'

/**
 * What happens between the signature and the block: payments that wait, that somebody else carries out, or that come to
 * nothing.
 */

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

test.serial(
  'J-DOOR-06 while the transaction is not mined the answer is 202, and the same payment again is 200 once it is',
  async (t) => {
    const { s, signed } = await asked()
    const first = await held(() => payWith(app, s.path, signed))
    const { transaction } = first.json
    t.deepEqual([first.status, first.json], [202, { status: 'pending', transaction, retry_after: 5 }])
    t.is(first.headers.get('retry-after'), '5')
    t.false(first.headers.has('x-payment-response'))
    t.regex(transaction, /^0x[0-9a-f]{64}$/)
    const second = await payWith(app, s.path, signed)
    t.is(second.status, 200)
    t.is(decoded(second.headers.get('x-payment-response')).transaction, transaction)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  },
)

test.serial('J-DOOR-06 a payment that waits is carried out after the service was started again', async (t) => {
  const { s, signed } = await asked()
  await chain.client.setAutomine(false)
  const first = await payWith(app, s.path, signed)
  t.is(first.status, 202)
  await app.restart(() => chain.client.setAutomine(true))
  await chain.mine(1)
  const answer = await untilDone(s, signed)
  t.is(answer.status, 200)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
  t.is(await chain.balance(s.address), BigInt(signed.value))
})

deepTest.serial(
  'J-DOOR-06 a seller who waits for more blocks is paid when they have come, and the buyer hears 202 until then',
  async (t) => {
    const { s, signed } = await asked()
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { confirmations: { default: 4 } } }))
    const first = await payWith(app, s.path, signed)
    t.is(first.status, 202)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
    await chain.mine(4)
    t.is((await untilDone(s, signed)).status, 200)
  },
)

test.serial(
  'J-GAS-02 N-42 who is overtaken by a stranger with the same authorization has paid all the same, and no gas is billed',
  async (t) => {
    const { s, signed } = await asked()
    await chain.client.setAutomine(false)
    const answering = payWith(app, s.path, signed)
    await sent(signed)
    const data = callWithParts(signed, signed.signature) as Hex
    const hash = await chain.client.sendTransaction({
      to: TEST_USDC,
      data,
      gas: 200_000n,
      chain: null,
      maxPriorityFeePerGas: 50n * 10n ** 9n,
      maxFeePerGas: 100n * 10n ** 9n,
    })
    await chain.mine(1)
    await chain.client.setAutomine(true)
    await chain.mine(1)
    const { status, headers } = await answering.then((answer) =>
      answer.status === 200 ? answer : untilDone(s, signed),
    )
    t.is(status, 200)
    t.is(decoded(headers.get('x-payment-response')).transaction, hash)
    t.is((await saidOf(app, 'AuthorizationGasSpent', s.resId)).length, 0)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
    t.is((await me(app, s.key)).credit_balance, 4.998)
  },
)

deepTest.serial(
  'J-GAS-07 N-42 a payment that its payer cancels before it is mined has failed, and another one may be made',
  async (t) => {
    const { s, payer, signed } = await asked()
    const { status, json, headers } = await overtaken(s, payer, signed, await cancellation(payer, signed.nonce))
    t.deepEqual([status, json.error], [402, 'invalid_transaction_state'])
    t.like(decoded(headers.get('x-payment-response')), { success: false, payer: payer.address })
    t.is((await saidOf(app, 'AuthorizationFailed', s.resId)).length, 1)
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
    t.is((await me(app, s.key)).credit_balance, 5)
    t.is((await payWith(app, s.path, await signFor(app, payer, s.path))).status, 200)
    t.is((await payWith(app, s.path, signed)).status, 402, 'the one that failed stays so')
  },
)

deepTest.serial(
  'J-GAS-07 N-42 a payment whose payer spends the money before it is mined has failed for want of it',
  async (t) => {
    const { s, payer, signed } = await asked()
    const all = usdcCall('transfer', [freshAddress(), await chain.balance(payer.address)])
    const { status, json } = await overtaken(s, payer, signed, all)
    t.deepEqual([status, json.error], [402, 'insufficient_funds'])
    t.is((await saidOf(app, 'AuthorizationFailed', s.resId))[0]?.reason, 'funds')
  },
)

deepTest.serial('N-42 of two payments of a payer who can cover one, one is taken', async (t) => {
  const s = await signedShop(app)
  const { payTo, maxAmountRequired } = await requirementOf(app, s.path)
  const value = BigInt(maxAmountRequired)
  const payer = await chain.payer(value + value / 2n)
  const both = await Promise.all([1, 2].map(() => authorize(payer, { to: payTo, value })))
  const answers = await Promise.all(both.map((each) => payWith(app, s.path, each)))
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 402])
  t.is(answers.find(({ status }) => status === 402)?.json.error, 'insufficient_funds')
  t.is((await saidOf(app, 'AuthorizationFailed', s.resId)).length, 0)
})

test.serial(
  'N-42 a signature with a high s, or with v of 0 or 1, which the token itself refuses, is carried out',
  async (t) => {
    const s = await signedShop(app)
    const payer = await chain.payer(10_000_000n)
    for (const odd of [highS, lowV, (signature: string) => highS(lowV(signature))]) {
      const signed = await signFor(app, payer, s.checkout)
      const { status } = await payWith(app, s.path, { ...signed, signature: odd(signed.signature) })
      t.is(status, 200)
      t.is((await payWith(app, s.path, signed)).status, 200, 'and its plain form is the same payment')
    }
    t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 3)
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const asked = async () => {
  const s = await signedShop(app)
  const payer = await chain.payer(5_000_000n)
  return { s, payer, signed: await signFor(app, payer, s.path) }
}

/** Nothing is mined while it acts. */
const held = async <T>(act: () => Promise<T>): Promise<T> => {
  await chain.client.setAutomine(false)
  try {
    return await act()
  } finally {
    await chain.client.setAutomine(true)
    await chain.mine(1)
  }
}

/** Resolves once the relayer has sent it. */
const sent = ({ nonce }: Authorization) =>
  eventually('a relayed transaction', async () => (await saidOf(app, 'RelayTransactionSent', nonce)).length > 0)

/** The payer's own transaction, with higher fees, is mined before the relayer's. */
const overtaken = async (s: SignedShop, payer: Payer, signed: Authorization, data: Hex): Promise<Answer> => {
  await chain.client.setBalance({ address: payer.address, value: 10n ** 18n })
  await chain.client.setAutomine(false)
  const answering = payWith(app, s.path, signed)
  await sent(signed)
  const fees = { maxPriorityFeePerGas: 50n * 10n ** 9n, maxFeePerGas: 100n * 10n ** 9n }
  await chain.client.sendTransaction({ account: payer, chain: null, to: TEST_USDC, data, gas: 200_000n, ...fees })
  await chain.mine(1)
  await chain.client.setAutomine(true)
  await chain.mine(1)
  const answer = await answering
  return answer.status === 202 ? untilDone(s, signed) : answer
}

const untilDone = (s: SignedShop, signed: Authorization) =>
  eventually(
    'an outcome',
    async () => {
      const answer = await payWith(app, s.path, signed)
      return answer.status !== 202 && answer
    },
    30_000,
  )

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const highS = (signature: string): string => {
  const s = N - BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number.parseInt(signature.slice(130), 16)
  const flipped = v > 1 ? 55 - v : 1 - v
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${flipped.toString(16).padStart(2, '0')}`
}
const lowV = (signature: string): string =>
  `${signature.slice(0, 130)}${(Number.parseInt(signature.slice(130), 16) - 27).toString(16).padStart(2, '0')}`
