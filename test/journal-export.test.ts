/** The journal in four formats, read by the programs of accountants, beside what the events themselves come to. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import anyTest, { type TestFn } from 'ava'
import { plainAccount, plainAsset } from '../adapters/journal-export/names.ts'
import { JOURNAL_FORMATS, type JournalFormatName, openJournalExport } from '../adapters/journal-export/open.ts'
import { connect, type Sql } from '../adapters/postgres/connect.ts'
import { FIAT_DECIMALS, toDecimal } from '../domain/kernel/money.ts'
import type { RecordedEvent } from '../domain/kernel/ports.ts'
import { postingsOf } from '../domain/reading/journal.ts'
import { tagsOf } from '../domain/reading/journal-tags.ts'
import { createMissing, prepareSchema, SERVING } from '../projections/engine/schema.ts'
import { createQueries } from '../projections/index.ts'
import { journalProjection } from '../projections/money/journal.ts'
import type { JournalSelection } from '../projections/money/journal-tables.ts'
import { applyAll } from './projections/setup.ts'
import {
  type Balances,
  beancountBalances,
  csvBalances,
  csvRows,
  haveAccountants,
  hledgerBalances,
  jsonlBalances,
  ledgerBalances,
  run,
  summed,
} from './support/accountants.ts'
import { cases } from './support/depth.ts'
import { createDatabase } from './support/postgres.ts'
import { variedHistory } from './support/varied-journal.ts'

type Context = { sql: Sql; events: readonly RecordedEvent[]; dir: string; stop(): Promise<void> }
const test = anyTest as TestFn<Context>
const withAccountants = haveAccountants() ? test.serial : test.serial.skip

test.before(async (t) => {
  const { url, drop } = await createDatabase()
  const sql = connect(url, { schema: SERVING, max: 2 })
  const dir = await mkdtemp(join(tmpdir(), 'daybook-accountants-'))
  const stop = async () => {
    await sql.end({ timeout: 1 })
    drop()
    await rm(dir, { recursive: true })
  }
  t.context = { sql, dir, events: await variedHistory(), stop }
  await prepareSchema(sql, SERVING)
  await createMissing(sql, journalProjection)
  await applyAll(sql, journalProjection, t.context.events)
})

test.after.always((t) => t.context.stop?.())

const DAY = new Date('2026-03-20T12:00:00.000Z')
const LATER = new Date('2026-04-02T00:00:00.000Z')
const selections: readonly [what: string, selection: JournalSelection][] = [
  ['everything', {}],
  ['up to a day', { to: DAY }],
  ['from a day on', { from: DAY }],
  ['between two days', { from: DAY, to: LATER }],
  ['of one seller', { owner: 'acc_1' }],
  ['of one seller from a day on', { owner: 'acc_1', from: DAY }],
  ['of one user', { owner: 'usr_1' }],
  ['of one app between two days', { owner: 'app_1', from: DAY, to: LATER }],
  ['of somebody without any', { owner: 'usr_none' }],
]

/** The quick run has the programs of accountants read some of them; what JSON Lines say is compared for all. */
const readByPrograms = new Set(cases(selections, 4))

for (const each of selections) {
  const [what, selection] = each
  withAccountants(`the journal, ${what}, comes to the same in every format, to the last unit`, async (t) => {
    const { sql, dir, events } = t.context
    const expected = balancesOf(events, selection)
    const names = namesOf(events)
    const [csv, hledger, beancount, jsonl] = await Promise.all(
      JOURNAL_FORMATS.map((each) => written(sql, each, selection)),
    )
    t.deepEqual(jsonlBalances(jsonl ?? ''), expected, 'JSON Lines')
    if (!readByPrograms.has(each)) return
    t.deepEqual(await csvBalances(csv ?? ''), expected, 'CSV')
    t.like(await run('hledger', ['-f', '-', 'check', '--strict'], hledger ?? ''), { code: 0, stderr: '' })
    t.deepEqual(await hledgerBalances(hledger ?? '', names), expected, 'hledger')
    t.deepEqual(await ledgerBalances(hledger ?? '', names), expected, 'ledger-cli')
    const file = join(dir, 'journal.beancount')
    await writeFile(file, beancount ?? '')
    t.like(await run('bean-check', [file], ''), { code: 0, stderr: '' })
    t.deepEqual(await beancountBalances(file), expected, 'beancount')
  })
}

