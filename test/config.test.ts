import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { vkeyOf } from '../adapters/audit/witness/note.ts'
import { newKeyPair } from '../adapters/crypto/ed25519.ts'
import { readConfig } from '../src/settings/config.ts'
import { readEnvFile } from '../src/settings/env-file.ts'
import { BadSetting } from '../src/settings/setting-kinds.ts'
import { newDirectory } from './store/open.ts'

/** What production needs. */
const LIVE = {
  NODE_ENV: 'production',
  BASE_URL: 'https://pay.example',
  MASTER_KEY: '0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0',
  SMTP_URL: 'smtp://127.0.0.1:1',
  CHAIN_ETH_RPC: 'http://127.0.0.1:1',
}

/** The lines of a refusal. */
const faultsOf = (t: ExecutionContext, env: Record<string, string>): readonly string[] =>
  String(t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message).split('\n')

test('all faults of the settings are told at once, each by the name of its setting', (t) => {
  const bad = {
    PORT: 'abc',
    BASE_URL: 'shop',
    MASTER_KEY: 'short',
    TRUST_PROXY: 'yes',
    CHAIN_ETH_ID: '1',
    RATES: 'mine',
  }
  const faults = faultsOf(t, bad)
  t.deepEqual(faults.map((line) => line.split(' ')[0]).sort(), Object.keys(bad).sort())
  const live = faultsOf(t, { ...bad, NODE_ENV: 'production', RATES: 'fixed', OUTBOUND_ALLOW: '127.0.0.1:80' })
  t.deepEqual(live.map((line) => /^[A-Z_]+/.exec(line)?.[0]).sort(), [
    'BASE_URL',
    'CHAIN_ETH_ID',
    'CHAIN_ETH_RPC',
    'MASTER_KEY',
    'OUTBOUND_ALLOW',
    'PORT',
    'RATES',
    'SMTP_URL',
    'TRUST_PROXY',
  ])
})

test('production starts with https origins alone, and not without BASE_URL', (t) => {
  t.notThrows(() => readConfig(LIVE))
  t.regex(faultsOf(t, { ...LIVE, BASE_URL: '' }).join(), /^BASE_URL is needed with NODE_ENV=production: set it to/)
  for (const name of ['BASE_URL', 'AUTH_URL', 'PAY_URL', 'SHOP_URL'])
    for (const origin of ['http://pay.example', 'HTTP://pay.example', 'http://localhost:4020']) {
      const [fault, ...others] = faultsOf(t, { ...LIVE, [name]: origin })
      t.regex(String(fault), new RegExp(`^${name} is not https, and is refused with NODE_ENV=production`))
      t.deepEqual(others, [])
    }
  t.notThrows(() => readConfig({ BASE_URL: 'http://localhost:4020' }))
})

test('settings may stand in a file .env, of which .env.example is one that works', (t) => {
  const folder = newDirectory(t)
  t.deepEqual(readEnvFile(folder), {})
  writeFileSync(join(folder, '.env'), 'PORT=4100 # of this machine\nBASE_URL="https://pay.example"\n')
  t.like(readConfig(readEnvFile(folder)), { port: 4100, origins: { base: 'https://pay.example' } })
  copyFileSync('.env.example', join(folder, '.env'))
  t.is(readConfig(readEnvFile(folder)).port, 4020)
  rmSync(join(folder, '.env'))
  mkdirSync(join(folder, '.env'))
  t.throws(() => readEnvFile(folder), { instanceOf: BadSetting, message: /\.env cannot be read/ })
})

test('a cluster is named by its nodes or by one name for all of them', (t) => {
  for (const url of ['esdb://u:p@a:2113,b:2113', 'esdb+discover://u:p@c.test:2113', 'esdb://a:2113?tls=false'])
    t.is(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl, url)
})

test('the log of a server is mirrored unless it is turned off, and the embedded one is a local file already', (t) => {
  const mirrors = (env: Record<string, string>) => readConfig(env).logMirror
  t.true(mirrors({ EVENTSTORE_URL: 'esdb://u:p@a:2113' }))
  t.false(mirrors({ EVENTSTORE_URL: 'esdb://u:p@a:2113', LOG_MIRROR: 'off' }))
  t.false(mirrors({ EVENTSTORE_URL: 'unix:/a.sock' }))
  t.false(mirrors({}))
  t.true(mirrors({ LOG_MIRROR: 'on' }))
  t.throws(() => mirrors({ LOG_MIRROR: '1' }), { instanceOf: BadSetting, message: /^LOG_MIRROR/ })
})

