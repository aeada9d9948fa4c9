import test from 'ava'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { type GaslessChain, startGaslessChain, TEST_USDC } from '../../../support/gasless.ts'
import { freshAddress, logOf, USDC } from '../../../support/sale.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import { decoded, type Requirement, signedShop } from '../../../support/signed-sale.ts'
import { strictly } from '../../strict.ts'

/** What the 402 says where coins and signatures are taken, and what a seller can say about it. */

let app: TestApp
let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: { ...chain.env, PAY_URL: 'https://pay.shop.test' } })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

/** Paid in two coins on another chain besides. */
const mixedShop = async () => {
  const s = await signedShop(app)
  for (const asset of ['eth', 'usdc'])
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset, address: s.address } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 2 } }))
  const { pathname, search } = new URL(json.checkout_url)
  return { ...s, resId: json.res_id as string, path: `/r/${json.res_id}`, checkout: pathname + search }
}

test('J-GAS-01 J-DOOR-02 a new account with a wallet and nothing configured offers a gasless entry, and says so in both headers', async (t) => {
  const s = await signedShop(app)
  const { status, headers, json } = await strictly(t, app)('GET', s.path)
  t.is(status, 402)
  t.is(headers.get('www-authenticate'), 'x402')
  t.is(headers.get('cache-control'), 'no-store')
  const [entry, ...more] = json.accepts
  t.deepEqual(more, [])
  t.like(entry, { rail: 'exact', scheme: 'exact', code: 'usdc_base', network: 'base-sepolia', asset: TEST_USDC })
  t.like(entry, { payTo: s.address, address: s.address, chain: 'eip155:84532', extra: { name: 'USDC', version: '2' } })
  t.is(entry.maxAmountRequired, entry.amountAtomic)
  const [requirement] = json.paymentRequirements as Requirement[]
  t.like(requirement, { payTo: s.address, maxAmountRequired: entry.amountAtomic, asset: TEST_USDC })
  t.is(requirement?.resource, `${app.served().origin}/r/${s.resId}`)
  const required = decoded(headers.get('payment-required'))
  t.like(required, { x402Version: 2, resource: { url: `${app.served().origin}/r/${s.resId}` } })
  t.like(required.accepts[0], { challengeId: entry.challengeId, network: 'eip155:84532', amount: entry.amountAtomic })
})

test('J-DOOR-10 Q-22 the checkout names its own address on the pay host, and opens nothing when it is asked again', async (t) => {
  const s = await signedShop(app)
  const call = strictly(t, app)
  const first = await call('GET', `${s.checkout}&agent=1`)
  const { resource } = first.json.paymentRequirements[0]
  t.is(resource, `https://pay.shop.test${s.checkout}`)
  const again = await call('GET', s.checkout)
  t.is(again.json.accepts[0].challengeId, first.json.accepts[0].challengeId)
  const opened = (await logOf(app)).filter((e) => e.type === 'ChallengeOpened' && e.data.resId === s.resId)
  t.is(opened.length, 1)
})

test('N-02 coins stand beside the gasless entry so that strict clients read all, with the truth in keys of its own', async (t) => {
  const s = await mixedShop()
  const { json } = await strictly(t, app)('GET', s.path)
  const by = (code: string) => json.accepts.find((each: { code: string }) => each.code === code)
  t.is(json.accepts[0].code, 'usdc_base')
  t.like(by('eth'), { rail: 'onchain', scheme: 'exact', network: 'skale-base-sepolia', asset: 'eth', decimals: 18 })
  t.like(by('usdc'), { rail: 'onchain', asset: 'usdc', contract: USDC, address: s.address })
  t.true(by('eth').address === s.address && by('eth').amount.startsWith('0.0008'))
  t.deepEqual(
    json.paymentRequirements.map(({ asset }: Requirement) => asset),
    [TEST_USDC],
  )
})

