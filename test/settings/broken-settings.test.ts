/** Settings that cannot be used: what is said of them, and that nothing starts with them. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { sandboxBuyer } from '../../adapters/chains/sandbox/sandbox.ts'
import { readConfig } from '../../src/settings/config.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { daybook, daybookProcess, type Env } from '../cli/daybook.ts'

/** What production needs, and no more. */
const LIVE = {
  NODE_ENV: 'production',
  BASE_URL: 'https://pay.example',
  MASTER_KEY: '0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0',
  SMTP_URL: 'smtp://127.0.0.1:1',
  CHAIN_ETH_RPC: 'http://127.0.0.1:1',
}

/** A setting, what is said of its value, and the way out. */
type Told = readonly [setting: string, says: RegExp, wayOut: RegExp]
type Broken = readonly [what: string, env: Env, ...told: readonly Told[]]

const CORRECT = /Correct it, as in [A-Z_]+=\S/
const OPENED_BY = { BACKUP_RECIPIENTS: 'age1jj6949zntwy9z9aaa0jjeyyhss2w46rh0dcdthhs20qu22zacqfq9mgrh9' }

const BROKEN: readonly Broken[] = [
  ['a port that is none', { PORT: 'abc' }, ['PORT', /is not a port from 0 to 65535: abc/, /leave it out: it is 4020/]],
  ['a port that is too high', { METRICS_PORT: '99999' }, ['METRICS_PORT', /: 99999/, /leave it out: it is 4021 then/]],
  ['an origin with a path', { PAY_URL: 'https://a.example/x' }, ['PAY_URL', /without a path: https/, CORRECT]],
  ['a short key', { MASTER_KEY: 'hunter2' }, ['MASTER_KEY', /64 characters \(it has 7/, /openssl rand -hex 32/]],
  [
    'a secret that is given twice',
    { RELAYER_KEY: `hunter2`, RELAYER_KEY_FILE: '/run/key' },
    ['RELAYER_KEY_FILE', /are both set/, /leave one of them out/],
    ['RELAYER_KEY', /not a private key/, CORRECT],
  ],
  ['a file that is not there', { DATABASE_URL_FILE: '/no/url' }, ['DATABASE_URL_FILE', /\/no\/url.*ENOENT/, /make it/]],
  ['another database', { DATABASE_URL: 'mysql://u:hunter2@h/x' }, ['DATABASE_URL', /it starts with mysql:/, CORRECT]],
  [
    'an unknown option of EventStoreDB',
    { EVENTSTORE_URL: 'esdb://u:hunter2@h?tsl=false' },
    ['EVENTSTORE_URL', /unknown option: tsl/, CORRECT],
  ],
  [
    'an embedded log and a server',
    { EVENTSTORE_URL: 'esdb://h?tls=false', EVENTSTORE_LISTEN: '127.0.0.1:2113' },
    ['EVENTSTORE_LISTEN', /cannot go with EVENTSTORE_URL/, /leave one out/],
  ],
  ['a mail server without a scheme', { SMTP_URL: 'hunter2.example' }, ['SMTP_URL', /smtp:\/\/ or smtps:/, CORRECT]],
  ['a number that is a word', { TRUST_PROXY: 'yes' }, ['TRUST_PROXY', /from 0 to 8: yes/, /leave it out: it is 0/]],
  ['a chain without a node', { CHAIN_BTC_ID: 'regtest' }, ['CHAIN_BTC_ID', /CHAIN_BTC_RPC is not/, /set that too/]],
  [
    'a node that is no URL, and a chain that is none',
    { CHAIN_BASE_RPC: 'ftp://hunter2', CHAIN_BTC_RPC: 'http://127.0.0.1:1', CHAIN_BTC_ID: 'main' },
    ['CHAIN_BASE_RPC', /http:\/\/ or https:/, CORRECT],
    ['CHAIN_BTC_ID', /not one of mainnet, testnet.*: main\b/, CORRECT],
  ],
  ['one source of prices', { RATES: 'okx' }, ['RATES', /needs 2 sources/, CORRECT]],
  [
    'an address of a source that is not asked',
    { RATES: 'okx,kraken', RATES_ERAPI_URL: 'https://hunter2.example' },
    ['RATES_ERAPI_URL', /erapi is not in RATES/, /name erapi in RATES/],
  ],
  [
    'VIES that is not asked',
    { VIES_URL: 'https://v.example' },
    ['VIES_URL', /VAT_REGISTRY is not/, /set VAT_REGISTRY=/],
  ],
  ['a witness without a key', { WITNESSES: 'https://w.example' }, ['WITNESSES', /verifier key/, CORRECT]],
  ['a name server by name', { DNS_SERVERS: 'ns.example' }, ['DNS_SERVERS', /address\[:port\]: ns.example/, CORRECT]],
  ['a wallet without a coin', { PLATFORM_WALLETS: '0x1' }, ['PLATFORM_WALLETS', /asset=address: 0x1/, CORRECT]],
  ['an unknown level', { LOG_LEVEL: 'verbose' }, ['LOG_LEVEL', /not one of fatal, .*: verbose/, /it is info then/]],
  ['an unknown word for production', { NODE_ENV: 'prod' }, ['NODE_ENV', /not one of production, .*: prod/, CORRECT]],
  [
    'a second voice where there is one',
    { CHAIN_ETH_RPC: 'http://a.example', SECOND_VOICE_ABOVE_USD: '5' },
    ['SECOND_VOICE_ABOVE_USD', /names one provider/, /name a second one/],
  ],
  ['a network of tokens that is none', { CUSTOM_NETWORK_A: 'eth' }, ['CUSTOM_NETWORK_A', /gnosis, .*: eth/, CORRECT]],
  [
    'backups within the data',
    { DATA_DIR: '/var/lib/daybook', BACKUP_TO: '/var/lib/daybook/backups', ...OPENED_BY },
    ['BACKUP_TO', /is within DATA_DIR/, /set it to a directory on another disk/],
  ],
  [
    'backups that nobody could open',
    { BACKUP_TO: '/mnt/backups' },
    ['BACKUP_TO', /BACKUP_RECIPIENTS is missing/, /daybook backup key/],
  ],
  [
    'backups for a key that is none',
    { BACKUP_TO: '/mnt/backups', BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1hunter2' },
    ['BACKUP_RECIPIENTS', /one begins otherwise/, CORRECT],
  ],
  [
    'backups in a bucket without keys to it',
    { BACKUP_TO: 's3://backups', ...OPENED_BY },
    ['BACKUP_TO', /BACKUP_S3_SECRET are missing/, /set them/],
  ],
  [
    'backups at a place that is none',
    { BACKUP_TO: 'ftp://hunter2.example', ...OPENED_BY },
    ['BACKUP_TO', /neither a directory nor s3:.*ftp:/, CORRECT],
  ],
  [
    'many at once',
    {
      PORT: '-1',
      KEY_RATE_BURST: '0',
      OPERATOR_EMAIL: 'me',
      DATABASE_URL: 'hunter2',
      MASTER_KEY_FILE: '/',
      RATES: 'x',
    },
    ['PORT', /: -1/, CORRECT],
    ['KEY_RATE_BURST', /from 1 to 999999999: 0/, /it is 1000 then/],
    ['OPERATOR_EMAIL', /not an email address: me/, CORRECT],
    ['DATABASE_URL', /it has 7 characters/, CORRECT],
    ['MASTER_KEY_FILE', /names \/, which is no file/, /name the file/],
    ['RATES', /neither fixed nor/, CORRECT],
  ],
]

/** Checks that each of these is told, nothing else, and no secret. */
const areTold = (t: ExecutionContext, what: string, lines: readonly string[], told: readonly Told[]) => {
  t.deepEqual(lines.map((line) => /^[A-Z_]+/.exec(line)?.[0]).sort(), told.map(([name]) => name).sort(), what)
  for (const [setting, says, wayOut] of told) {
    const line = lines.find((each) => each.split(/\W/)[0] === setting) ?? ''
    t.regex(line, says, what)
    t.regex(line, wayOut, what)
  }
  t.notRegex(lines.join('\n'), /hunter2/, what)
}

test('N-120 N-124 each of more than twenty broken configurations is told by its setting with the way out, all faults of one at once', async (t) => {
  t.true(BROKEN.length >= 20)
  for (const [what, env, ...told] of BROKEN) {
    const { code, stdout, stderr } = await daybook(env, 'config', 'check', '--json')
    t.deepEqual([code, stderr], [1, ''], what)
    const { ok, asked, findings } = JSON.parse(stdout)
    t.deepEqual([ok, asked], [false, false], what)
    const wrong = findings as readonly { readonly setting: string; readonly fits: boolean; readonly text: string }[]
    t.deepEqual(
      wrong.map(({ setting, fits }) => [setting, fits]).sort(),
      told.map(([name]) => [name, false]).sort(),
      what,
    )
    areTold(
      t,
      what,
      wrong.map(({ text }) => text),
      told,
    )
  }
})

test('N-120 N-125 production starts with none of them', (t) => {
  t.notThrows(() => readConfig(LIVE))
  for (const [what, env] of BROKEN) t.throws(() => readConfig({ ...LIVE, ...env }), { instanceOf: BadSetting }, what)
})

test('N-120 a start with several of them tells them all, starts nothing and ends with 2', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-settings-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [what = '', env = {}, ...told] = BROKEN.at(-1) ?? []
  const dataDir = join(folder, 'data')
  const { code, stdout, stderr } = await daybookProcess({ ...env, DATA_DIR: dataDir }, 'serve')
  t.deepEqual([code, stdout], [2, ''])
  areTold(t, what, stderr.trimEnd().split('\n'), told)
  t.false(existsSync(dataDir))
})

test('N-122 a start warns of names that look like settings and are none', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-settings-'))
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  t.teardown(() => taken.close())
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { port } = taken.address() as AddressInfo
  const env = { PORT: String(port), METRICS_PORT: '0', BASE_URI: 'https://pay.example', DATA_DIR: folder }
  const { code, stdout } = await daybookProcess(env, 'serve')
  t.is(code, 2, 'it comes no further, because its port is taken')
  t.like(JSON.parse(stdout), { level: 40, msg: readConfig(env).unknownSettings[0] })
})

