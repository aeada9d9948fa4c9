import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'
import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, freshAddress, freshBitcoin, PAY_TO, seller, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const SEGWIT = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const LEGACY = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const SOLANA = 'So11111111111111111111111111111111111111112'
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

/** The seven coins that document 1 names, each with an address of its network that nobody else has. */
const freshAddresses = () => {
  const evm = freshAddress()
  return {
    btc: freshBitcoin(),
    eth: evm,
    sol: base58.encode(randomBytes(32)),
    trx: tron.encode(Uint8Array.of(0x41, ...randomBytes(20))),
    usdt: evm,
    usdc: evm,
    usdc_base: evm,
  } as const
}
const tron = createBase58check(sha256)

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-WAL-03 J-WAL-01 J-GEN-03 every listed coin takes an address of its network and shows it', async (t) => {
  const own = freshAddresses()
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: {} })
  for (const [asset, address] of Object.entries(own)) {
    const { status, json } = await call('POST', '/v1/wallets', { key, body: { asset, address } })
    t.deepEqual([status, json], [200, { asset, address }])
  }
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: own })
  t.deepEqual((await call('GET', '/v1/me', { key })).json.wallets, own)
})

deepTest(
  'J-WAL-01 J-WAL-02 J-WAL-07 of two coins a paused one is not listed, keeps its address and comes back with it',
  async (t) => {
    const own = freshAddresses()
    const call = strictly(t, app)
    const { key } = await signUp(app)
    const body = (asset: 'eth' | 'btc') => ({ asset, address: own[asset] })
    for (const asset of ['eth', 'btc'] as const) await call('POST', '/v1/wallets', { key, body: body(asset) })
    const pause = (active: boolean) => call('PUT', '/v1/wallets?asset=btc', { key, body: { active } })
    t.deepEqual((await pause(false)).json, { asset: 'btc', active: false })
    t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: { eth: own.eth } })
    const all = await call('GET', '/v1/wallets?all=1', { key })
    t.deepEqual(all.json, { wallets: { btc: own.btc, eth: own.eth }, paused: ['btc'] })
    t.deepEqual((await pause(true)).json, { asset: 'btc', active: true })
    t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: { btc: own.btc, eth: own.eth } })
  },
)

deepTest('J-WAL-03 a new address takes the place of the old one, and the same one again changes nothing', async (t) => {
  const other = freshAddress()
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const set = (address: string) => call('POST', '/v1/wallets', { key, body: { asset: 'eth', address } })
  await set(freshAddress())
  t.deepEqual((await set(other)).json, { asset: 'eth', address: other })
  const { requestId } = await set(other)
  t.deepEqual(await causedBy(app, requestId), [])
  const lower = await set(other.toLowerCase())
  t.deepEqual(await causedBy(app, lower.requestId), [], 'letter case is not another address')
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: { eth: other } })
})

test('J-WAL-03 J-WAL-04 a list of addresses is kept in its order, each once', async (t) => {
  const [first, second] = [freshAddress(), freshAddress()]
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const address = `${first}, ${second},${first.toLowerCase()}`
  const { status } = await call('POST', '/v1/wallets', { key, body: { asset: 'usdc', address } })
  t.is(status, 200)
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: { usdc: `${first},${second}` } })
  const mixed = await call('POST', '/v1/wallets', {
    key,
    body: { asset: 'btc', address: `${freshBitcoin()},${LEGACY}` },
  })
  t.is(mixed.status, 200)
})

test('J-WAL-09 a coin is deleted with its addresses, also a paused one, and begins anew when it is set again', async (t) => {
  const own = freshAddresses()
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  const set = (asset: 'eth' | 'btc') => call('POST', '/v1/wallets', { key, body: { asset, address: own[asset] } })
  for (const asset of ['eth', 'btc'] as const) await set(asset)
  await call('PUT', '/v1/wallets?asset=btc', { key, body: { active: false } })
  const { status, json } = await call('DELETE', '/v1/wallets?asset=btc', { key })
  t.deepEqual([status, json], [200, { asset: 'btc', deleted: true }])
  t.deepEqual((await call('GET', '/v1/wallets?all=1', { key })).json, { wallets: { eth: own.eth }, paused: [] })
  t.deepEqual((await call('GET', '/v1/me', { key })).json.wallets, { eth: own.eth })
  await set('btc')
  const all = await call('GET', '/v1/wallets?all=1', { key })
  t.deepEqual(all.json, { wallets: { btc: own.btc, eth: own.eth }, paused: [] })
})

deepTest('J-WAL-09 a coin that was deleted is not offered any more', async (t) => {
  const call = strictly(t, app)
  const { key, resId } = await seller(app)
  t.is((await call('GET', `/r/${resId}`)).json.accepts.length, 1)
  await call('DELETE', '/v1/wallets?asset=eth', { key })
  await refused(t, app, [
    { what: 'the door', method: 'GET', path: `/r/${resId}`, status: 503, code: 'svc_unavailable' },
  ])
  const { json } = await call('GET', `/r/${resId}`)
  t.regex(json.message, /eth has no receive address any more/)
  t.false('accepts' in json)
})

