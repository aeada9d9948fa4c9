import test, { type ExecutionContext } from 'ava'
import { world } from '../../../src/settings/world.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, freshAddress, freshBitcoin, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const FIELDS = [
  'res_id',
  'amount',
  'currency',
  'accepted_assets',
  'max_per_caller',
  'checkout_url',
  'stock',
  'in_stock',
]
const ID = '[a-z2-7]{26}'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-RES-01 J-RES-03 J-GEN-02 J-GEN-03 J-GEN-06 an amount alone makes a resource in dollars, for all active coins', async (t) => {
  const { call, create } = await shop(t)
  const { status, headers, json } = await create({ amount: 1 })
  t.is(status, 200)
  t.is(headers.get('content-type'), 'application/json; charset=utf-8')
  t.deepEqual(Object.keys(json), FIELDS)
  const { res_id, checkout_url, ...rest } = json
  t.deepEqual(rest, {
    amount: 1,
    currency: 'USD',
    accepted_assets: ['btc', 'eth'],
    max_per_caller: null,
    stock: null,
    in_stock: true,
  })
  t.regex(res_id, new RegExp(`^res_${ID}$`))
  t.true(checkout_url.startsWith(`${app.served().origin}/checkout/`))
  t.regex(
    new URL(checkout_url).pathname + new URL(checkout_url).search,
    new RegExp(`^/checkout/co_${ID}\\?cloud=ct_${ID}$`),
  )
  const door = await call('GET', `${new URL(checkout_url).pathname}?agent=1`)
  t.deepEqual([door.status, door.json.res_id], [402, res_id])
})

deepTest('J-RES-03 the checkout lies on the pay host when it is another one', async (t) => {
  const other = await startApp({ env: { PAY_URL: 'https://pay.example.com' } })
  t.teardown(() => other.stop())
  const { key } = await signUp(other)
  await other.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } })
  const { json } = await other.call('POST', '/v1/resources', { key, body: { amount: 1 } })
  t.regex(json.checkout_url, /^https:\/\/pay\.example\.com\/checkout\/[^/?]+\?cloud=.+/)
})

deepTest('J-RES-01 every field that is given is kept', async (t) => {
  const { call, key, create } = await shop(t)
  const max_per_caller = { amount: 12.5, window_hours: 24 }
  const body = { amount: 9.99, currency: 'EUR', accepted_assets: ['eth'], max_per_caller }
  const webhook_url = 'https://hooks.example.com/r'
  const { status, json } = await create({
    ...body,
    webhook_url,
    test: false,
    test_confirmations: 3,
  })
  t.is(status, 200)
  t.deepEqual(
    { ...json, res_id: 0, checkout_url: 0 },
    { ...body, stock: null, in_stock: true, res_id: 0, checkout_url: 0 },
  )
  const read = await call('GET', `/v1/resources?res_id=${json.res_id}`, { key })
  t.deepEqual(read.json, { ...json, title: '', listed: false, settled: false })
  t.is((await create({ amount: 1, max_per_caller: null })).json.max_per_caller, null)
})

deepTest('J-RES-01 a paused coin is not among the default ones, and later wallets do not join', async (t) => {
  const { call, key, create } = await shop(t)
  await call('PUT', '/v1/wallets?asset=btc', { key, body: { active: false } })
  const { json } = await create({ amount: 1 })
  t.deepEqual(json.accepted_assets, ['eth'])
  await call('PUT', '/v1/wallets?asset=btc', { key, body: { active: true } })
  const read = await call('GET', `/v1/resources?res_id=${json.res_id}`, { key })
  t.deepEqual(read.json.accepted_assets, ['eth'])
})

deepTest('J-RES-01 amounts are exact from a millionth to a billion', async (t) => {
  const { call, key, create } = await shop(t)
  for (const amount of [0.000001, 0.0000099, 0.1, 0.123456, 1.1, 123456.789, 999_999_999.999_999]) {
    const { status, json } = await create({ amount })
    if (amount === 0.0000099) t.is(status, 400, 'seven places')
    else t.deepEqual([status, json.amount], [200, amount])
    if (status === 200) t.is((await call('GET', `/v1/resources?res_id=${json.res_id}`, { key })).json.amount, amount)
  }
})

test('J-RES-01 what cannot be a price, or cannot be paid, is refused and nothing is created', async (t) => {
  const { call, key } = await shop(t)
  const refusal = { path: '/v1/resources', key, status: 400 }
  const invalid = bad.map((body) => ({ body, code: 'svc_invalid_request' }))
  const texts = [
    '{"amount":1e309}',
    '{"amount":NaN}',
    '{"amount":Infinity}',
    `{"amount":${'9'.repeat(400)}}`,
    '{"amount":01}',
  ]
  const unknown = [['zzz'], ['eth', 'zzz'], ['constructor']].map((accepted_assets) => ({
    body: { amount: 1, accepted_assets },
    code: 'svc_unknown_asset',
  }))
  const calls = [...invalid, ...texts.map((body) => ({ body, code: 'svc_invalid_request' })), ...unknown]
  await refused(
    t,
    app,
    calls.map((each) => ({ what: JSON.stringify(each.body), ...refusal, ...each })),
  )
  t.deepEqual((await call('GET', '/v1/resources', { key })).json, { resources: [] })
})

test('J-RES-01 without a wallet there is nothing to be paid to', async (t) => {
  const { key } = await signUp(app)
  const refusal = { path: '/v1/resources', key, status: 400, code: 'svc_invalid_request' }
  await refused(t, app, [{ what: 'no wallet', body: { amount: 1 }, ...refusal }])
})