withAccountants('the trial balance is what hledger says, on any day', async (t) => {
  const { sql, events } = t.context
  const journal = await written(sql, 'hledger', {})
  const names = namesOf(events)
  const trial = await createQueries(sql).trialBalance()
  const rows = trial.map(({ account, asset, amount }) => [`${account} ${asset}`, BigInt(amount)] as const)
  t.deepEqual(await hledgerBalances(journal, names), summed(rows))
  for (const day of ['2026-03-02', '2026-03-03', '2026-03-21', '2026-04-30']) {
    const to = new Date(`${day}T23:59:59.999Z`)
    const upTo = await hledgerBalances(journal, names, '--end', new Date(to.getTime() + 1).toISOString().slice(0, 10))
    t.deepEqual(upTo, balancesOf(events, { to }), day)
  }
})

withAccountants('hledger shows what the account holders have, owe, earned and spent', async (t) => {
  const journal = await written(t.context.sql, 'hledger', {})
  const accountsOf = async (report: string) => {
    const out = await run('hledger', ['-f', '-', report, '--flat', '-O', 'csv'], journal)
    return new Set((await csvRows(out.stdout)).map(([account]) => account))
  }
  const balanceSheet = await accountsOf('balancesheet')
  for (const each of [
    'seller:acc_1:credit',
    'seller:acc_1:owed',
    'seller:acc_2:wallet',
    'user:usr_1:balance',
    'app:app_1:credit',
  ])
    t.true(balanceSheet.has(each), each)
  const income = await accountsOf('incomestatement')
  for (const each of ['buyers', 'platform:grants', 'platform:fees', 'platform:sales']) t.true(income.has(each), each)
  const tagged = await run('hledger', ['-f', '-', 'print', `tag:event=${t.context.events.at(-1)?.id}`], journal)
  t.regex(tagged.stdout, /^\d{4}-\d\d-\d\d [A-Z]\w+ {2}; time:\S+, position:\d+, event:[0-9a-f-]{36}, stream:\w+-\w+/)
})

withAccountants('one unit more in a file is found by who reads it', async (t) => {
  const { sql, dir } = t.context
  const amounts = /(?<= {2}-?\d*\.?\d*)\d(?= )/g
  for (const format of ['hledger', 'beancount'] as const) {
    const journal = await written(sql, format, { owner: 'acc_1' })
    const places = [...journal.matchAll(amounts)].map(({ index }) => index)
    t.true(places.length > 50)
    for (const at of [places[0], places[places.length >> 1], places.at(-1)]) {
      const digit = String((Number(journal[at ?? 0]) + 1) % 10)
      const changed = `${journal.slice(0, at)}${digit}${journal.slice((at ?? 0) + 1)}`
      const file = join(dir, `changed.${format}`)
      await writeFile(file, changed)
      const [program, ...args] = format === 'hledger' ? ['hledger', '-f', file, 'check'] : ['bean-check', file]
      const { code, stderr } = await run(program ?? '', args, '')
      t.not(code, 0)
      t.regex(stderr, /balance/)
    }
  }
})

withAccountants('what came before stands in one entry, which balances', async (t) => {
  const { sql, events } = t.context
  for (const selection of [{ from: DAY }, { from: DAY, owner: 'usr_1' }]) {
    const [first, second] = (await written(sql, 'jsonl', selection)).split('\n').map((line) => line && JSON.parse(line))
    t.like(first, { position: null, id: null, stream: null, type: 'opening balances', time: DAY.toISOString() })
    const before = balancesOf(events, { ...selection, to: new Date(DAY.getTime() - 1) })
    t.deepEqual(jsonlBalances(`${JSON.stringify(first)}\n`), before)
    t.true(second.time >= DAY.toISOString() && second.position !== null)
    const csv = await csvRows(await written(sql, 'csv', selection))
    t.deepEqual(
      csv.slice(1, before.size + 1).map(([position, line, time, type]) => [position, line, time, type]),
      Array.from(before, (_, line) => ['', String(line), DAY.toISOString(), 'opening balances']),
    )
  }
  const whole = await written(sql, 'jsonl', {})
  t.false(whole.includes('opening balances'))
  t.is(await written(sql, 'jsonl', { from: new Date(0) }), whole)
})

