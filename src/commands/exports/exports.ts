import { openedCsv } from '../../../adapters/csv/opened.ts'
import { type JournalFormatName, openJournalExport } from '../../../adapters/journal-export/open.ts'
import { connect, type Sql } from '../../../adapters/postgres/connect.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { createVault } from '../../../adapters/postgres/vault/vault.ts'
import { UTC, UTC_CLOCK } from '../../../domain/kernel/calendar.ts'
import type { View } from '../../../domain/reading/books/entry.ts'
import { accountsProjection } from '../../../projections/account/accounts.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { booksProjection } from '../../../projections/money/books.ts'
import { journalProjection } from '../../../projections/money/journal.ts'
import type { BookTime } from '../../../projections/money/journal-tables.ts'
import { transactionsProjection } from '../../../projections/selling/transactions/transactions.ts'
import { clientAppsProjection } from '../../../projections/signin/client-apps.ts'
import { usersProjection } from '../../../projections/signin/users.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { type Bar, startBar } from '../../console/progress.ts'
import type { ZonedWish } from '../../console/zoned-times.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { orderAt } from '../books/places.ts'
import { type DestinationWish, destinationOf } from './destination.ts'
import { takeTied, tiedReport, tiedText } from './tied-file.ts'

export type JournalOptions = DestinationWish &
  Omit<ZonedWish, 'asOf'> & { view?: View; by?: BookTime; account?: string }

/** Streams the journal, of one account holder or of all, for accountants and their programs. */
export const exportJournal = async (
  books: Books,
  out: Output,
  format: JournalFormatName,
  { view, by, account, clock = UTC_CLOCK, from, to, ...wish }: JournalOptions,
): Promise<void> => {
  if (from && to && to < from) throw new BadSetting('--to is before --from')
  if (by === 'mined' && !view) throw new BadSetting('--by needs --view: the books of one of them')
  const destination = await destinationOf(books, out, wish)
  const sql = await readModel(books, out, view ? booksProjection : journalProjection)
  if (account) await mustBeKnown(sql, account)
  if (view) await mustHaveBooks(sql, view)
  const selection = { view, by, owner: account, from, to, clock }
  let reached: bigint | undefined
  const onReached = (order: bigint | undefined) => (reached = order)
  const facts = async () => ({
    export: format,
    ...(view && { view }),
    ...(by === 'mined' && { by }),
    ...(clock.zone !== UTC && { zone: clock.zone }),
    account: account ?? null,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    position: reached === undefined ? null : String(reached),
  })
  if (!destination.file) {
    await takeTied(books, destination, openJournalExport(sql, format, selection, { onReached }), facts)
    return
  }
  let counts = { lines: 0n, entries: 0n }
  let bar: Bar | undefined
  const content = openJournalExport(sql, format, selection, {
    onReached,
    onCounts(counted) {
      counts = counted
      bar = startBar(out, counted.lines)
    },
    onLines: (lines) => bar?.at(lines, 'lines'),
  })
  try {
    const written = await takeTied(books, destination, content, facts)
    if (!written) return
    const { lines, entries } = counts
    const { file: name, bytes, sha256 } = written
    await out.tell(
      { ...tiedReport(written), format, entries: Number(entries), lines: Number(lines) },
      [
        `Wrote ${name}, ${bytes} bytes: ${countText(Number(lines), 'line')} of ${entries} entries. SHA-256 ${sha256}`,
        tiedText(written),
      ].join('\n'),
    )
  } finally {
    bar?.stop()
  }
}

/** Throws CommandFailure where nothing was ever booked: a mistyped id must not look like one that has nothing. */
const mustHaveBooks = async (sql: Sql, view: View): Promise<void> => {
  if (!(await createQueries(sql).hasBooks(view))) throw new CommandFailure(`nothing was ever booked for ${view}`)
}

const SQL_END_S = 5

/** Streams the live transactions, or with `test` those of tests, as CSV, of one account or of all (J-TXN-05, Q-13). */
export const exportTransactions = async (
  books: Books,
  out: Output,
  options: DestinationWish & { account?: string; test?: boolean; masterKey: MasterKeys },
): Promise<void> => {
  const destination = await destinationOf(books, out, options)
  const sql = await readModel(books, out, transactionsProjection)
  if (options.account) await mustBeKnown(sql, options.account)
  const before = await reachedBy(sql)
  const { account, test = false } = options
  const csv = await openedCsv(createQueries(sql), () => vaultOf(books, options.masterKey), account, { test })
  const written = await takeTied(books, destination, csv, async () => ({
    export: 'transactions' as const,
    account: account ?? null,
    from: null,
    to: null,
    records: test ? ('test' as const) : ('live' as const),
    position: await orderOf(books, before, await reachedBy(sql)),
  }))
  if (!written) return
  await out.tell(tiedReport(written), `Wrote ${written.file}, ${written.bytes} bytes.\n${tiedText(written)}`)
}

/** The position of the log that the rows have reached. */
const reachedBy = async (sql: Sql): Promise<bigint> =>
  (await checkpointOf(sql, SERVING, transactionsProjection.name))?.position ?? -1n

/**
 * The place of an export in the ledger's order; null when the rows have moved on while they were read, because then
 * nobody knows which of them it has seen.
 */
const orderOf = async (books: Books, before: bigint, after: bigint): Promise<string | null> =>
  before !== after || after < 0n ? null : String(await orderAt(books, await books.store(), after))

/** A vault on a connection of its own, because that of the books is busy until the export has ended. */
export const vaultOf = async (books: Books, masterKey: MasterKeys) => {
  const sql = connect(await books.databaseUrl(), { max: 1 })
  books.onClose(() => sql.end({ timeout: SQL_END_S }))
  const vault = await createVault({ sql, masterKey })
  books.onClose(() => vault.close())
  return vault
}

/** Throws CommandFailure for an unknown holder: a mistyped id must not look like a seller that sold nothing. */
const mustBeKnown = async (sql: Sql, id: string): Promise<void> => {
  const [kind = ''] = id.split('_', 1)
  const found = holders[kind]
  if (!found) throw new CommandFailure(`not the id of an account, a user or an app: ${id}`)
  const { model, column, what } = found
  await mustBeBuilt(sql, model)
  const [row] = await sql`select from ${sql(model.name)} where ${sql(column)} = ${id}`
  if (!row) throw new CommandFailure(`there is no ${what} ${id}`)
}

const holders: Readonly<Record<string, { model: Projection; column: string; what: string }>> = {
  acc: { model: accountsProjection, column: 'account_id', what: 'account' },
  usr: { model: usersProjection, column: 'sub', what: 'user' },
  app: { model: clientAppsProjection, column: 'client_id', what: 'app' },
}