deepTest('Q-22 N-02 POST /v1/challenge tells its seller the same ways, and calls everything what it is', async (t) => {
  const s = await mixedShop()
  const { json } = await strictly(t, app)('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } })
  const by = (code: string) => json.accepts.find((each: { code: string }) => each.code === code)
  t.like(by('eth'), { rail: 'onchain', scheme: 'onchain', network: 'eth', asset: 'eth', payTo: s.address })
  t.like(by('usdc'), { rail: 'onchain', scheme: 'onchain', network: 'eth', asset: 'usdc' })
  t.like(by('usdc_base'), { rail: 'exact', scheme: 'exact', network: 'base-sepolia', asset: TEST_USDC })
  t.is(by('usdc_base').resource, `${app.served().origin}/r/${s.resId}`)
})

test('J-GAS-03 J-GAS-04 J-DOOR-02 N-43 Q-21 a seller opts out and back in: the entry goes and comes, and a key that is sent is nowhere', async (t) => {
  const s = await signedShop(app)
  const call = strictly(t, app)
  const secret = `0x${'5ec4e7'.repeat(10)}abcd`
  const before = await ok(app.call('GET', '/v1/settings', { key: s.key }))
  const off = await call('POST', '/v1/exact-relay', { key: s.key, body: { enabled: 0, private_key: secret } })
  t.deepEqual(
    [off.status, off.json],
    [200, { enabled: 0, managed_by: 'platform', network: 'base', networks: ['base'] }],
  )
  const { headers, json } = await call('GET', s.path)
  t.false(headers.has('www-authenticate') || headers.has('payment-required'))
  t.deepEqual(json.paymentRequirements, [])
  t.like(json.accepts[0], { rail: 'onchain', scheme: 'onchain', asset: 'usdc_base', network: 'base', payTo: s.address })
  for (const body of [{}, { enabled: 1 }, undefined]) {
    await call('POST', '/v1/exact-relay', { key: s.key, body: { enabled: 0 } })
    const method = body ? 'POST' : 'DELETE'
    const on = await call(method, '/v1/exact-relay', { key: s.key, ...(body && { body }) })
    t.deepEqual([on.status, on.json.enabled], [200, 1])
    t.is((await call('GET', s.path)).headers.get('www-authenticate'), 'x402')
  }
  for (const enabled of [2, -1, 0.5, '0', null, true])
    t.is((await call('POST', '/v1/exact-relay', { key: s.key, body: { enabled } })).status, 400, String(enabled))
  // Not looked at, so nothing can be wrong with it either.
  for (const private_key of [7, null, '', { a: 1 }, 'x'.repeat(10_000)])
    t.is((await call('POST', '/v1/exact-relay', { key: s.key, body: { private_key } })).status, 200)
  t.is((await call('POST', '/v1/exact-relay', { body: {} })).status, 401)
  t.is((await call('DELETE', '/v1/exact-relay')).status, 401)
  t.deepEqual((await ok(app.call('GET', '/v1/settings', { key: s.key }))).json, before.json)
  t.false(JSON.stringify(await logOf(app), bigints).includes(secret.slice(2)))
  t.false(off.text.includes(secret.slice(2)))
})

test('J-GAS-01 what costs less than the gas of a payment is not offered for a signature', async (t) => {
  const s = await signedShop(app, { amount: 0.01 })
  const { headers, json } = await app.call('GET', s.path)
  t.false(headers.has('www-authenticate'))
  t.deepEqual([json.accepts.length, json.paymentRequirements], [1, []])
})

test('J-DOOR-02 N-02 a payment request and a test take no signed payment', async (t) => {
  const s = await signedShop(app)
  const asked = await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5 } }))
  const { json: tested } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 5, test: true } }))
  for (const path of [new URL(asked.json.url).pathname, `/r/${tested.res_id}`]) {
    const { status, headers, json } = await app.call('GET', path)
    t.is(status, 402)
    t.false(headers.has('www-authenticate') || headers.has('payment-required'))
    t.deepEqual(json.paymentRequirements, [])
    t.true(json.accepts.every(({ rail }: { rail: string }) => rail === 'onchain'))
  }
})

/** The relayer of a resource that takes no signed payment. */
const none = {
  configured: false,
  active: false,
  funded_address: null,
  balance: null,
  network: null,
  pay_to: null,
  max_gas_fee: null,
}

test('J-GAS-08 E-404-10 N-43 the relayer of a resource: eight fields and the most that gas is billed at, no secret; unknown is not found', async (t) => {
  const s = await mixedShop()
  const call = strictly(t, app)
  const { status, json, text } = await call('GET', `/relayer/${s.resId}`)
  const { balance, max_gas_fee } = json
  t.is(status, 200)
  t.deepEqual(json, {
    res_id: s.resId,
    configured: true,
    active: true,
    funding: 'platform',
    funded_address: chain.relayer.address,
    balance,
    network: 'base',
    pay_to: s.address,
    max_gas_fee,
    reason: null,
  })
  t.true(Number(balance) > 1)
  t.true(max_gas_fee > 0)
  t.false(text.includes(chain.relayer.privateKey.slice(2)))
  await ok(app.call('POST', '/v1/exact-relay', { key: s.key, body: { enabled: 0 } }))
  t.like((await call('GET', `/relayer/${s.resId}`)).json, {
    configured: true,
    active: false,
    reason: 'The seller has switched signed payments off.',
  })
  const { key } = await activeSeller(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  for (const [body, reason] of [
    [{ amount: 1 }, 'No coin of this resource can be paid by a signature here.'],
    [
      { amount: 1, test: true },
      'Nobody is asked to sign for a test: its payment is played by POST /v1/simulate-payment.',
    ],
  ] as const) {
    const made = await ok(app.call('POST', '/v1/resources', { key, body }))
    t.like((await call('GET', `/relayer/${made.json.res_id}`)).json, { ...none, reason })
  }
  await ok(app.call('DELETE', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
  for (const id of ['nope', `res_${'a'.repeat(26)}`, s.resId])
    t.deepEqual([(await call('GET', `/relayer/${id}`)).status], [404], id)
})

deepTest(
  'J-GAS-08 N-43 the relayer of a resource that is too cheap says that its price does not bear the gas',
  async (t) => {
    const s = await mixedShop()
    const cheap = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 0.0001 } }))
    const low = (await app.call('GET', `/relayer/${cheap.json.res_id}`)).json
    t.like(low, { configured: true, active: false })
    t.regex(
      low.reason,
      /^The price is too low: the gas of a signed payment costs [\d.]+ USD now, and this sale bears [\d.]+ USD\.$/,
    )
  },
)

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