test.serial('it is known before the first byte how many lines and entries there are', async (t) => {
  const { sql, events } = t.context
  for (const selection of [{}, { from: DAY }, { owner: 'acc_1', to: DAY }]) {
    let counts = { lines: 0n, entries: 0n }
    let read = 0n
    const content = openJournalExport(sql, 'jsonl', selection, {
      onCounts: (counted) => (counts = counted),
      onLines: (lines) => (read = lines),
    })
    const entries = (await text(content)).split('\n').filter(Boolean)
    t.is(counts.entries, BigInt(entries.length))
    t.is(counts.lines, BigInt(entries.flatMap((line) => JSON.parse(line).postings).length))
    t.is(read, counts.lines)
    if (!('from' in selection)) t.is(entries.length, selected(events, selection).length)
  }
})

withAccountants('no cell of the CSV is run by a spreadsheet, and its amounts are numbers', async (t) => {
  const [, ...rows] = await csvRows(await written(t.context.sql, 'csv', {}))
  for (const row of rows) {
    for (const cell of row.slice(2, 8)) t.notRegex(cell, /^[=+@\t\r\n-]/)
    for (const cell of row.slice(8, 10)) t.regex(cell, /^-?\d+(\.\d+)?$/)
    t.regex(row.slice(10).join(), /^[^,]*,(\d+(\.\d+)?,[A-Z]{3},\d+(\.\d+)?|,,)$/)
  }
})

test.serial(
  'each entry says in every format which transaction it belongs to, and what its coins are worth',
  async (t) => {
    const { sql, events } = t.context
    const told = events.filter((event) => postingsOf(event).length > 0 && tagsOf(event).worth !== undefined)
    t.true(told.length > 10)
    const entries = (await written(sql, 'jsonl', {}))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const [, ...rows] = await csvRows(await written(sql, 'csv', {}))
    const [hledger, beancount] = [await written(sql, 'hledger', {}), await written(sql, 'beancount', {})]
    for (const event of told) {
      const { worth, transactionId } = tagsOf(event)
      const tags = {
        fiat_amount: toDecimal(BigInt(worth?.amount ?? 0), FIAT_DECIMALS),
        fiat_currency: worth?.currency,
        rate: worth?.rate,
        ...(transactionId !== undefined && { transaction_id: transactionId }),
      }
      t.like(
        entries.find(({ id }) => id === event.id),
        tags,
      )
      t.deepEqual(rows.find((row) => row[4] === event.id)?.slice(11), [tags.fiat_amount, tags.fiat_currency, tags.rate])
      const own = hledger.split('\n').find((line) => line.includes(`event:${event.id},`)) ?? ''
      t.true(own.includes(`, fiat_amount:${tags.fiat_amount}, fiat_currency:${tags.fiat_currency}, rate:${tags.rate}`))
      const entry = beancount.slice(beancount.indexOf(`event: "${event.id}"`)).split('\n\n')[0] ?? ''
      t.true(entry.includes(`  fiat_amount: "${tags.fiat_amount}"\n  fiat_currency: "${tags.fiat_currency}"\n`))
    }
  },
)

test.serial('a reader who goes away leaves the database to the next', async (t) => {
  const content = openJournalExport(t.context.sql, 'hledger', {})
  content.once('data', () => content.destroy())
  await t.throwsAsync(text(content), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  t.true((await written(t.context.sql, 'csv', {})).startsWith('position,line,time,'))
})

const written = (sql: Sql, format: JournalFormatName, selection: JournalSelection) =>
  text(openJournalExport(sql, format, selection))

/** What the events themselves come to. */
const balancesOf = (events: readonly RecordedEvent[], selection: JournalSelection): Balances =>
  summed(
    selected(events, selection)
      .flatMap(postingsOf)
      .map(({ account, asset, amount }) => [`${account} ${asset}`, BigInt(amount)]),
  )

const HOLDERS: Readonly<Record<string, string>> = { acc: 'seller', usr: 'user', app: 'app' }

const selected = (events: readonly RecordedEvent[], { owner, to }: JournalSelection) =>
  events.filter((event) => {
    const mine = owner === undefined ? '' : `${HOLDERS[owner.slice(0, 3)]}:${owner}:`
    return (
      (to === undefined || new Date(event.at) <= to) &&
      postingsOf(event).some(({ account }) => account.startsWith(mine))
    )
  })

const namesOf = (events: readonly RecordedEvent[]) => {
  const postings = events.flatMap(postingsOf)
  const accounts = new Map(postings.map(({ account }) => [plainAccount(account), account]))
  const assets = new Map(postings.map(({ asset }) => [plainAsset(asset), asset]))
  return {
    account: (name: string) => accounts.get(name) ?? `no account is called ${name}`,
    asset: (name: string) => assets.get(name) ?? `no asset is called ${name}`,
  }
}
