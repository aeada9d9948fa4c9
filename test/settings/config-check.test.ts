/** `daybook config check` beside real servers: what it finds right and wrong, and that it leaves no trace. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { SMTPServer } from 'smtp-server'
import { vkeyOf } from '../../adapters/audit/witness/note.ts'
import { newKeyPair } from '../../adapters/crypto/ed25519.ts'
import { startDevInbox } from '../../adapters/mail/dev-inbox.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { createSharedSettings } from '../../adapters/postgres/shared-settings.ts'
import { clockFinding } from '../../src/commands/config/clock.ts'
import { lookWithin } from '../../src/commands/config/looks/finding.ts'
import { freePort } from '../../src/demo/port.ts'
import { BUCKET, BUCKET_KEYS, objectStore } from '../backup/object-store.ts'
import { daybook, type Env } from '../cli/daybook.ts'
import { newDirectory, newNode } from '../store/open.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { testDatabase } from '../support/postgres.ts'

const BASE_SEPOLIA = 84532
/** A public key of `age`. */
const RECIPIENT = 'age1jj6949zntwy9z9aaa0jjeyyhss2w46rh0dcdthhs20qu22zacqfq9mgrh9'
const test = anyTest as TestFn<{ anvil: Anvil }>

test.before(async (t) => {
  t.context.anvil = await startAnvil({ chainId: BASE_SEPOLIA })
})
test.after.always((t) => t.context.anvil?.stop())

type Finding = { what: string; setting: string | null; fits: boolean; text: string; way_out: string | null }

const check = async (env: Env) => {
  const { code, stdout } = await daybook(env, 'config', 'check', '--json')
  const { ok, asked, findings } = JSON.parse(stdout) as { ok: boolean; asked: boolean; findings: readonly Finding[] }
  const of = (what: string, setting?: string) =>
    findings.find((each) => each.what === what && (setting === undefined || each.setting === setting))
  return { code, ok, asked, findings, stdout, of, wrong: findings.filter(({ fits }) => !fits) }
}

