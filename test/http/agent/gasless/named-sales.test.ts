import test from 'ava'
import { PAYMENT_HEADERS } from '../../../../adapters/x402/header.ts'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { BROWSER } from '../../../support/buyer.ts'
import { deepAfter, deepTest } from '../../../support/deep-test.ts'
import { type GaslessChain, type Payer, startGaslessChain } from '../../../support/gasless.ts'
import { assertReplayEqual, payInFull, saidOf, verify } from '../../../support/sale.ts'
import { freshAddress, type Offer, ok } from '../../../support/seller.ts'
import { decoded, encoded, sellSigned, signedShop, signFor, v2Payload } from '../../../support/signed-sale.ts'

/** The door that always sells: what it says of sales before, and sales that their buyers gave a name to. */

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

const KEY = 'order-7f3c9a52e1b04d68'
const NAME = 'pay_0123456789abcdef'
const [, V2] = PAYMENT_HEADERS

/** A shop that takes ether and a dollar that is paid by a signature. */
const shop = async () => {
  const s = await signedShop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'eth', address: freshAddress() } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 1 } }))
  const { pathname, search } = new URL(json.checkout_url)
  return { ...s, resId: json.res_id as string, path: `/r/${json.res_id}`, checkout: pathname + search }
}

const named = (signed: Authorization, id = NAME, over: object = {}) => ({
  [V2]: encoded({
    ...v2Payload(signed, over),
    extensions: { 'payment-identifier': { info: { required: false, id } } },
  }),
})

const signed = async (path: string, payer: Payer) => named(await signFor(app, payer, path))

const salesOf = async (resId: string) => (await saidOf(app, 'ChallengeSettled', resId)).length

/** Pays an entry on its chain, and posts the hash. */
const pay = async (entry: Entry | undefined) => {
  const offer = entry as Entry & Offer
  const { json } = await ok(verify(app, offer.challengeId, await payInFull(app, offer)))
  if (!json.settled) throw new Error(`verify answered ${JSON.stringify(json)}`)
}

type Entry = { code: string; veil?: string; scheme: string; network: string; payTo: string; challengeId: string }

test.serial(
  'Q-03 X-IDEM-04 the name of a sale outlives the process: it buys nothing more, and another name does',
  async (t) => {
    const s = await shop()
    const payer = await chain.payer(5_000_000n)
    t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, payer) })).status, 200)
    await app.restart()
    t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, payer) })).status, 200)
    t.is(await salesOf(s.resId), 1)
    const other = named(await signFor(app, payer, s.checkout), 'pay_fedcba9876543210')
    t.is((await app.call('GET', s.checkout, { headers: other })).status, 200)
    t.is(await salesOf(s.resId), 2)
  },
)

test('J-DOOR-02 N-02 an entry whose standard words are a veil says so, and accepts=plain tells the true ones', async (t) => {
  const s = await shop()
  for (const path of [s.path, s.checkout]) {
    const { json } = await app.call('GET', path)
    const by = (accepts: readonly Entry[], code: string) => accepts.find((each) => each.code === code) as Entry
    t.like(by(json.accepts, 'eth'), { veil: 'x402-v1', scheme: 'exact', network: 'skale-base-sepolia' })
    t.false('veil' in by(json.accepts, 'usdc_base'))
    const plain = await app.call('GET', `${path}${path.includes('?') ? '&' : '?'}accepts=plain`)
    t.is(plain.status, 402)
    t.like(by(plain.json.accepts, 'eth'), { scheme: 'onchain', network: 'eth', asset: 'eth' })
    t.like(by(plain.json.accepts, 'usdc_base'), { scheme: 'exact', network: 'base-sepolia' })
    t.true(plain.json.accepts.every((each: Entry) => !('veil' in each)))
    t.is(by(plain.json.accepts, 'eth').challengeId, by(json.accepts, 'eth').challengeId, 'it is the same offer')
    t.deepEqual(decoded(plain.headers.get(REQUIRED)), decoded((await app.call('GET', path)).headers.get(REQUIRED)))
    t.is((await app.call('GET', `${path}${path.includes('?') ? '&' : '?'}accepts=plane`)).status, 400)
  }
})