test('a connection string that is none is refused by the name of its setting, without its password', (t) => {
  for (const url of ['esdb://u:hunter2@:x,b', 'http://u:hunter2@a', 'esdb://u:hunter2@a:99999,b']) {
    const refused = t.throws(() => readConfig({ EVENTSTORE_URL: url }), { instanceOf: BadSetting })
    t.regex(String(refused?.message), /^EVENTSTORE_URL/)
    t.notRegex(String(refused?.message), /hunter2/)
  }
})

test('witnesses are named by their address and their key, and an authority by its address', (t) => {
  const [one, two] = ['one', 'two'].map((name) => {
    const key = { name: `witness.example/${name}`, kind: 'cosigner' as const, publicKey: newKeyPair().publicKey }
    return { key, vkey: vkeyOf(key) }
  })
  if (!one || !two) return t.fail()
  const { heads } = readConfig({ WITNESSES: `https://a.example/w/ ${one.vkey}, http://127.0.0.1:9 ${two.vkey}` })
  t.deepEqual(heads.witnesses, [
    { url: 'https://a.example/w', key: one.key },
    { url: 'http://127.0.0.1:9', key: two.key },
  ])
  t.deepEqual(readConfig({}).heads, {
    witnesses: [],
    cosignEverySeconds: 60,
    stampUrl: undefined,
    stampEveryMinutes: 60,
  })
  t.is(readConfig({ TIMESTAMP_URL: 'http://tsa.example/tsr' }).heads.stampUrl, 'http://tsa.example/tsr')
  const log = vkeyOf({ ...one.key, kind: 'key' })
  for (const [name, value, says] of [
    ['WITNESSES', `https://a.example ${one.vkey.replace('+', '-')}`, /without the verifier key/],
    ['WITNESSES', `https://a.example ${log}`, /without the verifier key of a witness/],
    ['WITNESSES', `http://a.example ${one.vkey}`, /not https/],
    ['WITNESSES', `https://a.example?x=1 ${one.vkey}`, /not a list/],
    ['WITNESSES', one.vkey, /not a list/],
    ['WITNESSES', `https://a.example ${one.vkey},https://b.example ${one.vkey}`, /twice/],
    ['WITNESSES', `https://a.example ${one.vkey},`, /not a list/],
    ['COSIGN_EVERY_SECONDS', '0', /from 1/],
    ['TIMESTAMP_URL', 'ftp://tsa.example', /https/],
    ['TIMESTAMP_EVERY_MINUTES', '0', /from 1/],
  ] as const) {
    const { message = '' } = t.throws(() => readConfig({ [name]: value }), { instanceOf: BadSetting }) ?? {}
    t.regex(message, new RegExp(`^${name} `))
    t.regex(message, says)
  }
})

test('N-32 the two further networks of custom tokens and the price feed are named by settings', (t) => {
  const { tokenTypes, priceFeeds } = readConfig({
    CUSTOM_NETWORK_A: 'scroll',
    PRICE_FEED: 'gecko',
    PRICE_FEED_URL: 'https://g.test/v1/',
  })
  t.deepEqual(
    [tokenTypes.get('scroll-20'), tokenTypes.get('linea-20'), tokenTypes.get('gnosis-20')],
    ['scroll', 'linea', undefined],
  )
  t.deepEqual([...priceFeeds], [['gecko', 'https://g.test/v1']])
  t.deepEqual([...readConfig({}).priceFeeds], [['coingecko', 'https://api.coingecko.com/api/v3']])
  for (const [name, value] of [
    ['CUSTOM_NETWORK_A', 'eth'],
    ['CUSTOM_NETWORK_A', 'nowhere'],
    ['CUSTOM_NETWORK_B', 'gnosis'],
    ['CUSTOM_NETWORK_B', 'btc'],
    ['PRICE_FEED', 'https'],
    ['PRICE_FEED', 'Gecko'],
    ['PRICE_FEED_URL', 'ftp://g.test'],
    ['CARD_PROCESSOR_URL', 'http://processor.example'],
    ['CARD_PROCESSOR_URL', 'https://processor.example/v1'],
    ['PRICE_FEED_URL', 'https://g.test/?key=1'],
  ] as const)
    t.regex(
      String(t.throws(() => readConfig({ [name]: value }), { instanceOf: BadSetting })?.message),
      new RegExp(name),
    )
})

