/** Where settings come from: the environment, `.env`, files of secrets; names that are none; and how they are shown. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { configOf, readConfig } from '../../src/settings/config.ts'
import { gatherSettings } from '../../src/settings/given/given.ts'
import { createReader } from '../../src/settings/given/reader.ts'
import { fileSetting, type Setting, settings } from '../../src/settings/given/table.ts'
import { shownValue } from '../../src/settings/given/veil.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { daybook, type Env } from '../cli/daybook.ts'
import { newDirectory } from '../store/open.ts'

const KEY = '0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0'

test('N-121 a secret may stand in a file, whose last newline does not count', (t) => {
  const folder = newDirectory(t)
  const file = join(folder, 'key')
  for (const content of [KEY, `${KEY}\n`, `${KEY}\r\n`, `\uFEFF${KEY}\n`]) {
    writeFileSync(file, content)
    t.is(readConfig({ MASTER_KEY_FILE: file }).masterKey?.toString('hex'), KEY, JSON.stringify(content))
  }
  writeFileSync(file, 'https://key@a.example,https://b.example\n')
  t.is(readConfig({ CHAIN_ETH_RPC_FILE: file }).chains[0]?.rpcUrls.length, 2)
})

test('N-121 every setting that may hold a secret takes a file, and no other does', (t) => {
  const file = join(newDirectory(t), 'secret')
  writeFileSync(file, 'a secret\n')
  for (const { name, secret } of settings) {
    const { values, unknown } = gatherSettings({ [fileSetting(name)]: file })
    t.is(values[name], secret && 'a secret', name)
    t.is(unknown.length, secret ? 0 : 1, name)
  }
  for (const name of ['MASTER_KEY', 'DATABASE_URL', 'EVENTSTORE_URL', 'SMTP_URL', 'RELAYER_KEY', 'CHAIN_BTC_RPC'])
    t.true(
      settings.some((setting) => setting.name === name && setting.secret),
      name,
    )
})

test('N-121 a file of a secret that cannot be used is named, without what is in it', (t) => {
  const folder = newDirectory(t)
  const file = join(folder, 'key')
  const faultOf = (env: Env) => t.throws(() => readConfig(env), { instanceOf: BadSetting })?.message ?? ''
  const written = (content: string | Buffer) => {
    writeFileSync(file, content)
    return faultOf({ MASTER_KEY_FILE: file })
  }
  for (const [fault, says] of [
    [written(''), /which is empty/],
    [written('\n'), /which is empty/],
    [written('hunter2\nhunter2\n'), /several lines/],
    [written(`${KEY}\n\n`), /several lines/],
    [written(Buffer.from([0xff, 0xfe, 0x00])), /not UTF-8/],
    [written('h'.repeat(65_537)), /more than 65536 bytes/],
    [faultOf({ MASTER_KEY_FILE: join(folder, 'none') }), /ENOENT/],
    [faultOf({ MASTER_KEY_FILE: folder }), /no file/],
    [faultOf({ MASTER_KEY_FILE: '/dev/zero' }), /no file/],
  ] as const) {
    t.regex(fault, /^MASTER_KEY_FILE names \//)
    t.regex(fault, says)
    t.notRegex(fault, /hunter2|\n/)
  }
  writeFileSync(file, 'hunter2')
  t.regex(faultOf({ MASTER_KEY_FILE: file, MASTER_KEY: KEY }), /^MASTER_KEY_FILE and MASTER_KEY are both set/)
  const fault = faultOf({ MASTER_KEY_FILE: file })
  t.regex(fault, /^MASTER_KEY is not 32 bytes .*read from .*key, which MASTER_KEY_FILE names/)
  t.notRegex(fault, /hunter2/)
  if (process.getuid?.() === 0) return
  chmodSync(file, 0)
  t.regex(faultOf({ MASTER_KEY_FILE: file }), /EACCES/)
})

test('N-121 N-123 the environment wins over .env, and a file counts wherever it is named', (t) => {
  const folder = newDirectory(t)
  mkdirSync(join(folder, 'secrets'))
  const file = join(folder, 'secrets', 'key')
  writeFileSync(file, KEY)
  const given = gatherSettings({ PORT: '1', LOG_LEVEL: ' ' }, { PORT: '2', TRUST_PROXY: '1', MASTER_KEY_FILE: file })
  const { port, trustedProxies, masterKey, logLevel } = configOf(given)
  t.deepEqual([port, trustedProxies, masterKey?.toString('hex'), logLevel], [1, 1, KEY, 'info'])
  t.deepEqual(
    ['PORT', 'TRUST_PROXY', 'MASTER_KEY', 'LOG_LEVEL'].map((name) => given.sources.get(name)?.from),
    ['environment', '.env', 'file', undefined],
  )
})

test('N-122 a name that looks like a setting is told with the nearest one, and those of others are passed over', async (t) => {
  const meant: Env = {
    BASE_URI: 'BASE_URL',
    DATABSE_URL: 'DATABASE_URL',
    master_key: 'MASTER_KEY',
    MASTER_KEYFILE: 'MASTER_KEY_FILE',
    TRUSTED_PROXY: 'TRUST_PROXY',
    DNS_SERVER: 'DNS_SERVERS',
    DAYBOOK_SMTP_URL: 'SMTP_URL',
    PAY_URL_FILE: 'PAY_URL',
    CHAIN_ETH_URL: 'CHAIN_ETH_RPC',
    CHAIN_ETHEREUM_RPC: 'CHAIN_',
    RATES_BINANCE_URL: 'RATES_',
  }
  for (const [name, known] of Object.entries(meant)) {
    const [line = '', ...more] = readConfig({ [name]: 'x' }).unknownSettings
    t.regex(line, new RegExp(`^${name} is no setting of Daybook.*\\b${known}`))
    t.deepEqual(more, [])
  }
  const others = {
    ...process.env,
    DAYBOOK_PORT: 'tcp://10.0.0.1:4020',
    DAYBOOK_PORT_4020_TCP: 'tcp://10.0.0.1:4020',
    DAYBOOK_SERVICE_HOST: '10.0.0.1',
    EVENTSTORE_TELEMETRY_OPTOUT: 'true',
    DATABASE_PORT: '5432',
    SERVICE_PORT: '1',
    POSTGRES_PASSWORD: 'x',
    KUBERNETES_PORT: 'tcp://10.0.0.1:443',
    JAVA_HOME: '/',
    NODE_OPTIONS: '',
    NODE_VERSION: '24',
    HTTP_PROXY: 'x',
    HOSTNAME: 'x',
    LOGNAME: 'x',
    MAIL: 'x',
    BASE_URI: ' ',
  }
  t.deepEqual(gatherSettings(others).unknown, [])
  const { code, stdout } = await daybook({ PORTT: '1', BASE_URI: 'x', MASTER_KEY: 'x' }, 'config', 'check')
  t.is(code, 1)
  t.regex(stdout, /NO {2}setting {2}BASE_URI .*set BASE_URL, if that was meant/)
})

test('N-123 config show tells every setting, where it comes from, and no secret', async (t) => {
  const file = join(newDirectory(t), 'smtp')
  writeFileSync(file, 'smtps://ada:hunter2@mail.example\n')
  const env = {
    PORT: '4100',
    MASTER_KEY: KEY,
    SMTP_URL_FILE: file,
    DATABASE_URL: 'postgres://ada:hunter2@db.example:5432/books',
    CHAIN_ETH_RPC: 'https://a.example/v2/hunter2,https://hunter2@b.example',
    RATES_OKX_URL: 'https://okx.example?key=hunter2',
  }
  const { code, stdout } = await daybook(env, 'config', 'show', '--json')
  t.is(code, 0)
  t.notRegex(stdout, new RegExp(`hunter2|${KEY}|ada`))
  const { settings: shown } = JSON.parse(stdout) as { settings: { setting: string; value: string; source: string }[] }
  t.deepEqual(shown.map(({ setting }) => setting).sort(), settings.map(({ name }) => name).sort())
  const of = (name: string) => shown.find(({ setting }) => setting === name)
  t.like(of('PORT'), { value: '4100', source: 'environment' })
  t.like(of('METRICS_PORT'), { value: '4101', source: 'default' })
  t.like(of('BASE_URL'), { value: 'http://localhost:4100', source: 'default' })
  t.like(of('MASTER_KEY'), { value: 'set, 64 characters', source: 'environment' })
  t.like(of('SMTP_URL'), { value: 'smtps://…@mail.example (set, 32 characters)', source: 'file', file })
  t.like(of('DATABASE_URL'), { value: 'postgres://…@db.example:5432/… (set, 44 characters)' })
  t.like(of('CHAIN_ETH_RPC'), { value: 'https://a.example/…, https://…@b.example (set, 54 characters)' })
  t.like(of('EVENTSTORE_URL'), { value: null, source: 'default' })
  const people = await daybook({ ...env, TRUST_PROXY: 'yes' }, 'config', 'show')
  t.is(people.code, 2)
  t.regex(people.stdout, /MASTER_KEY +set, 64 characters +environment\n/)
  t.regex(people.stdout, /CHAIN_ETH_ID +1 +default\n/)
  t.regex(people.stderr, /^TRUST_PROXY is not a number/)
  t.notRegex(people.stdout + people.stderr, new RegExp(`hunter2|${KEY}|CHAIN_BTC`))
})

test('N-123 a password shows in no form of a URL', (t) => {
  const secret: Setting = { name: 'DATABASE_URL', secret: true }
  const open: Setting = { name: 'BASE_URL' }
  for (const url of [
    'postgres://ada:hunter2@h/x',
    'postgres://ada:hun/ter2@h/x',
    'postgres://ada:1/hunter2@h/x',
    'postgres://ada:hunter2@x@h/x',
    'postgres://ada:hunter2#@h/x',
    'https://a.example/hunter2,https://ada:hunter2@b.example',
    'https://ada:a,hunter2@b.example',
    'esdb://ada:hunter2@a:2113,b:2113?tls=false',
    'hunter2',
  ])
    t.notRegex(shownValue(secret, url), /hun|ada|ter2/, url)
  t.notRegex(shownValue(open, 'https://ada:hunter2@h and https://ada:hun/ter2@h'), /hun|ada|ter2/)
  t.is(shownValue(open, 'https://pay.example'), 'https://pay.example')
})

test('N-126 every setting stands in .env.example with what holds where it is left out, and nothing else does', (t) => {
  const lines = readFileSync('.env.example', 'utf8').split('\n')
  const written = lines.flatMap((line) => {
    const [, name, value = ''] = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value] as const]
  })
  t.deepEqual([...new Set(written.map(([name]) => name))].sort(), settings.map(({ name }) => name).sort())
  const left = createReader({})
  for (const { name, standard, example, secret } of settings)
    if (standard !== undefined && example === undefined && !secret)
      t.deepEqual(
        written.filter((each) => each[0] === name).map(([, value]) => value),
        [left.value(name)],
        name,
      )
  const text = lines.join('\n')
  const told = text.slice(text.indexOf('# Whatever may hold a secret'), text.indexOf('# --- Where it listens'))
  for (const { name } of settings.filter(({ secret }) => secret))
    t.true(told.includes(name.replace(/^(CHAIN|RATES)_[A-Z]+_/, '$1_<NAME>_')), name)
})