const REQUIRED = 'payment-required'

deepTest(
  'Q-03 J-DOOR-09 the checkout URL of what was sold says when, and that this buys it again: to machines and to people',
  async (t) => {
    const s = await shop()
    t.false('paid_at' in (await app.call('GET', s.checkout)).json)
    await sellSigned(app, await chain.payer(5_000_000n), s.checkout)
    const { status, json } = await app.call('GET', s.checkout)
    t.is(status, 402)
    t.regex(json.error, /^Payment required: paid already on .+ UTC; this buys it again$/)
    t.true(Date.now() - Date.parse(json.paid_at) < 60_000)
    const page = await app.call('GET', s.checkout, { headers: { accept: BROWSER } })
    t.is(page.status, 200)
    t.regex(page.text, /paid already on .+ UTC; this buys it again/)
  },
)

deepTest('Q-03 X-IDEM-04 under one Idempotency-Key the checkout URL sells once: on the chain', async (t) => {
  const s = await shop()
  const headers = { 'idempotency-key': KEY, 'user-agent': 'buyer/1' }
  const asked = await app.call('GET', s.checkout, { headers })
  t.is(asked.status, 402, asked.text)
  const eth = (asked.json.accepts as Entry[]).find(({ code }) => code === 'eth')
  const again = await app.call('GET', s.checkout, { headers })
  t.is((again.json.accepts as Entry[]).find(({ code }) => code === 'eth')?.challengeId, eth?.challengeId)
  await pay(eth)
  const paid = await app.call('GET', s.checkout, { headers })
  t.deepEqual([paid.status, paid.json], [200, { res_id: s.resId, settled: true, amount: 1, currency: 'USD' }])
  t.is(paid.headers.get('idempotency-replayed'), 'true')
  // It outlives the process, and a signed payment under the same key buys nothing more.
  const payer = await chain.payer(5_000_000n)
  const payment = await signed(s.checkout, payer)
  const told = await app.call('GET', s.checkout, { headers: { ...headers, ...payment } })
  t.deepEqual([told.status, await chain.balance(payer.address), await salesOf(s.resId)], [200, 5_000_000n, 1])
})

test('Q-03 X-IDEM-04 under one Idempotency-Key the checkout URL sells once: by a signature', async (t) => {
  const s = await shop()
  const payer = await chain.payer(5_000_000n)
  const headers = { 'idempotency-key': KEY, 'user-agent': 'buyer/1' }
  const first = await app.call('GET', s.checkout, {
    headers: { ...headers, [V2]: encoded(v2Payload(await signFor(app, payer, s.checkout))) },
  })
  t.is(first.status, 200)
  const second = await app.call('GET', s.checkout, {
    headers: { ...headers, [V2]: encoded(v2Payload(await signFor(app, payer, s.checkout))) },
  })
  t.is(second.status, 200)
  t.is((await app.call('GET', s.checkout, { headers })).status, 200)
  t.true((await chain.balance(payer.address)) > 3_900_000n, 'it is paid once')
  t.is(await salesOf(s.resId), 1)
})

test('Q-03 X-IDEM-04 whoever guesses a key from elsewhere learns nothing and pays for itself; a short key is refused', async (t) => {
  const s = await shop()
  const headers = { 'idempotency-key': KEY, 'user-agent': 'buyer/1' }
  const { json } = await app.call('GET', s.checkout, { headers })
  await pay((json.accepts as Entry[]).find(({ code }) => code === 'eth'))
  t.is((await app.call('GET', s.checkout, { headers })).status, 200)
  const other = await app.call('GET', s.checkout, { headers: { ...headers, 'user-agent': 'thief/1' } })
  t.is(other.status, 402)
  t.is((await app.call('GET', s.checkout, { headers: { ...headers, 'idempotency-key': `${KEY}0` } })).status, 402)
  t.is((await app.call('GET', (await shop()).checkout, { headers })).status, 402, 'another resource')
  const short = await app.call('GET', s.checkout, { headers: { 'idempotency-key': 'order-7' } })
  t.is(short.status, 400)
  t.regex(short.json.message, /idempotency-key: .*16 to 255/)
})