const RATES = ['KEY_RATE_PER_SECOND', 'KEY_RATE_BURST', 'ADDRESS_RATE_PER_SECOND', 'ADDRESS_RATE_BURST']

test('N-09 rate limits have defaults, and are whole numbers from 1 on', (t) => {
  const [often, lessOften] = [
    { perSecond: 100, burst: 1_000 },
    { perSecond: 50, burst: 500 },
  ]
  const looking = { perSecond: 200, burst: 2_000 }
  t.deepEqual(readConfig({}).limits, { key: often, address: lessOften, visitor: looking, client: often })
  t.is(readConfig({ CARD_PROCESSOR_URL: 'http://127.0.0.1:9/' }).cardProcessorUrl, 'http://127.0.0.1:9')
  t.deepEqual(readConfig({ STRANGER_BYTES_PER_HOUR: '7200' }).strangerBytes, { perSecond: 2, burst: 7_200 })
  t.is(readConfig({}).strangerBytes.burst, 8 * 1_024 * 1_024)
  t.deepEqual(readConfig({}).signInLimits.balance, { perSecond: 10, burst: 600 })
  t.deepEqual(readConfig({ KEY_RATE_PER_SECOND: '7', KEY_RATE_BURST: '9' }).limits.key, { perSecond: 7, burst: 9 })
  for (const bad of ['0', '-1', '1.5', 'many', '1e3'])
    for (const name of [...RATES, 'STRANGER_BYTES_PER_HOUR'])
      t.regex(
        String(t.throws(() => readConfig({ [name]: bad }), { instanceOf: BadSetting })?.message),
        new RegExp(`^${name} `),
      )
})

test('N-23 rates are fixed in the sandbox alone; with a chain, or when named, they come from sources, of which two price coins', (t) => {
  const chain = { CHAIN_ETH_RPC: 'http://127.0.0.1:1' }
  const live = { ...LIVE, ...chain }
  const named = (env: Record<string, string>) => readConfig(env).rateSources?.map(({ name, base }) => `${name} ${base}`)
  t.is(named({}), undefined)
  t.is(named({ ...chain, RATES: 'fixed' }), undefined)
  const all = [
    'coinbase https://api.coinbase.com',
    'kraken https://api.kraken.com',
    'okx https://www.okx.com',
    'coingecko https://api.coingecko.com/api/v3',
    'erapi https://open.er-api.com',
  ]
  t.deepEqual(named(chain), all)
  t.deepEqual(named(live), all)
  t.deepEqual(
    named({ RATES: 'okx, coingecko', RATES_COINGECKO_URL: 'https://pro-api.coingecko.com/api/v3?key=hush' }),
    ['okx https://www.okx.com', 'coingecko https://pro-api.coingecko.com/api/v3?key=hush'],
  )
  for (const [env, says] of [
    [{ ...live, RATES: 'fixed' }, /^RATES=fixed is refused/],
    [{ RATES: 'okx,binance' }, /^RATES .*binance\. Correct/],
    [{ RATES: 'okx,fixed' }, /^RATES .*fixed\. Correct/],
    [{ RATES: 'constructor' }, /^RATES /],
    [{ RATES: 'okx,kraken,okx' }, /^RATES .*twice/],
    [{ RATES: 'okx,erapi' }, /^RATES needs 2/],
    [{ RATES: 'okx,kraken', RATES_OKX_URL: 'ftp://hush' }, /^RATES_OKX_URL (?!.*hush)/],
    [{ RATES: 'okx,kraken', RATES_ERAPI_URL: 'https://x.test' }, /^RATES_ERAPI_URL/],
    [{ RATES_OKX_URL: 'https://x.test' }, /^RATES_OKX_URL/],
  ] as const)
    t.regex(String(t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message), says)
})

test('J-TOK-08 a network is on its main chain unless its id names another; a key in a URL is kept and never said', (t) => {
  const urls = 'https://hush@api.trongrid.io, https://name:hush@node.example/behind'
  const chainsOf = (id?: string) => readConfig({ CHAIN_TRX_RPC: urls, ...(id && { CHAIN_TRX_ID: id }) }).chains
  t.deepEqual(
    chainsOf().map(({ rpcUrls, chain }) => [rpcUrls, chain.caip2]),
    [[urls.split(', '), 'tron:0x2b6653dc']],
  )
  t.deepEqual(
    ['shasta', 'nile', 'mainnet'].map((id) => chainsOf(id)[0]?.chain.caip2),
    ['tron:0x94a9059e', 'tron:0xcd8690dc', 'tron:0x2b6653dc'],
  )
  for (const env of [{ CHAIN_TRX_RPC: urls, CHAIN_TRX_ID: '5' }, { CHAIN_TRX_RPC: `${urls},ftp://hush` }])
    t.regex(String(t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message), /^CHAIN_TRX_(?!.*hush)/)
})