test('J-WAL-05 J-WAL-09 E-400-01 an asset that is not known is refused with a code of its own', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const refusal = { key, status: 400, code: 'svc_unknown_asset' }
  const names = ['zzz', 'ETH', ' eth', '', 'constructor', '__proto__', 'toString']
  const posts = names.map((asset) => ({ what: asset, path: '/v1/wallets', body: { asset, address: PAY_TO } }))
  const puts = names.map((asset) => {
    const path = `/v1/wallets?asset=${encodeURIComponent(asset)}`
    return { what: `PUT ${asset}`, method: 'PUT', path, body: { active: true } }
  })
  const deletes = puts.map(({ path }) => ({ what: `DELETE ${path}`, method: 'DELETE', path }))
  await refused(
    t,
    app,
    [...posts, ...puts, ...deletes].map((each) => ({ ...each, ...refusal })),
  )
  t.deepEqual((await call('GET', '/v1/wallets?all=1', { key })).json, { wallets: {}, paused: [] })
})

test('J-WAL-06 E-400-02 an address that is bad for its asset is refused, also within a list, and the old one stays', async (t) => {
  const own = freshAddresses()
  const call = strictly(t, app)
  const { key } = await signUp(app)
  for (const [asset, address] of Object.entries(own))
    await call('POST', '/v1/wallets', { key, body: { asset, address } })
  const refusal = { path: '/v1/wallets', key, status: 400, code: 'svc_bad_address' }
  const calls = Object.entries(badAddresses).flatMap(([asset, list]) =>
    [...list, 'nope', ' '].flatMap((bad) =>
      [bad, `${own[asset as keyof typeof own]},${bad}`, `${bad},${own[asset as keyof typeof own]}`].map((address) => ({
        what: `${asset} ${address}`,
        body: { asset, address },
        ...refusal,
      })),
    ),
  )
  await refused(t, app, calls)
  t.deepEqual((await call('GET', '/v1/wallets', { key })).json, { wallets: own })
})

test('J-WAL-03 J-WAL-08 J-WAL-09 E-400-03 a body or parameters of another shape are refused', async (t) => {
  const { key } = await signUp(app)
  const refusal = { key, status: 400, code: 'svc_invalid_request' }
  const bodies = [
    {},
    { asset: 'eth' },
    { address: PAY_TO },
    { asset: 'eth', address: '' },
    ...[null, 1, ['eth'], {}].map((asset) => ({ asset, address: PAY_TO })),
    ...[null, 1, [PAY_TO], {}].map((address) => ({ asset: 'eth', address })),
    { asset: 'eth', address: Array(101).fill(PAY_TO).join(',') },
    { asset: 'eth', address: `${PAY_TO}\0` },
  ]
  const posts = bodies.map((body) => ({ what: JSON.stringify(body), path: '/v1/wallets', body }))
  const put = { method: 'PUT', path: '/v1/wallets?asset=eth' }
  const puts = [undefined, {}, ...[null, 'true', 1, []].map((active) => ({ active }))].map((body) => ({
    what: `PUT ${JSON.stringify(body)}`,
    ...put,
    body,
  }))
  const others = [
    { what: 'no asset', ...put, path: '/v1/wallets', body: { active: true } },
    { what: 'no wallet', ...put, body: { active: true } },
    { what: 'delete nothing', method: 'DELETE', path: '/v1/wallets' },
    { what: 'delete no wallet', method: 'DELETE', path: '/v1/wallets?asset=eth' },
    { what: 'all is 1', method: 'GET', path: '/v1/wallets?all=yes' },
  ]
  await refused(
    t,
    app,
    [...posts, ...puts, ...others].map((each) => ({ ...each, ...refusal })),
  )
})

const badEvm = [
  // The checksum of EIP-55 does not fit.
  PAY_TO.replace('C', 'c'),
  PAY_TO.slice(0, -1),
  `${PAY_TO}0`,
  PAY_TO.slice(2),
  '0x0000000000000000000000000000000000000000',
  SEGWIT,
  SOLANA,
  TRON,
  'vitalik.eth',
]

const badAddresses: Readonly<Record<string, readonly string[]>> = {
  eth: badEvm,
  usdt: badEvm,
  usdc: badEvm,
  usdc_base: badEvm,
  btc: [
    'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    `${SEGWIT.slice(0, -1)}p`,
    `${LEGACY.slice(0, -1)}b`,
    PAY_TO,
    SOLANA,
  ],
  sol: [SOLANA.slice(0, -1), `${SOLANA}1`, SOLANA.replace('S', '0'), PAY_TO, SEGWIT],
  trx: [`${TRON.slice(0, -1)}u`, TRON.slice(1), PAY_TO, LEGACY],
}