test('N-120 what a setting that cannot be used was needed for is no fault of its own', (t) => {
  const faults = (env: Env) => t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message.split('\n') ?? []
  for (const env of [
    { CHAIN_ETH_RPC: 'ftp://x', CHAIN_ETH_ID: '1' },
    { CHAIN_ETH_RPC: 'ftp://x', RATES_OKX_URL: 'https://okx.example' },
    { RATES: 'okx', RATES_KRAKEN_URL: 'https://kraken.example' },
    { VAT_REGISTRY: 'x', VIES_URL: 'https://vies.example' },
    { CHAIN_ETH_RPC_FILE: '/no/file', CHAIN_ETH_ID: '1' },
  ])
    t.is(faults(env).length, 1, faults(env).join())
  const { MASTER_KEY: _, SMTP_URL: __, CHAIN_ETH_RPC: ___, ...rest } = LIVE
  const files = { MASTER_KEY_FILE: '/no/key', SMTP_URL_FILE: '/no/url', CHAIN_ETH_RPC_FILE: '/no/rpc' }
  t.deepEqual(
    faults({ ...rest, ...files })
      .map((line) => line.split(' ')[0])
      .sort(),
    Object.keys(files).sort(),
  )
})

test('N-125 production refuses what is open, missing, or known to everybody, each with the way out', (t) => {
  const refused: readonly (readonly [env: Env, ...told: readonly Told[]])[] = [
    [{ BASE_URL: 'http://pay.example' }, ['BASE_URL', /is not https/, /Set it to the https origin/]],
    [{ SHOP_URL: 'http://pay.example' }, ['SHOP_URL', /is not https/, /Set it to the https origin/]],
    [{ BASE_URL: '' }, ['BASE_URL', /is needed/, /set it to the origin/]],
    [{ MASTER_KEY: '' }, ['MASTER_KEY', /is needed/, /openssl rand -hex 32.*MASTER_KEY_FILE/]],
    [{ MASTER_KEY: 'ab'.repeat(32) }, ['MASTER_KEY', /repeats a few bytes/, /openssl rand/]],
    [{ SMTP_URL: '' }, ['SMTP_URL', /is needed.*anybody can read/, /Set it as in smtp:.*SMTP_URL_FILE/]],
    [{ CHAIN_ETH_RPC: '' }, ['CHAIN_ETH_RPC', /is needed.*play money/, /set it to a node/]],
    [{ RATES: 'fixed' }, ['RATES', /is refused/, /leave it out/]],
    [{ OUTBOUND_ALLOW: '127.0.0.1:80' }, ['OUTBOUND_ALLOW', /is refused/, /leave it out/]],
    [{ RELAYER_KEY: sandboxBuyer().privateKey }, ['RELAYER_KEY', /hand to everybody/, /make another/]],
    [
      { EVENTSTORE_URL: 'esdb://admin:changeit@es.example:2113' },
      ['EVENTSTORE_URL', /password that EventStoreDB comes with/, /daybook eventstore prepare/],
    ],
    [{ MASTER_KEY: 'short' }, ['MASTER_KEY', /it has 5 characters/, /32\)\.$/]],
  ]
  for (const [env, ...told] of refused) {
    const { message = '' } = t.throws(() => readConfig({ ...LIVE, ...env }), { instanceOf: BadSetting }) ?? {}
    areTold(t, JSON.stringify(env), message.split('\n'), told)
    const elsewhere = { ...env, NODE_ENV: 'development' }
    if (env.MASTER_KEY !== 'short') t.notThrows(() => readConfig(elsewhere))
  }
})
