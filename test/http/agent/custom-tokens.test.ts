import test from 'ava'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { freshAddress } from '../../support/sale.ts'
import { signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SUN_WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const JETTON = 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p'
const EVM = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

/** Every type of document 1, with a contract that its network can have. */
const CONTRACTS = {
  'erc-20': EVM,
  'bep-20': EVM,
  'base-20': EVM,
  'polygon-20': EVM,
  'arb-20': EVM,
  'op-20': EVM,
  'avax-20': EVM,
  'trc-20': TRON,
  spl: MINT,
  'ton-jetton': JETTON,
  'gnosis-20': EVM,
  'linea-20': EVM,
} as const
const NETWORKS = ['eth', 'bsc', 'base', 'polygon', 'arb', 'op', 'avax', 'trx', 'sol', 'ton', 'gnosis', 'linea']

const token = { type: 'erc-20', code: 'shop_coin', contract_address: EVM, decimals: 18, name: 'Shop Coin' }
const PATH = '/v1/custom-tokens'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-TOK-01 an added token is listed with its six fields', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  t.deepEqual((await call('GET', PATH, { key })).json, { custom_tokens: [] })
  await call('POST', PATH, { key, body: { ...token, rate: '1', img: 'https://shop.example/coin.png' } })
  t.deepEqual((await call('GET', PATH, { key })).json, { custom_tokens: [{ ...token, network: 'eth' }] })
})

deepTest('J-TOK-02 N-32 every type takes a contract of its network and answers what was sent', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  for (const [n, [type, contract_address]] of Object.entries(CONTRACTS).entries()) {
    const rest =
      n % 2 ? { rate: '0.000000000001', rate_url: 'coingecko:shop-coin', img: 'https://shop.example/coin.png' } : {}
    const body = {
      type,
      code: `t${n}`,
      contract_address,
      decimals: n * 3,
      name: `Token ${n}`,
      confirmations: n,
      ...rest,
    }
    const { status, json } = await call('POST', PATH, { key, body })
    t.deepEqual([status, json], [200, body], type)
  }
  const { json } = await call('GET', PATH, { key })
  const networks = Object.fromEntries(json.custom_tokens.map((each: typeof json) => [each.type, each.network]))
  t.deepEqual(networks, Object.fromEntries(Object.keys(CONTRACTS).map((type, n) => [type, NETWORKS[n]])))
})

deepTest('J-TOK-02 L-JSN-04 L-JSN-05 the bounds of numbers are within, and a code is kept in lower case', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  for (const [n, bounds] of [
    { decimals: 0, confirmations: 0 },
    { decimals: 36, confirmations: 200 },
  ].entries()) {
    const body = { ...token, ...bounds, code: `B${n}` }
    t.deepEqual((await call('POST', PATH, { key, body })).json, { ...body, code: `b${n}` })
  }
  const lower = { ...token, code: 'x'.repeat(32), contract_address: EVM.toLowerCase() }
  t.deepEqual((await call('POST', PATH, { key, body: lower })).json, lower)
  const { json } = await call('GET', PATH, { key })
  t.deepEqual(
    json.custom_tokens.map(({ code, contract_address }: typeof token) => [code, contract_address]),
    [
      ['b0', EVM],
      ['b1', EVM],
      ['x'.repeat(32), EVM],
    ],
  )
})

test('J-TOK-03 L-JSN-15 a rate is read from an https URL or a feed, and from nowhere else', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const good = ['coingecko:abc', `coingecko:${'a'.repeat(81)}`, 'https://prices.example.com/v1?id=1']
  for (const [n, rate_url] of good.entries())
    t.is((await call('POST', PATH, { key, body: { ...token, code: `t${n}`, rate_url } })).status, 200, rate_url)
  const bad = ['http://prices.example.com/', 'coingecko:ABC', 'coingecko:', `coingecko:${'a'.repeat(82)}`, 'nofeed:abc']
  const worse = ['https://127.0.0.1/', 'https://localhost/', 'ftp://prices.example.com/', '', 'prices', 'https://']
  await refused(
    t,
    app,
    [...bad, ...worse].map((rate_url) => ({
      what: rate_url,
      path: PATH,
      key,
      status: 400,
      code: 'svc_invalid_request',
      body: { ...token, rate_url },
    })),
  )
})