test('N-43 what a relayer may lose in an hour has defaults by scope, and each of them may be set', (t) => {
  const of = (value?: string) => readConfig(value === undefined ? {} : { RELAY_LOSS_PER_HOUR: value }).relayLimits
  const standard = { network: 10_000_000n, seller: 2_000_000n, payer: 500_000n, code: 2_000_000n }
  t.deepEqual(of(), standard)
  t.deepEqual(of('network=25, payer=0.000001'), { ...standard, network: 25_000_000n, payer: 1n })
  for (const value of [
    'network',
    'network=',
    'network=-1',
    'nobody=1',
    'network=1.0000001',
    'network=1;seller=2',
    '__proto__=1',
  ])
    t.throws(() => of(value), { instanceOf: BadSetting, message: /^RELAY_LOSS_PER_HOUR / }, value)
  t.is(readConfig({}).operatorEmail, undefined)
  t.is(readConfig({ OPERATOR_EMAIL: 'a@b.test' }).operatorEmail, 'a@b.test')
  t.throws(() => readConfig({ OPERATOR_EMAIL: 'nobody' }), { instanceOf: BadSetting, message: /^OPERATOR_EMAIL / })
})

test('N-24 a second voice is asked for above 100 US dollars, unless another sum is set', (t) => {
  const two = { CHAIN_ETH_RPC: 'https://a.test/key-4711,https://b.test' }
  const above = (value?: string, env: Record<string, string> = two) =>
    readConfig({ ...env, ...(value !== undefined && { SECOND_VOICE_ABOVE_USD: value }) }).secondVoiceAboveUsd
  t.is(above(), 100_000_000n)
  t.is(above('0'), 0n)
  t.is(above('2500'), 2_500_000_000n)
  for (const bad of ['-1', '1.5', 'all', '1e3', '100000001'])
    t.throws(() => above(bad), { instanceOf: BadSetting, message: /^SECOND_VOICE_ABOVE_USD is not a number/ })
  t.is(above('5', {}), 5_000_000n, 'the sandbox has chains of its own')
})

test('N-24 asking for a second voice is refused where a network has one provider, which decides alone when nobody asks', (t) => {
  const refused = (env: Record<string, string>) =>
    t.throws(() => readConfig({ ...env, SECOND_VOICE_ABOVE_USD: '100' }), { instanceOf: BadSetting })?.message ?? ''
  const two = { CHAIN_ETH_RPC: 'https://a.test,https://b.test' }
  for (const alone of ['https://b.test/key-4711', 'https://b.test/key-4711,https://b.test/2']) {
    const env = { ...two, CHAIN_BASE_RPC: alone }
    t.is(readConfig(env).secondVoiceAboveUsd, 100_000_000n)
    const message = refused(env)
    t.regex(message, /^SECOND_VOICE_ABOVE_USD .*CHAIN_BASE_RPC .*voices: 1/)
    t.notRegex(message, /4711|\n/)
  }
})

test('N-170 how many connections of PostgreSQL there are is a number from 4 to 100', (t) => {
  const connections = (value?: string) =>
    readConfig(value === undefined ? {} : { DATABASE_CONNECTIONS: value }).databaseConnections
  t.deepEqual([connections(), connections('4'), connections('100')], [10, 4, 100])
  for (const value of ['0', '3', '101', 'many'])
    t.throws(() => connections(value), {
      instanceOf: BadSetting,
      message: /^DATABASE_CONNECTIONS is not a number from 4 to 100/,
    })
})

test('how long a start waits for the event store is a number of seconds', (t) => {
  const wait = (value?: string) =>
    readConfig(value === undefined ? {} : { STARTUP_WAIT_SECONDS: value }).startupWaitSeconds
  t.deepEqual([wait(), wait('0'), wait('3600')], [60, 0, 3_600])
  for (const value of ['-1', '3601', 'long', '1.5'])
    t.throws(() => wait(value), {
      instanceOf: BadSetting,
      message: /^STARTUP_WAIT_SECONDS is not a number from 0 to 3600/,
    })
})