test('Q-03 X-IDEM-04 another payment of one payer under one payment-identifier is told what became of the first, and costs nothing', async (t) => {
  const s = await shop()
  const payer = await chain.payer(1_200_000n)
  const [one, two] = [await signed(s.checkout, payer), await signed(s.checkout, payer)]
  const first = await app.call('GET', s.checkout, { headers: one })
  const second = await app.call('GET', s.checkout, { headers: two })
  t.deepEqual([first.status, second.status], [200, 200])
  const hash = (headers: Headers) => decoded(headers.get('payment-response')).transaction
  t.is(hash(second.headers), hash(first.headers))
  t.like(decoded(second.headers.get('payment-response')), { success: true, payer: payer.address })
  t.true(BigInt(await chain.balance(payer.address)) < 250_000n)
  t.is(await salesOf(s.resId), 1)
  t.is((await saidOf(app, 'AuthorizationAccepted', s.resId)).length, 1)
})

test('Q-03 X-IDEM-04 payments under one payment-identifier that are sent at once are one sale', async (t) => {
  const s = await shop()
  const payer = await chain.payer(9_000_000n)
  const payments = await Promise.all(Array.from({ length: 5 }, () => signed(s.checkout, payer)))
  const answers = await Promise.all(payments.map((headers) => app.call('GET', s.checkout, { headers })))
  t.true(answers.every(({ status }) => status === 200 || status === 202 || status === 429))
  for (const headers of payments) t.is((await app.call('GET', s.checkout, { headers })).status, 200)
  t.deepEqual([await salesOf(s.resId), (await saidOf(app, 'AuthorizationAccepted', s.resId)).length], [1, 1])
})

test('Q-03 X-IDEM-04 a payment-identifier is its payer’s alone: whoever guesses it learns nothing, and pays for itself', async (t) => {
  const s = await shop()
  const [payer, thief] = [await chain.payer(5_000_000n), await chain.payer(5_000_000n)]
  t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, payer) })).status, 200)
  // In the payer's name, but without its signature.
  const forged = { ...(await signFor(app, thief, s.checkout)), from: payer.address }
  const refused = await app.call('GET', s.checkout, { headers: named(forged) })
  t.is(refused.status, 402)
  t.not(decoded(refused.headers.get('payment-response')).transaction, true)
  t.false(decoded(refused.headers.get('payment-response')).success)
  // In its own name it buys for itself, and on another resource the name is another.
  t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, thief) })).status, 200)
  t.is(await salesOf(s.resId), 2)
  const elsewhere = await shop()
  t.is((await app.call('GET', elsewhere.checkout, { headers: await signed(elsewhere.checkout, payer) })).status, 200)
  t.is(await salesOf(elsewhere.resId), 1)
})

deepTest('Q-03 a payment under a name that could not be taken leaves the name to the next one', async (t) => {
  const s = await shop()
  const payer = await chain.payer(10n)
  t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, payer) })).status, 402)
  await chain.mint(payer.address, 5_000_000n)
  t.is((await app.call('GET', s.checkout, { headers: await signed(s.checkout, payer) })).status, 200)
  t.is(await salesOf(s.resId), 1)
})

deepTest('J-DOOR-02 the header of version 2 says that a payment may be named', async (t) => {
  const { headers } = await app.call('GET', (await shop()).path)
  t.like(decoded(headers.get(REQUIRED)).extensions['payment-identifier'], { info: { required: false } })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