test('J-TOK-04 E-400-03 L-JSN-04 L-JSN-05 what is out of range, malformed or missing is refused', async (t) => {
  const { key } = await signUp(app)
  const without = (field: keyof typeof token) => ({ ...token, [field]: undefined })
  const bodies = [
    ...(Object.keys(token) as (keyof typeof token)[]).map(without),
    ...[-1, 37, 1.5, '18', null, 1e9].map((decimals) => ({ ...token, decimals })),
    ...[-1, 201, 0.5, '6', null].map((confirmations) => ({ ...token, confirmations })),
    ...['', 'ERC-20', 'erc20', 'scroll-20', 'eth', '__proto__', null, 20].map((type) => ({ ...token, type })),
    ...['', 'a-b', 'a b', 'é', 'x'.repeat(33), 'constructor', '__proto__', null].map((code) => ({ ...token, code })),
    ...['', 'nope', TRON, MINT, EVM.replace('5Fb', '5fb'), `0x${'0'.repeat(40)}`, ` ${EVM}`, null].map(
      (contract_address) => ({ ...token, contract_address }),
    ),
    { ...token, type: 'spl' },
    { ...token, type: 'ton-jetton', contract_address: MINT },
    ...['', 'x'.repeat(101), 7].map((name) => ({ ...token, name })),
    ...['0', '0.0', '-1', '1,5', '1e3', '', ' 1', '1.0000000000001', '1'.repeat(16), 1].map((rate) => ({
      ...token,
      rate,
    })),
    ...['coin.png', 'javascript:alert(1)', 'data:image/png;base64,AA', 'http://shop.example/coin.png'].map((img) => ({
      ...token,
      img,
    })),
    { ...token, img: `https://shop.example/${'x'.repeat(2_049)}` },
    { ...token, rate_url: `https://prices.example.com/${'x'.repeat(500)}` },
  ]
  const refusal = { path: PATH, key, status: 400, code: 'svc_invalid_request' }
  const posts = bodies.map((body) => ({ what: JSON.stringify(body), body, ...refusal }))
  await refused(t, app, [...posts, { what: 'no code', method: 'DELETE', ...refusal }])
  t.deepEqual((await app.call('GET', PATH, { key })).json, { custom_tokens: [] })
})

test('J-TOK-05 E-400-05 a code that exists is refused, be it one’s own or a built-in one', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  await call('POST', PATH, { key, body: token })
  const refusal = { path: PATH, key, status: 400, code: 'svc_custom_token_exists' }
  const codes = [token.code, 'SHOP_COIN', 'eth', 'USDC', 'usdc_base']
  await refused(
    t,
    app,
    codes.map((code) => ({ what: code, body: { ...token, code }, ...refusal })),
  )
  const other = await signUp(app)
  t.is((await call('POST', PATH, { key: other.key, body: token })).status, 200, 'another seller has codes of its own')
})

test('writes of custom tokens are declared to need the capability settings.edit, reading is not', (t) => {
  const agent = surfaces().find(({ name }) => name === 'agent')
  const own = agent?.endpoints
    .filter(({ path }) => path === PATH)
    .map((each) => [each.method, each.auth, each.callers?.capability])
  t.deepEqual(own, [
    ['get', 'key', 'settings.view'],
    ['post', 'key', 'settings.edit'],
    ['delete', 'key', 'settings.edit'],
  ])
})

test('J-TOK-07 E-404-01 a deleted token is off the list, and deleting it again finds nothing', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const stranger = await signUp(app)
  for (const code of ['one', 'two']) await call('POST', PATH, { key, body: { ...token, code } })
  const missing = { method: 'DELETE', path: `${PATH}?code=one`, status: 404, code: 'svc_not_found' }
  await refused(t, app, [{ what: 'a stranger', key: stranger.key, ...missing }])
  const { json } = await call('DELETE', `${PATH}?code=ONE`, { key })
  const left = [{ ...token, code: 'two', network: 'eth' }]
  t.deepEqual(json, { deleted: true, custom_tokens: left })
  t.deepEqual((await call('GET', PATH, { key })).json, { custom_tokens: left })
  await refused(t, app, [{ what: 'again', key, ...missing }])
  t.is((await call('POST', PATH, { key, body: { ...token, code: 'one' } })).status, 200)
})

test('J-TOK-08 J-WAL-03 a wallet takes the code of a token and addresses of its network, and goes with the token', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const stranger = await signUp(app)
  const set = (asset: string, address: string) => call('POST', '/v1/wallets', { key, body: { asset, address } })
  await call('POST', PATH, { key, body: token })
  await call('POST', PATH, { key, body: { ...token, type: 'spl', code: 'sun', contract_address: MINT } })
  const address = freshAddress()
  t.deepEqual((await set('shop_coin', address)).json, { asset: 'shop_coin', address })
  t.deepEqual(await causedBy(app, (await set('shop_coin', address)).requestId), [], 'the same again changes nothing')
  t.is((await set('sun', SUN_WALLET)).status, 200)
  const asset = { path: '/v1/wallets', status: 400 }
  await refused(t, app, [
    { what: 'bad', key, body: { asset: 'sun', address }, ...asset, code: 'svc_bad_address' },
    {
      what: 'stranger',
      key: stranger.key,
      body: { asset: 'sun', address: SUN_WALLET },
      ...asset,
      code: 'svc_unknown_asset',
    },
  ])
  t.is((await call('PUT', '/v1/wallets?asset=sun', { key, body: { active: false } })).status, 200)
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: { shop_coin: address } })
  await call('DELETE', `${PATH}?code=shop_coin`, { key })
  t.deepEqual((await call('GET', '/v1/wallets?all=1', { key })).json, { wallets: { sun: SUN_WALLET }, paused: ['sun'] })
  t.is((await set('shop_coin', address)).status, 400)
})
