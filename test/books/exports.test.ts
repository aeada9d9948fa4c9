/** The books of each of them in the programs of accountants, and of a period. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import anyTest, { type TestFn } from 'ava'
import { plainAccount, plainAsset } from '../../adapters/journal-export/names.ts'
import { openJournalExport } from '../../adapters/journal-export/open.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { View } from '../../domain/reading/books/entry.ts'
import { bookEntriesOf } from '../../domain/reading/books/index.ts'
import { isCurrency } from '../../domain/reading/journal.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { createQueries } from '../../projections/index.ts'
import { RETAINED } from '../../projections/money/book-queries.ts'
import { booksProjection } from '../../projections/money/books.ts'
import type { JournalSelection } from '../../projections/money/journal-tables.ts'
import { applyAll } from '../projections/setup.ts'
import {
  beancountBalances,
  csvBalances,
  csvRows,
  haveAccountants,
  hledgerBalances,
  jsonlBalances,
  ledgerBalances,
  run,
  summed,
} from '../support/accountants.ts'
import { createDatabase } from '../support/postgres.ts'
import { variedHistory } from '../support/varied-journal.ts'
import { monthOf } from './month.ts'

type Context = { sql: Sql; events: readonly RecordedEvent[]; dir: string; stop(): Promise<void> }
const test = anyTest as TestFn<Context>
const withAccountants = haveAccountants() ? test.serial : test.serial.skip

test.before(async (t) => {
  const { url, drop } = await createDatabase()
  const sql = connect(url, { schema: SERVING, max: 2 })
  const dir = await mkdtemp(join(tmpdir(), 'daybook-books-'))
  const stop = async () => {
    await sql.end({ timeout: 1 })
    drop()
    await rm(dir, { recursive: true })
  }
  const varied = await variedHistory()
  t.context = { sql, dir, events: [...monthOf(), ...behind(varied, 1_000_000n)], stop }
  await prepareSchema(sql, SERVING)
  await createMissing(sql, booksProjection)
  await applyAll(sql, booksProjection, t.context.events)
})

test.after.always((t) => t.context.stop?.())

const VIEWS: readonly View[] = ['platform', 'seller:acc_1', 'user:usr_1', 'app:app_1']
const FROM = new Date('2026-03-02T22:00:00.000Z')
const TO = new Date('2026-03-20T12:00:00.000Z')

for (const view of VIEWS)
  withAccountants(`the books of ${view} come to the same in every program, to the last unit`, async (t) => {
    const { sql, dir, events } = t.context
    const names = namesOf(events)
    for (const selection of [{ view }, { view, from: FROM, to: TO }]) {
      const expected = periodOf(events, selection)
      t.true(expected.size > 0)
      const write = (format: Parameters<typeof openJournalExport>[1]) => text(openJournalExport(sql, format, selection))
      t.deepEqual(await csvBalances(await write('csv')), expected, 'CSV')
      t.deepEqual(jsonlBalances(await write('jsonl')), expected, 'JSON Lines')
      const hledger = await write('hledger')
      t.like(await run('hledger', ['-f', '-', 'check', '--strict'], hledger), { code: 0, stderr: '' })
      t.deepEqual(await hledgerBalances(hledger, names), expected, 'hledger')
      t.deepEqual(await ledgerBalances(hledger, names), expected, 'ledger-cli')
      const file = join(dir, 'view.beancount')
      await writeFile(file, await write('beancount'))
      t.like(await run('bean-check', [file], ''), { code: 0, stderr: '' })
      t.deepEqual(await beancountBalances(file), expected, 'beancount')
    }
    const rows = await createQueries(sql).bookBalances(view)
    t.deepEqual(
      summed(rows.map((row) => [`${row.account} ${row.asset}`, BigInt(row.amount)])),
      periodOf(events, { view }),
    )
    const { closing } = await createQueries(sql).bookPeriod(view, { at: justBefore(FROM) }, { at: TO.toISOString() })
    t.deepEqual(
      summed(closing.map((row) => [`${row.account} ${row.asset}`, BigInt(row.amount)])),
      periodOf(events, { view, from: FROM, to: TO }),
    )
  })

withAccountants('hledger shows what a seller has, owes and earned, and the value of coins in dollars', async (t) => {
  const journal = await text(openJournalExport(t.context.sql, 'hledger', { view: 'seller:acc_1' }))
  const accountsOf = async (report: string, ...options: string[]) => {
    const out = await run('hledger', ['-f', '-', report, '--flat', '-O', 'csv', ...options], journal)
    return new Map((await csvRows(out.stdout)).map(([account = '', amount = '']) => [account, amount]))
  }
  const sheet = await accountsOf('balancesheet')
  for (const each of ['assets:receipts', 'assets:credit', 'liabilities:suspense', 'liabilities:vat'])
    t.true(sheet.has(each), each)
  const statement = await accountsOf('incomestatement')
  for (const each of ['income:sales', 'expenses:fees', 'expenses:gas']) t.true(statement.has(each), each)
  t.false(statement.has('liabilities:vat'))
  const valued = await accountsOf('balance', 'liabilities:vat', '--no-total', '-X', 'USD', '--end', '2026-03-03')
  t.is(valued.get('liabilities:vat'), '-19.000000 USD')
})

test.serial(
  'only a coin of the catalogue is told a price, because others are counted in their smallest unit',
  async (t) => {
    const journal = await text(openJournalExport(t.context.sql, 'hledger', { view: 'seller:acc_1' }))
    const priced = new Set([...journal.matchAll(/^P \S+ "([^"]+)" /gm)].map(([, asset]) => asset ?? ''))
    const sold = new Set(
      [...journal.matchAll(/^ {4}income:sales {2}\S+ "([^"]+)"(?: {2};.*)?$/gm)].map(([, asset]) => asset ?? ''),
    )
    t.true(priced.size > 0)
    t.true(
      [...sold].some((asset) => assetOf(asset) === undefined && !isCurrency(asset)),
      'other tokens are sold, too',
    )
    for (const asset of priced) t.truthy(assetOf(asset), asset)
  },
)

test.serial('a name that is no view reaches no database, whoever wrote it into the head of an export', async (t) => {
  for (const name of ["platform' or 'a' = 'a", 'seller:acc_1;', 'seller:usr_1', 'platform\n', ''])
    await t.throwsAsync(text(openJournalExport(t.context.sql, 'csv', { view: name as View })), {
      message: /not the name of anybody's books/,
    })
})

/** The same events, later in the order of the ledger. */
const behind = (events: readonly RecordedEvent[], by: bigint): readonly RecordedEvent[] =>
  events.map((event) => ({ ...event, position: event.position + by, order: event.order + by }))

