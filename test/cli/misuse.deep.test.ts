/** What was asked for wrongly ends with 2 and one line that says what; nothing is opened or made. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { cases } from '../support/depth.ts'
import { daybookIn, daybookProcess, ownDir } from './daybook.ts'

const KEY = 'ab'.repeat(32)
const misuses: readonly [args: string[], says: RegExp][] = [
  [['bogus'], /unknown command 'bogus'/],
  [['replay', '--fast'], /unknown option '--fast'/],
  [['replay', '--verify', '--as-of', '5'], /cannot be used with/],
  [['replay', '--as-of', '2026-02-31'], /neither a position of the log/],
  [['replay', '--as-of', 'yesterday'], /neither a position of the log/],
  [['events', 'show'], /missing required argument/],
  [['events', 'tail', '--from', '-5'], /not a position/],
  [['events', 'tail', '--limit', '0'], /not a number from 1/],
  [['export', 'transactions', '--account', "acc_'; drop"], /not an account id/],
  [['export', 'csv', '--account', 'co_1'], /not an id of an account \(acc_…\), a user \(usr_…\) or an app/],
  [['export', 'hledger', '--from', '5'], /not an ISO 8601 time/],
  [['export', 'jsonl', '--from', '2026-03-02', '--to', '2026-03-01'], /--to is before --from/],
  [['sandbox', 'pay', '--to', '0x12', '--amount', '1'], /not an address/],
  [['sandbox', 'pay', '--to', `0x${'1'.repeat(40)}`, '--amount', '0'], /not an amount/],
  [['sandbox', 'pay', '--to', `0x${'1'.repeat(40)}`], /--to and --amount are needed, or --sign/],
  [
    ['sandbox', 'pay', '--to', `0x${'1'.repeat(40)}`, '--amount', '0.0000001', '--asset', 'usdc_base'],
    /at most 6 places/,
  ],
  [['sandbox', 'pay', '--to', `0x${'1'.repeat(40)}`, '--amount', '1', '--asset', 'btc'], /Allowed choices/],
  [['sandbox', 'pay', '--sign', 'http://localhost/r/x', '--amount', '1'], /cannot be used with/],
  [['sandbox', 'pay', '--sign', 'localhost'], /not an http\(s\) URL/],
  [['apps', 'create', '--name', 'Shop'], /--redirect/],
  [['apps', 'rotate', 'app_a', '--secret', '--webhook-secret'], /one of --secret/],
  [['apps', 'domains', 'app_a', 'prove', 'shop.example'], /none of add, verify, release/],
  [['apps', 'disable', 'app_a'], /say --yes/],
  [['users', 'credit', '--sub', 'usr_a', '--usd', '0.0000001'], /at most six places/],
]
for (const [args, says] of cases(misuses, 6))
  test.serial(`daybook ${args.join(' ')} is misused`, async (t) => {
    const { code, stdout, stderr } = await daybookProcess({}, ...args)
    t.is(code, 2)
    t.is(stdout, '')
    t.is(stderr.trimEnd().split('\n').length, 1, stderr)
    t.regex(stderr, says)
  })

const settings: readonly [env: Record<string, string>, name: string][] = [
  [{ PORT: 'abc' }, 'PORT'],
  [{ MASTER_KEY: 'short' }, 'MASTER_KEY'],
  [
    { NODE_ENV: 'production', MASTER_KEY: KEY, CHAIN_ETH_RPC: 'http://127.0.0.1:1', OUTBOUND_ALLOW: '127.0.0.1:80' },
    'OUTBOUND_ALLOW',
  ],
  [{ CHAIN_ETH_ID: '1' }, 'CHAIN_ETH_RPC'],
  [{ NODE_ENV: 'production', CHAIN_ETH_RPC: 'http://127.0.0.1:1' }, 'MASTER_KEY is needed'],
  [{ NODE_ENV: 'production', MASTER_KEY: KEY, CHAIN_ETH_RPC: 'http://127.0.0.1:1' }, 'SMTP_URL is needed'],
  [{ NODE_ENV: 'production', MASTER_KEY: KEY, SMTP_URL: 'smtp://127.0.0.1:1' }, 'CHAIN_ETH_RPC'],
  [{ EVENTSTORE_URL: 'http://localhost:2113' }, 'EVENTSTORE_URL'],
  [{ SMTP_URL: 'mail.example' }, 'SMTP_URL'],
  [{ TRUST_PROXY: 'yes' }, 'TRUST_PROXY'],
  [{ EVENTSTORE_LISTEN: '0.0.0.0:2113' }, 'EVENTSTORE_LISTEN'],
  [{ BASE_URL: 'https://shop.example/pay' }, 'BASE_URL'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
]
for (const [env, name] of cases(settings, 4))
  test.serial(`each bad setting is one line that says so: ${name} (${Object.keys(env).join(', ')})`, async (t) => {
    const { code, stderr } = await daybookProcess(env, 'serve')
    t.is(code, 2)
    const lines = stderr.trimEnd().split('\n')
    t.true(env.NODE_ENV === 'production' || lines.length === 1, stderr)
    t.true(lines.every((line) => /^[A-Z][A-Z_]+[ =]/.test(line)) && stderr.includes(name), stderr)
  })

test.serial('settings are read from .env in the present folder, and the environment wins', async (t) => {
  const dir = await ownDir(t)
  await writeFile(join(dir, '.env'), 'TRUST_PROXY=yes\nPORT=none\n')
  const { code, stderr } = await daybookIn(dir, { PORT: '4020' }, 'serve')
  t.is(code, 2)
  t.regex(
    stderr,
    /^TRUST_PROXY is not a number from 0 to 8: yes\. Correct it, as in TRUST_PROXY=0, or leave it out: it is 0 then\.\n$/,
  )
})

test.serial('a port that is taken is one line that names PORT', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { code, stderr } = await daybookProcess({ PORT: String(port), DATA_DIR: await ownDir(t) }, 'serve')
  t.deepEqual([code, stderr], [2, `PORT ${port} is already in use\n`])
})

test.serial('help and version are no misuse, a missing command is', async (t) => {
  const [help, version, none] = await Promise.all([
    daybookProcess({}, '--help'),
    daybookProcess({}, '--version'),
    daybookProcess({}),
  ])
  t.deepEqual([help.code, version.code, none.code], [0, 0, 2])
  t.regex(help.stdout, /serve[\s\S]+replay[\s\S]+export[\s\S]+events/)
  t.regex(version.stdout, /^\d+\.\d+\.\d+\n$/)
  t.regex(none.stderr, /a command is missing/)
})

test.serial('with --json an error is JSON on stdout', async (t) => {
  const { code, stdout, stderr } = await daybookProcess({ PORT: 'abc' }, 'events', 'tail', '--json')
  t.deepEqual([code, stderr], [2, ''])
  t.regex(JSON.parse(stdout).error, /PORT/)
})

test.serial('a command makes no installation where there is none', async (t) => {
  const dir = await ownDir(t)
  const missing = await daybookProcess({ DATA_DIR: join(dir, 'missing') }, 'events', 'tail')
  t.deepEqual([missing.code, missing.stderr], [2, `DATA_DIR does not exist: ${join(dir, 'missing')}\n`])
  t.false(existsSync(join(dir, 'missing')))
  const empty = await daybookProcess({ DATA_DIR: dir }, 'replay')
  t.deepEqual([empty.code, empty.stderr], [2, `DATA_DIR holds no event log: ${dir}\n`])
  t.false(existsSync(join(dir, 'events.db')))
})

test.serial('a database that does not answer is one clear line and exit code 1', async (t) => {
  const database = { DATABASE_URL: 'postgres://127.0.0.1:1/x', STARTUP_WAIT_SECONDS: '0' }
  const env = { ...database, PORT: '0', METRICS_PORT: '0', DATA_DIR: await ownDir(t) }
  const { code, stderr } = await daybookProcess(env, 'serve')
  t.is(code, 1)
  t.regex(stderr, /^DATABASE_URL: nobody listens at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. [^\n]+\n$/)
})