test('J-RES-09 J-RES-10 resources are listed newest first and read one by one, each not settled before its payment', async (t) => {
  const { call, key, create } = await shop(t)
  t.deepEqual((await call('GET', '/v1/resources', { key })).json, { resources: [] })
  const made = [await create({ amount: 1 }), await create({ amount: 2 }), await create({ amount: 3 })]
  const { json } = await call('GET', '/v1/resources', { key })
  const expected = made.map((each) => ({ ...each.json, title: '', listed: false, settled: false })).reverse()
  t.deepEqual(json, { resources: expected })
  for (const each of expected)
    t.deepEqual((await call('GET', `/v1/resources?res_id=${each.res_id}`, { key })).json, each)
})

test('J-RES-13 J-RES-10 E-404-03 an unknown resource is not found by any call, nor is one that was deleted', async (t) => {
  const { call, key, create } = await shop(t)
  const { json } = await create({ amount: 1 })
  const path = `/v1/resources?res_id=${json.res_id}`
  t.deepEqual((await call('DELETE', path, { key })).json, { disabled: true, res_id: json.res_id })
  const again = await call('DELETE', path, { key })
  t.deepEqual(await causedBy(app, again.requestId), [])
  const ids = ['nope', '', '%00x', '../..', 'res_', `res_${'a'.repeat(26)}`, 'x'.repeat(5000), "' or 1=1 --"]
  const calls = ids.filter((id) => !id.includes('%')).flatMap((id) => onEveryMethod(encodeURIComponent(id)))
  const gone = onEveryMethod(json.res_id)
  await refused(
    t,
    app,
    [...calls, ...gone].map((each) => ({ ...each, key, status: 404, code: 'svc_not_found' })),
  )
  t.is((await call('GET', `/r/${json.res_id}`)).status, 404)
  t.is((await call('GET', new URL(json.checkout_url).pathname)).status, 404)
})

// Alone, so that the others do not wait behind it.
test.serial(
  'X-ID-01 two hundred resources have ids and checkouts of 130 random bits, and no order shows in them',
  async (t) => {
    const { create } = await shop(t)
    const made: { res_id: string; checkout_url: string }[] = []
    for (let i = 0; i < 25; i++)
      made.push(...(await Promise.all(Array.from({ length: 8 }, () => create({ amount: 1 })))).map(({ json }) => json))
    const resIds = made.map(({ res_id }) => res_id.replace('res_', ''))
    const checkouts = made.map(({ checkout_url }) => new URL(checkout_url).pathname.replace('/checkout/co_', ''))
    for (const ids of [resIds, checkouts]) looksRandom(t, ids)
    t.is(new Set([...resIds, ...checkouts]).size, 400, 'one cannot be had from the other')
  },
)

test('X-ID-01 J-RES-03 every account has a cloud token of its own, made by chance', async (t) => {
  const tokens: string[] = []
  for (let i = 0; i < 12; i++) {
    const { json } = await (await shop(t, ['eth'])).create({ amount: 1 })
    tokens.push(new URL(json.checkout_url).searchParams.get('cloud')?.replace('ct_', '') as string)
  }
  while (tokens.length < 200) tokens.push(world.id('ct').replace('ct_', ''))
  looksRandom(t, tokens)
})

const shop = async (t: ExecutionContext, coins: readonly string[] = ['eth', 'btc']) => {
  const call = strictly(t, app)
  const { key } = coins.length > 1 ? await activeSeller(app) : await signUp(app)
  for (const asset of coins) {
    const address = asset === 'btc' ? freshBitcoin() : freshAddress()
    await call('POST', '/v1/wallets', { key, body: { asset, address } })
  }
  return { call, key, create: (body: object) => call('POST', '/v1/resources', { key, body }) }
}

const onEveryMethod = (resId: string) =>
  ['GET', 'PUT', 'DELETE'].map((method) => {
    const body = method === 'PUT' ? { body: { max_per_caller: null } } : {}
    return { what: `${method} ${resId}`, method, path: `/v1/resources?res_id=${resId}`, ...body }
  })

/** 26 characters of 32 are 130 bits; a part that counted or stood still would show as a place with few characters. */
const looksRandom = (t: ExecutionContext, ids: readonly string[]) => {
  t.is(ids.length, 200)
  t.is(new Set(ids).size, ids.length)
  for (const id of ids) t.regex(id, new RegExp(`^${ID}$`))
  for (let place = 0; place < 26; place++)
    t.true(new Set(ids.map((id) => id[place])).size > 24, `place ${place} varies`)
  t.notDeepEqual(ids.toSorted(), [...ids])
}

const cap = (max_per_caller: unknown) => ({ amount: 1, max_per_caller })
const bad: readonly object[] = [
  ...[0, -0, -1, 1e-7, 9e-7, 1.4e-6, 0.1234567, 1e21, 1_000_000_000, '100', '', null, true, [1], {}].map((amount) => ({
    amount,
  })),
  ...['usd', 'US', 'USDT', 'XXX', '', null, 7, ['USD']].map((currency) => ({ amount: 1, currency })),
  ...[[], 'eth', null, [7], [null], {}, Array(101).fill('eth'), ['sol']].map((accepted_assets) => ({
    amount: 1,
    accepted_assets,
  })),
  ...['http://hooks.example.com/', 'https://127.0.0.1/', '', null, 7].map((webhook_url) => ({
    amount: 1,
    webhook_url,
  })),
  ...[0, 'x', [], {}, { amount: 1 }, { window_hours: 1 }, { amount: 0, window_hours: 1 }].map(cap),
  ...[0, -1, 1.5, '1', 1e9].map((window_hours) => cap({ amount: 1, window_hours })),
  ...['true', 1, null].map((test) => ({ amount: 1, test })),
  ...[0, -1, 1.5, 201, '1', null].map((test_confirmations) => ({ amount: 1, test_confirmations })),
  {},
]