const justBefore = (time: Date): string => new Date(time.getTime() - 1).toISOString()

/** What a view comes to over a period by its events alone; what was earned before it is retained. */
const periodOf = (events: readonly RecordedEvent[], { view, from, to }: JournalSelection) =>
  summed(
    events
      .filter(({ at }) => to === undefined || at <= to.toISOString())
      .flatMap((event) =>
        bookEntriesOf(event)
          .filter((entry) => entry.view === view)
          .flatMap(({ postings }) => postings)
          .map(({ account, asset, amount }) => {
            const isBefore = from !== undefined && event.at < from.toISOString()
            const name = isBefore && /^(income|expenses):/.test(account) ? RETAINED : account
            return [`${name} ${asset}`, BigInt(amount)] as const
          }),
      ),
  )

const namesOf = (events: readonly RecordedEvent[]) => {
  const all = events.flatMap(bookEntriesOf).flatMap(({ postings }) => postings)
  const back = (name: (text: string) => string, list: readonly string[]) =>
    new Map([...list, RETAINED].map((each) => [name(each), each]))
  const accounts = back(
    plainAccount,
    all.map(({ account }) => account),
  )
  const coins = back(
    plainAsset,
    all.map(({ asset }) => asset),
  )
  return { account: (name: string) => accounts.get(name) ?? name, asset: (name: string) => coins.get(name) ?? name }
}
