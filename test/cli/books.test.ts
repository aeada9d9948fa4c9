/** One shop with sales, looked at through the command line: beside the running service, and once it is stopped. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { createClient } from '../../src/demo/client.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { deepTest } from '../support/deep-test.ts'
import { DEEP } from '../support/depth.ts'
import { sell, shop } from '../support/sale.ts'
import { daybook, daybookProcess, type Place, start, startShop } from './daybook.ts'

type Shop = { place: Place; accountId: string }
const test = anyTest as TestFn<Shop>

test.before(async (t) => {
  Object.assign(t.context, await startShop())
})

test.after.always((t) => t.context.place?.stop())

test.serial('where no terminal is, the service says where everything is in one line of JSON, and nothing else', (t) => {
  const { place } = t.context
  const { ready, url } = place.service()
  t.like(ready, { openapi: `${url}/openapi.json`, inbox: `${url}/dev/inbox`, dataDir: place.dir })
  t.regex(String(ready.metrics), /\/metrics$/)
  t.regex(String(ready.eventStore), /eventstore\.sock/)
})

test.serial('a second service on the same DATA_DIR is refused', async (t) => {
  const { env, dir } = t.context.place
  const { code, stderr } = await daybookProcess(env, 'serve')
  t.deepEqual([code, stderr], [2, `DATA_DIR is in use by another process: ${dir}\n`])
})

test.serial('there is no sandbox to pay on when a chain is configured', async (t) => {
  const to = `0x${'1'.repeat(40)}`
  const { code, stderr } = await daybook(t.context.place.env, 'sandbox', 'pay', '--to', to, '--amount', '1')
  t.is(code, 1)
  t.regex(stderr, /no sandbox chain/)
})

deepTest.serial<Shop>('events that come are followed until Ctrl-C', async (t) => {
  const { env, app } = t.context.place
  const child = start(env, ['events', 'tail', '--follow', '--json', '--limit', '1', '--type', 'AccountSignedUp'])
  let seen = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (seen += text))
  const lines = async (count: number) => {
    while (seen.split('\n').length <= count) await once(child.stdout as NodeJS.EventEmitter, 'data')
  }
  await lines(1)
  await app.call('POST', '/v1/signup', { body: { email: 'late@example.test', password: 'correct horse' } })
  await lines(2)
  const gone = once(child, 'exit')
  child.kill('SIGINT')
  t.deepEqual((await gone)[0], 0)
  const types = seen
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  t.deepEqual(types, ['AccountSignedUp', 'AccountSignedUp'])
  t.false(seen.includes('late@example.test'), 'sealed values stay sealed')
})

test.serial('every command works beside the running service', async (t) => {
  await looksRight(t.context)
  t.is((await t.context.place.app.call('GET', '/readyz')).status, 200)
})

test.serial('SIGTERM ends the service with 0, and commands work without it', async (t) => {
  const { place } = t.context
  const { code, stderr } = await place.service().stop()
  t.deepEqual([code, stderr], [0, ''])
  t.false((await readdir(place.dir)).includes('running.json'))
  if (DEEP) await looksRight(t.context)
  else t.is((await daybookProcess(place.env, 'replay', '--verify')).code, 0)
  const follow = await daybook(place.env, 'events', 'tail', '--follow')
  t.deepEqual([follow.code, follow.stdout], [1, ''])
})

test.serial('the books, a statement and what lies between two positions', async (t) => {
  const { place, accountId } = t.context
  const run = runIn(place)
  const own = JSON.parse(await run('books', '--account', accountId, '--json'))
  const wallet = own.trialBalance.find(({ account }: { account: string }) => account === `seller:${accountId}:wallet`)
  const statement = await run('books', 'statement', wallet.account, '--asset', wallet.asset)
  t.regex(statement, /Opening balance {2}0\n/)
  t.is(statement.match(/ChallengeSettled/g)?.length, 2)
  t.true(statement.endsWith(`Closing balance  ${wallet.amount} ${wallet.asset}\n`), statement)
  const later = await run('books', 'statement', 'platform:grants', '--from', '2099-01-01', '--json')
  t.regex(later, /"opening":\[\{[^}]*"amount":"-5"[^\n]*\n\{"closing":\[\{[^}]*"amount":"-5"[^\n]*\n$/)
  const whole = await run('books')
  t.regex(whole, /Every asset sums to zero\.\n$/)
  const all = await run('diff', '0', '9000000000000')
  t.regex(all, /ChallengeSettled +2\n.*, completed\n.*Every asset sums to zero\.\n$/s)
  const rows = (text: string) => text.split('\n').filter((line) => /^(seller|platform|buyers)/.test(line))
  t.deepEqual(rows(all), rows(whole), 'what moved since the beginning is what is there')
  const unknown = await daybook(place.env, 'books', 'statement', 'seller:acc_nobody:credit')
  t.deepEqual([unknown.code, unknown.stderr], [1, 'the journal has no account seller:acc_nobody:credit\n'])
})

test.serial('read models that lag the log are told, and a replay brings them to its end', async (t) => {
  const { env, databaseUrl } = t.context.place
  const sql = connect(databaseUrl, { schema: 'daybook', max: 1 })
  t.teardown(() => sql.end())
  // As a kill between two commits would leave it: rows and place of an earlier moment.
  const early = await daybook(env, 'events', 'tail', '--from', '0', '--limit', '1', '--json')
  const { position } = JSON.parse(early.stdout)
  for (const table of ['postings', 'journal_sums', 'journal_blocks', 'journal_sales'])
    await sql`delete from ${sql(table)}`
  await sql`update checkpoints set position = ${position} where name = 'journal'`
  const lagging = await daybook(env, 'replay', '--verify')
  t.is(lagging.code, 0, lagging.stderr)
  const books = await daybook(env, 'books', '--json')
  t.deepEqual([books.code, JSON.parse(books.stdout).trialBalance], [0, []])
  t.regex(
    (await daybook(env, 'books')).stderr,
    /^The read model lacks \d+ events of the log: daybook replay adds them\.\n$/,
  )
  const asOf = JSON.parse((await daybook(env, 'replay', '--as-of', '2099-01-01', '--json')).stdout)
  t.deepEqual([asOf.snapshot, asOf.balanced, asOf.trialBalance.length > 3], [null, true, true])
  t.regex(lagging.stdout, new RegExp(`up to position ${position}, \\d+ events before the end`))
  t.is((await daybook(env, 'replay')).code, 0)
  const after = await daybook(env, 'replay', '--verify', '--json')
  t.is(JSON.parse(after.stdout).eventsBehind, 0)
  t.true(JSON.parse(after.stdout).equal)
})

deepTest.serial<Shop>('a changed cell is found and shown, and a replay makes it right', async (t) => {
  const { env, databaseUrl } = t.context.place
  const sql = connect(databaseUrl, { schema: 'daybook', max: 1 })
  t.teardown(() => sql.end())
  await sql`update credits set balance = balance + 1000000`
  const found = await daybook(env, 'replay', '--verify')
  t.is(found.code, 1)
  t.regex(found.stdout, /accounts +DIFFERENT/)
  t.regex(found.stdout, /credits, only serving: .*\n {2}credits, only replayed: /)
  const told = JSON.parse((await daybook(env, 'replay', '--verify', '--json')).stdout)
  t.false(told.equal)
  t.is(told.models[0].differences[0].table, 'credits')
  t.is((await daybook(env, 'replay')).code, 0)
  t.is((await daybook(env, 'replay', '--verify')).code, 0)
  const left = await sql`select from pg_namespace where nspname in ('daybook_verify', 'daybook_as_of')`
  t.is(left.length, 0)
})

test.serial('an export replaces a file only when it is complete', async (t) => {
  const { env, dir } = t.context.place
  const file = join(dir, 'sales.csv')
  await writeFile(file, 'old')
  const unknown = await daybook(env, 'export', 'transactions', '--account', 'acc_nobody', '--out', file)
  t.deepEqual([unknown.code, await readFile(file, 'utf8')], [1, 'old'])
  const { code, stdout } = await daybook(env, 'export', 'transactions', '--out', file, '--json')
  const written = await readFile(file, 'utf8')
  const sha256 = createHash('sha256').update(written).digest('hex')
  t.is(code, 0)
  t.like(JSON.parse(stdout), { file, bytes: written.length, sha256, head_file: `${file}.head.json` })
  t.is(written, (await daybook(env, 'export', 'transactions')).stdout)
  t.deepEqual(
    (await readdir(dir)).filter((name) => name.endsWith('.part')),
    [],
  )
})

test.serial('the journal is exported for accountants, as a file or to whoever reads on', async (t) => {
  const { place, accountId } = t.context
  const { env, dir } = place
  const file = join(dir, 'journal.csv')
  const { code, stdout } = await daybook(env, 'export', 'csv', '--out', file, '--json')
  const written = await readFile(file, 'utf8')
  const sha256 = createHash('sha256').update(written).digest('hex')
  // A gift when the address was verified, and twice a payment and its fee.
  const counts = { format: 'csv', entries: 5, lines: 10 }
  t.is(code, 0)
  t.like(JSON.parse(stdout), { file, bytes: written.length, sha256, ...counts })
  t.is(written.split('\n').length, 12)
  const mine = await daybook(env, 'export', 'hledger', '--account', accountId, '--from', '2020-01-01')
  t.deepEqual([mine.code, mine.stderr], [0, ''])
  t.regex(
    mine.stdout,
    /\n\n; daybook-export: \{"format":"daybook-export\/3","export":"hledger","account":"acc_\w+".*\}\n$/,
  )
  const held = await daybook(env, 'audit', 'seal')
  t.is(held.code, 0, held.stderr)
  const again = await daybook(env, 'export', 'csv', '--out', file)
  t.is(again.code, 0, again.stderr)
  const verified = await daybook(env, 'audit', 'verify-export', file)
  t.deepEqual([verified.code, verified.stdout.split('\n')[0]], [0, 'The export is of this log.'])
  const head = join(dir, 'elsewhere.json')
  const piped = await daybook(env, 'export', 'csv', '--head', head)
  t.deepEqual([piped.code, piped.stdout], [0, written])
  t.is(await readFile(head, 'utf8'), await readFile(`${file}.head.json`, 'utf8'))
  await writeFile(file, written.replace('ChallengeSettled', 'ChallengeUnsettled'))
  const changed = await daybook(env, 'audit', 'verify-export', file)
  t.is(changed.code, 1)
  t.regex(
    changed.stdout,
    /^The export is NOT of this log\.\n +WRONG +its lines: .*\n(.*\n)* +WRONG +made again: line \d+/,
  )
  t.is(mine.stdout.match(/^ {4}seller:acc_\w+:(credit|wallet) {2}/gm)?.length, 5)
  const nobody = await daybook(env, 'export', 'jsonl', '--account', 'usr_nobody')
  t.deepEqual([nobody.code, nobody.stdout, nobody.stderr], [1, '', 'there is no user usr_nobody\n'])
})

deepTest.serial<Shop>('the service goes on from what the replay left', async (t) => {
  const { place } = t.context
  const service = await serve(readConfig(place.env))
  t.teardown(() => service.stop())
  const app = { ...place.app, call: createClient(() => service.origin).call }
  t.is((await app.call('GET', '/readyz')).status, 200)
  await sell(app, await shop(app, { webhook: false }))
  const { code, stdout } = await daybook(place.env, 'replay', '--verify')
  t.is(code, 0, stdout)
})

/** What must hold whether the service runs or not. */
const looksRight = async ({ place, accountId }: { place: Place; accountId: string }) => {
  const run = runIn(place)
  const replayed = JSON.parse(await run('replay', '--json'))
  equal(replayed.models.find(({ name }: { name: string }) => name === 'transactions').rows.transactions, 2)
  const verified = JSON.parse(await run('replay', '--verify', '--json'))
  equal(verified.equal, true)

  const all = (await run('events', 'tail', '--from', '0', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  equal(all.length > 20, true)
  equal(
    all.every((event, i) => i === 0 || BigInt(event.position) > BigInt(all[i - 1].position)),
    true,
  )
  const tail = (await run('events', 'tail', '--limit', '3')).trim().split('\n')
  equal(
    tail.map((line) => line.split(' ')[0]).join(),
    all
      .slice(-3)
      .map(({ position }) => position)
      .join(),
  )
  const settled = all.filter(({ type }) => type === 'ChallengeSettled')
  equal((await run('events', 'tail', '--type', 'ChallengeSettled')).trim().split('\n').length, 2)
  for (const which of [settled[0].id, settled[0].position])
    equal(JSON.parse(await run('events', 'show', which, '--json')).id, settled[0].id)
  equal((await run('events', 'show', settled[0].stream)).includes('ChallengeSettled'), true)

  const csv = await run('export', 'transactions', '--account', accountId)
  equal(csv.trim().split('\n').length, 3)
  const before = JSON.parse(await run('replay', '--as-of', settled[1].at, '--whole', '--json'))
  equal([before.balanced, before.rows.transactions <= 2].join(), 'true,true')
  const first = JSON.parse(await run('replay', '--as-of', settled[0].position, '--json'))
  equal(first.position, settled[0].position)
  const amounts = Object.fromEntries(first.trialBalance.map((row: Record<string, string>) => [row.account, row.amount]))
  equal(amounts['platform:grants'], '-5')
  equal(amounts.buyers?.startsWith('-0.0'), true)
  const same = JSON.parse(await run('books', '--as-of', settled[0].position, '--json'))
  equal(JSON.stringify(same.trialBalance), JSON.stringify(first.trialBalance))
}

/** Runs a command that must go well and have nothing to remark; answers what it tells. */
const runIn =
  ({ env }: Place) =>
  async (...args: string[]) => {
    const { code, stdout, stderr } = await daybook(env, ...args)
    if (code !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }

const equal = (actual: unknown, expected: unknown) => {
  if (actual !== expected) throw new Error(`expected ${expected} but got ${actual}`)
}