/** A server that does nothing of what it is asked for, and what it was asked for. */
const answering = async (t: ExecutionContext) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { http: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** A port at which nobody listens. */
const closed = async () => `127.0.0.1:${await freePort()}`

const witnessKey = () => vkeyOf({ name: 'w.example/one', kind: 'cosigner', publicKey: newKeyPair().publicKey })

test('N-124 everything that the settings name is asked, and nothing is started or written', async (t) => {
  const { anvil } = t.context
  const [{ url: databaseUrl, sql }, node, inbox, dns] = await Promise.all([
    testDatabase(t),
    newNode(t),
    startDevInbox(),
    startDnsServer(),
  ])
  t.teardown(() => Promise.all([inbox.stop(), dns.stop()]))
  const { http, asked } = await answering(t)
  const dataDir = join(newDirectory(t), 'data')
  const { code, ok, of, findings } = await check({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: node.url,
    CHAIN_BASE_RPC: anvil.url,
    CHAIN_BASE_ID: String(BASE_SEPOLIA),
    RELAYER_KEY: anvil.accounts[0]?.privateKey ?? '',
    PLATFORM_WALLETS: `usdc_base=${anvil.accounts[1]?.address}`,
    RATES: 'fixed',
    SMTP_URL: inbox.url,
    DNS_SERVERS: dns.address,
    WITNESSES: `http://${http}/w ${witnessKey()}`,
    TIMESTAMP_URL: `http://${http}/tsr`,
    VAT_REGISTRY: 'vies',
    VIES_URL: `http://${http}/vies`,
    CARD_PROCESSOR_URL: `http://${http}`,
  })
  t.deepEqual(
    findings.filter(({ fits }) => !fits),
    [],
  )
  t.deepEqual([code, ok], [0, true])
  t.regex(of('event store')?.text ?? '', /answers; its log is empty; the user may append/)
  t.regex(of('database')?.text ?? '', /^PostgreSQL \d+.* at .*, database test_\w+; the user \w+ may make its schemas$/)
  t.regex(of('chain base')?.text ?? '', /^eip155:84532, a test chain, at \d+, \d+ s old, begins with 0x.*1 of 1 URLs/)
  t.regex(of('relayer base')?.text ?? '', /^0x\w{40} has \d{4,}(\.\d+)? of the chain's own coin left/)
  t.regex(of('mail')?.text ?? '', /^127\.0\.0\.1:\d+ takes letters without TLS, without sign-in$/)
  t.is(of('names')?.text, '1 of 1 name servers answer')
  for (const what of ['witness w.example/one', 'time stamps', 'VAT', 'cards'])
    t.is(of(what)?.text, `${http} can be reached`, what)
  t.is(of('clock')?.text, 'it goes with PostgreSQL')
  t.regex(of('disk')?.text ?? '', /GB are free at .*data, which the first start makes/)
  t.deepEqual(asked.sort(), ['GET /', 'GET /tsr', 'GET /vies', 'GET /w'])
  t.deepEqual(inbox.messages(), [])
  t.false(existsSync(dataDir))
  t.is(node.core.last(), 0)
  t.deepEqual([...(await sql`select nspname from pg_namespace where nspname like 'daybook%'`)], [])
})

test('N-124 whatever does not answer is named by its setting, with the way out and without its secrets', async (t) => {
  const folder = newDirectory(t)
  writeFileSync(join(folder, 'file'), '')
  const env = {
    DATA_DIR: join(folder, 'file', 'data'),
    DATABASE_URL: `postgres://ada:hunter2@${await closed()}/books`,
    EVENTSTORE_URL: `esdb://ada:hunter2@${await closed()}?tls=true`,
    CHAIN_ETH_RPC: `http://ada:hunter2@${await closed()}/hunter2`,
    RELAYER_KEY: t.context.anvil.accounts[0]?.privateKey ?? '',
    PLATFORM_WALLETS: 'eth=0x12',
    RATES: 'kraken,okx',
    RATES_KRAKEN_URL: `http://${await closed()}?key=hunter2`,
    RATES_OKX_URL: `http://${await closed()}?key=hunter2`,
    SMTP_URL: `smtp://ada:hunter2@${await closed()}`,
    DNS_SERVERS: await closed(),
    TIMESTAMP_URL: `http://${await closed()}/hunter2`,
    BASE_URL: 'https://daybook.invalid',
  }
  const { code, wrong, findings, stdout } = await check(env)
  t.is(code, 1)
  t.notRegex(stdout, /hunter2/)
  const ways: readonly (readonly [setting: string, says: RegExp, wayOut: RegExp])[] = [
    ['DATABASE_URL', /nobody listens at 127/, /Start PostgreSQL/],
    ['EVENTSTORE_URL', /nobody listens at 127/, /Start the server/],
    ['CHAIN_ETH_RPC', /none of 1 URLs answers/, /correct the URL/],
    ['RELAYER_KEY', /could not be read/, /See chain eth/],
    ['PLATFORM_WALLETS', /no address of eth/, /Correct/],
    ['RATES', /kraken gives no prices/, /Leave it out of RATES.*RATES_KRAKEN_URL/],
    ['SMTP_URL', /ECONNREFUSED/, /Look whether the server runs/],
    ['DNS_SERVERS', /gives no answer/, /Correct it/],
    ['TIMESTAMP_URL', /cannot be reached/, /Correct the address/],
    ['BASE_URL', /nobody knows the host daybook.invalid/, /Give it an address/],
    ['DATA_DIR', /is no folder/, /Name a folder/],
  ]
  for (const [setting, says, wayOut] of ways) {
    const found = wrong.find((each) => each.setting === setting)
    t.regex(found?.text ?? '', says, setting)
    t.regex(found?.way_out ?? '', wayOut, setting)
  }
  t.deepEqual(
    findings.flatMap(({ fits, what }) => (fits ? [what] : [])),
    ['backups', 'clock'],
  )
  const people = await daybook({ ...env, RATES: 'fixed', RATES_KRAKEN_URL: '', RATES_OKX_URL: '' }, 'config', 'check')
  t.regex(people.stdout, /\n {2}NO {2}database +DATABASE_URL +nobody listens .*\n +→ Start PostgreSQL there/)
  t.regex(people.stdout, /\d+ of \d+ do not fit\. .*daybook doctor\n$/)
})

test('N-124 a chain that is another, or another than before, and a relayer without coin are told', async (t) => {
  const { anvil } = t.context
  const { url, sql } = await testDatabase(t)
  const shared = await createSharedSettings(sql)
  await shared.note('CHAIN_BASE', String(BASE_SEPOLIA))
  await shared.note('GENESIS_BASE', '0xother')
  await shared.note('BASE_URL', 'https://pay.example')
  const env = { DATABASE_URL: url, RATES: 'fixed', CHAIN_BASE_RPC: anvil.url, DATA_DIR: newDirectory(t) }
  const known = await check({
    ...env,
    EVENTSTORE_URL: (await newNode(t)).url,
    CHAIN_BASE_ID: String(BASE_SEPOLIA),
    RELAYER_KEY: randomBytes(32).toString('hex'),
  })
  t.regex(known.of('shared', 'BASE_URL')?.text ?? '', /^BASE_URL is http.* here, and https:\/\/pay\.example for/)
  t.regex(known.wrong.find(({ text }) => /0xother/.test(text))?.text ?? '', /^CHAIN_BASE_RPC names a chain whose first/)
  t.like(known.of('relayer base'), { fits: false, setting: 'RELAYER_KEY' })
  t.regex(known.of('relayer base')?.text ?? '', /has 0 of the chain's own coin/)
  t.regex(known.of('relayer base')?.way_out ?? '', /send coin to this address/)
  const other = await check({ ...env, CHAIN_BASE_ID: '8453' })
  t.like(other.of('chain base'), { fits: false, setting: 'CHAIN_BASE_RPC' })
  t.regex(other.of('chain base')?.way_out ?? '', /CHAIN_BASE_ID/)
  t.regex(other.of('shared')?.text ?? '', /^CHAIN_BASE_ID means chain 8453 here/)
})

test('N-124 a user of the database without rights is told what to do', async (t) => {
  const { url, sql } = await testDatabase(t)
  const role = `poor_${new URL(url).pathname.slice(1)}`
  await sql.unsafe(`create role ${role} login password 'hunter2'; create schema daybook`)
  t.teardown(async () => {
    const admin = connect(url, { max: 1 })
    await admin.unsafe(`drop owned by ${role}; drop role ${role}`)
    await admin.end()
  })
  const poor = new URL(url)
  Object.assign(poor, { username: role, password: 'hunter2' })
  const { wrong } = await check({ DATABASE_URL: poor.href, DATA_DIR: newDirectory(t) })
  t.deepEqual(
    wrong.map(({ setting }) => setting),
    ['DATABASE_URL', 'DATABASE_URL'],
  )
  t.regex(wrong[0]?.text ?? '', new RegExp(`the user ${role} may not make schemas`))
  t.regex(wrong[0]?.way_out ?? '', /alter database/)
  t.regex(wrong[1]?.text ?? '', /may not make tables in daybook/)
})

test('N-124 a mail server that refuses the user, or would see the password in the clear, is told', async (t) => {
  const open = async (refuses: boolean, disabledCommands: string[]) => {
    const server = new SMTPServer({
      disabledCommands,
      allowInsecureAuth: true,
      logger: false,
      onAuth: (_, __, done) => (refuses ? done(new Error('no such user')) : done(null, { user: 'ada' })),
    })
    server.on('error', () => {})
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
    return (server.server.address() as AddressInfo).port
  }
  const mail = async (url: string, env: Env = {}) => {
    const { of } = await check({ SMTP_URL: url, DATA_DIR: newDirectory(t), ...env })
    return of('mail', 'SMTP_URL')
  }
  const [strict, kind, mute] = await Promise.all([
    open(true, ['STARTTLS']),
    open(false, ['STARTTLS']),
    open(false, ['STARTTLS', 'AUTH']),
  ])
  const refused = await mail(`smtp://ada:hunter2@127.0.0.1:${strict}`)
  t.false(refused?.fits)
  t.regex(refused?.text ?? '', /Invalid login/)
  t.regex(refused?.way_out ?? '', /Correct the user or the password/)
  const known = await mail(`smtp://ada:hunter2@127.0.0.1:${kind}`)
  t.true(known?.fits)
  t.regex(known?.text ?? '', /without TLS, and knows the user$/)
  const plain = await mail(`smtp://ada:hunter2@127.0.0.1:${kind}?requireTLS=true`)
  t.false(plain?.fits)
  t.regex(plain?.text ?? '', /STARTTLS/i)
  const silent = await mail(`smtp://ada:hunter2@127.0.0.1:${mute}`)
  t.like(silent, { fits: false })
  t.regex(silent?.text ?? '', /offers no sign-in/)
})

test('N-124 a file in the place of a folder, and a folder that is there, are told apart', async (t) => {
  const folder = newDirectory(t)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  mkdirSync(join(folder, 'data', 'mirror'), { recursive: true })
  t.regex((await check({ DATA_DIR: file })).of('disk')?.text ?? '', /is no folder/)
  const there = await check({ DATA_DIR: join(folder, 'data'), LOG_MIRROR: 'on' })
  t.deepEqual(
    there.findings.filter(({ setting }) => setting === 'DATA_DIR').map(({ what, fits }) => [what, fits]),
    [
      ['disk', true],
      ['mirror', true],
    ],
  )
})

test('N-124 the place of backups is asked for what is there, and a place that nothing can be written to is told', async (t) => {
  const folder = newDirectory(t)
  const endpoint = await objectStore(t, folder)
  const env = { BACKUP_RECIPIENTS: RECIPIENT, DATA_DIR: join(folder, 'data') }
  const backups = async (more: Env) => (await check({ ...env, ...more })).of('backups')
  const to = join(folder, 'place')
  t.is((await backups({}))?.text, 'none are made by the clock')
  t.is((await backups({ BACKUP_TO: to }))?.text, `${to} answers; it has none yet`)
  t.false(existsSync(to))
  for (const name of ['2026-11-27T23-15-20Z-104448', '2026-11-28T04-00-00Z-104449']) {
    mkdirSync(join(to, name), { recursive: true })
    writeFileSync(join(to, name, 'manifest.json'), '{}')
  }
  t.is((await backups({ BACKUP_TO: to }))?.text, `${to} answers; its newest was begun at 2026-11-28T04:00:00.000Z`)
  const file = join(to, '2026-11-28T04-00-00Z-104449', 'manifest.json')
  t.is((await backups({ BACKUP_TO: join(file, 'more') }))?.text, `${file} is no folder`)
  const bucket = { BACKUP_TO: `s3://${BUCKET}/books`, ...BUCKET_KEYS }
  const kept = await backups({ ...bucket, BACKUP_S3_ENDPOINT: endpoint })
  t.is(kept?.text, `s3://${BUCKET}/books answers; it has none yet`)
  const secret = randomBytes(8).toString('hex')
  const silent = { ...bucket, BACKUP_S3_SECRET: secret, BACKUP_S3_ENDPOINT: `http://${await closed()}` }
  const { code, of, stdout } = await check({ ...env, ...silent })
  t.deepEqual([code, of('backups')?.fits, of('backups')?.setting], [1, false, 'BACKUP_TO'])
  t.false(stdout.includes(secret))
})

test('N-124 whoever gives no answer in time is told, and so is a clock that is wrong', async (t) => {
  const never = new Promise<never>(() => {})
  const { findings } = await lookWithin('mail', 'SMTP_URL', never, 1)
  t.like(findings[0], { what: 'mail', setting: 'SMTP_URL', fits: false })
  t.regex(findings[0]?.text ?? '', /no answer within 0\.001 s/)
  const failing = await lookWithin('mail', 'SMTP_URL', Promise.reject(new Error('SMTP_URL: it broke. Mend it')))
  t.like(failing.findings[0], { fits: false, text: 'it broke', wayOut: 'Mend it' })
  const database = (aheadMs: number) => clockFinding([{ of: 'PostgreSQL', aheadMs, lags: false }])
  const block = (aheadMs: number) => clockFinding([{ of: 'the newest block of eth', aheadMs, lags: true }])
  t.true(database(4_000).fits)
  t.regex(database(312_000).text, /312 s ahead of PostgreSQL/)
  t.regex(database(-6_000).text, /6 s behind PostgreSQL/)
  t.true(block(3_600_000).fits, 'a chain may have made no block for an hour')
  t.true(block(-15_000).fits)
  t.regex(block(-120_000).text, /120 s behind the newest block of eth/)
})
