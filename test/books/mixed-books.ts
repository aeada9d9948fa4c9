/** The books of everybody after a month over HTTP, in the programs of accountants, beside what was written by hand. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { plainAccount, plainAsset } from '../../adapters/journal-export/names.ts'
import { type JournalFormatName, openJournalExport } from '../../adapters/journal-export/open.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { FIAT_DECIMALS, toUnits } from '../../domain/kernel/money.ts'
import type { View } from '../../domain/reading/books/entry.ts'
import { decimalsOf } from '../../domain/reading/journal.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { createQueries } from '../../projections/index.ts'
import { eventually } from '../../src/demo/stage.ts'
import {
  beancountBalances,
  csvBalances,
  csvRows,
  haveAccountants,
  hledgerBalances,
  jsonlBalances,
  ledgerBalances,
  run,
  type Balances as Sums,
  summed,
} from '../support/accountants.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Clock, openBalances } from '../support/balance-calls.ts'
import { startCardProcessor } from '../support/card/processor.ts'
import { startGaslessChain } from '../support/gasless.ts'
import { assertReplayEqual, logOf } from '../support/sale.ts'
import { BEFORE, KINDS } from './mixed-month.ts'
import { type Amounts, openPeople, openSeller } from './mixed-scene.ts'

type Context = {
  app: TestApp
  sql: Sql
  dir: string
  ids: Readonly<Record<'SELLER' | 'USER' | 'APP', string>>
  moved: Amounts
  stop(): Promise<void>
}

const PLATFORM_WALLET = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

/** Plays these kinds of sale, one after the other, and holds every view of the books against the table. */
export const mixedBooks = (kinds: readonly string[]): void => {
  const test = anyTest as TestFn<Context>
  const withAccountants = haveAccountants() ? test.serial : test.serial.skip
  test.before(async (t) => void Object.assign(t.context, await played(t.context, kinds)))
  test.after.always((t) => t.context.stop?.())

  for (const whose of ['seller', 'platform', 'user', 'app'] as const)
    withAccountants(`the books of the ${whose} are the table that was written by hand, in every program`, async (t) => {
      const view = viewOf(t.context, whose)
      const expected = expectedOf(t.context, kinds, whose)
      await eventually('the read model', async () => {
        const rows = await createQueries(t.context.sql).bookBalances(view)
        return same(summed(rows.map((row) => [`${row.account} ${row.asset}`, BigInt(row.amount)])), expected)
      }).catch(() => {})
      await programsAgree(t, view, expected)
    })

  test.serial('what was moved was worth what the table says, in dollars and in euros', async (t) => {
    const [head = [], ...rows] = await csvRows(await written(t.context.sql, 'csv', viewOf(t.context, 'seller')))
    const cell = (row: readonly string[], name: string) => row[head.indexOf(name)] ?? ''
    const worth = new Map<string, bigint>()
    for (const row of rows) {
      const key = `${cell(row, 'account')} ${cell(row, 'asset')}`
      worth.set(key, (worth.get(key) ?? 0n) + toUnits(plain(cell(row, 'value_usd')) || '0', FIAT_DECIMALS))
      if (cell(row, 'asset') === 'USD' || cell(row, 'value') === '') continue
      t.is(cell(row, 'value_currency'), 'EUR')
      const [usd, eur] = [cell(row, 'value_usd'), cell(row, 'value')].map((each) => Number(plain(each)))
      t.true(Math.abs((usd ?? 0) - (eur ?? 0) * 1.16) < 0.000_01, `${usd} USD is ${eur} EUR`)
    }
    t.true(worthOf(kinds).size >= 4)
    for (const [key, usd] of worthOf(kinds)) {
      const off = (worth.get(key) ?? 0n) - usd
      t.true(off <= ROUNDED && off >= -ROUNDED, `${key} is worth ${worth.get(key)} and not ${usd}`)
    }
  })

  test.after('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, t.context.app))
}

/** Millionths of a dollar by which the sum of an account may be off, because each entry is rounded. */
const ROUNDED = 12n

const played = async (context: Context, kinds: readonly string[]): Promise<Omit<Context, 'stop'>> => {
  const clock: Clock = { shiftMs: 0 }
  const [chain, processor, dir] = [
    await startGaslessChain(),
    await startCardProcessor(),
    await mkdtemp(join(tmpdir(), 'daybook-month-')),
  ]
  const app = await startApp({
    world: { now: () => new Date(Date.now() + clock.shiftMs) },
    env: { ...chain.env, CARD_PROCESSOR_URL: processor.url, PLATFORM_WALLETS: `eth=${PLATFORM_WALLET}` },
  })
  const balances = await openBalances(app, clock)
  const sql = connect(app.databaseUrl, { schema: SERVING, max: 2 })
  context.stop = async () => {
    await sql.end({ timeout: 1 })
    await balances.stop()
    await app.stop()
    await processor.stop()
    await chain.stop()
    await rm(dir, { recursive: true })
  }
  const seller = await openSeller(app, processor)
  const people = await openPeople(balances)
  const moved: Record<string, bigint> = {}
  for (const kind of kinds)
    Object.assign(moved, await KINDS[kind]?.play({ app, chain, processor, balances, clock, seller, people }))
  const granted = (await logOf(app)).find(({ type }) => type === 'CreditGranted')
  const ids = {
    SELLER: granted?.stream.replace('creditAccount-', '') ?? '',
    USER: people.ada.sub,
    APP: people.shop.clientId,
  }
  return { app, sql, dir, ids, moved }
}

const viewOf = ({ ids }: Context, whose: Whose): View =>
  whose === 'platform' ? 'platform' : (`${whose}:${ids[whose.toUpperCase() as keyof Context['ids']]}` as View)

type Whose = 'seller' | 'platform' | 'user' | 'app'

const linesOf = (kinds: readonly string[]) => [...BEFORE, ...kinds.flatMap((kind) => KINDS[kind]?.expected ?? [])]

/** The table in smallest units. */
const expectedOf = ({ ids, moved }: Context, kinds: readonly string[], whose: Whose): Sums =>
  summed(
    linesOf(kinds)
      .filter(([of]) => of === whose)
      .map(([, account, asset, amount]) => [
        `${account.replace(/[A-Z]+$/, (name) => ids[name as keyof Context['ids']])} ${asset}`,
        typeof amount === 'string' ? toUnits(amount, decimalsOf(asset)) : amount(moved),
      ]),
  )

/** What the seller's coins and card money are worth in millionths of a dollar, where the table says all of it. */
const worthOf = (kinds: readonly string[]): ReadonlyMap<string, bigint> => {
  const lines = linesOf(kinds).filter(([of, , asset]) => of === 'seller' && asset !== 'USD')
  const keyOf = ([, account, asset]: (typeof lines)[number]) => `${account} ${asset}`
  const unknown = new Set(lines.filter(([, , , , usd]) => usd === undefined).map(keyOf))
  const known = lines.filter((line) => !unknown.has(keyOf(line)))
  return summed(known.map((line) => [keyOf(line), toUnits(line[4] ?? '0', FIAT_DECIMALS)]))
}

const programsAgree = async (t: ExecutionContext<Context>, view: View, expected: Sums): Promise<void> => {
  const { sql, dir } = t.context
  t.true(expected.size > 0)
  t.deepEqual(await csvBalances(await written(sql, 'csv', view)), expected, 'CSV')
  t.deepEqual(jsonlBalances(await written(sql, 'jsonl', view)), expected, 'JSON Lines')
  const hledger = await written(sql, 'hledger', view)
  const names = namesIn(expected)
  t.like(await run('hledger', ['-f', '-', 'check', '--strict'], hledger), { code: 0, stderr: '' })
  t.deepEqual(await hledgerBalances(hledger, names), expected, 'hledger')
  t.deepEqual(await ledgerBalances(hledger, names), expected, 'ledger-cli')
  const kept = (kind: RegExp) => new Map([...expected].filter(([key]) => kind.test(key)))
  t.deepEqual(await reported('balancesheet', hledger, names), kept(/^(assets|liabilities):/), 'balance sheet')
  t.deepEqual(await reported('incomestatement', hledger, names), kept(/^(income|expenses):/), 'income statement')
  const file = join(dir, 'month.beancount')
  await writeFile(file, await written(sql, 'beancount', view))
  t.like(await run('bean-check', [file], ''), { code: 0, stderr: '' })
  t.deepEqual(await beancountBalances(file), expected, 'beancount')
}

const written = (sql: Sql, format: JournalFormatName, view: View) => text(openJournalExport(sql, format, { view }))

/** A report of hledger, which shows what is owed and earned above zero. */
const reported = async (report: string, journal: string, names: ReturnType<typeof namesIn>): Promise<Sums> => {
  const args = ['-f', '-', report, '--flat', '--no-total', '--layout=bare', '-O', 'csv']
  const { stdout } = await run('hledger', args, journal)
  return summed(
    (await csvRows(stdout)).flatMap(([account = '', asset = '', amount = '']) => {
      if (!/^(assets|liabilities|income|expenses):/.test(account)) return []
      const [name, code] = [names.account(account), names.asset(asset)]
      const units = toUnits(amount, decimalsOf(code))
      return [[`${name} ${code}`, /^(liabilities|income):/.test(account) ? -units : units] as const]
    }),
  )
}

const namesIn = (expected: Sums) => {
  const keys = [...expected.keys()].map((key) => key.split(' '))
  const accounts = new Map(keys.map(([account = '']) => [plainAccount(account), account]))
  const assets = new Map(keys.map(([, asset = '']) => [plainAsset(asset), asset]))
  return { account: (name: string) => accounts.get(name) ?? name, asset: (name: string) => assets.get(name) ?? name }
}

const same = (one: Sums, other: Sums): boolean =>
  one.size === other.size && [...one].every(([key, units]) => other.get(key) === units)

/** Without the mark that keeps a spreadsheet from running it. */
const plain = (cell: string): string => cell.replace(/^'/, '')
