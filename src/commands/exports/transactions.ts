import { openedCsv } from '../../../adapters/opened-csv.ts'
import { connect, type Sql } from '../../../adapters/postgres/connect.ts'
import { createVault } from '../../../adapters/postgres/vault.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { transactionsProjection } from '../../../projections/selling/transactions.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import type { Output } from '../../console/output.ts'
import { orderAt } from '../books/places.ts'
import { type DestinationWish, destinationOf } from './destination.ts'
import { mustBeKnown } from './must-be-known.ts'
import { takeTied, tiedReport, tiedText } from './tied-file.ts'

const SQL_END_S = 5

/** Streams the transactions as CSV, of one account or of all (J-TXN-05). */
export const exportTransactions = async (
  books: Books,
  out: Output,
  options: DestinationWish & { account?: string; masterKey: () => Buffer },
): Promise<void> => {
  const destination = await destinationOf(books, out, options)
  const sql = await readModel(books, out, transactionsProjection)
  if (options.account) await mustBeKnown(sql, options.account)
  const before = await reachedBy(sql)
  const csv = await openedCsv(createQueries(sql), () => vaultOf(books, options.masterKey), options.account)
  const written = await takeTied(books, destination, csv, async () => ({
    export: 'transactions' as const,
    account: options.account ?? null,
    from: null,
    to: null,
    position: await orderOf(books, before, await reachedBy(sql)),
  }))
  if (!written) return
  await out.tell(tiedReport(written), `Wrote ${written.file}, ${written.bytes} bytes.\n${tiedText(written)}`)
}

/** How far the rows are, as a position of the log. */
const reachedBy = async (sql: Sql): Promise<bigint> =>
  (await checkpointOf(sql, SERVING, transactionsProjection.name))?.position ?? -1n

/** Null when the rows have moved on while they were read: then nobody knows which of them the export has seen. */
const orderOf = async (books: Books, before: bigint, after: bigint): Promise<string | null> =>
  before !== after || after < 0n ? null : String(await orderAt(books, await books.store(), after))

/** On connections of its own: that of the books is busy until the export has ended. */
export const vaultOf = async (books: Books, masterKey: () => Buffer) => {
  const sql = connect(await books.databaseUrl(), { max: 1 })
  books.onClose(() => sql.end({ timeout: SQL_END_S }))
  const vault = await createVault({ sql, masterKey: masterKey() })
  books.onClose(() => vault.close())
  return vault
}
