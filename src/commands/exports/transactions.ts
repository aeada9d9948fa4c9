import { openedCsv } from '../../../adapters/opened-csv.ts'
import { connect } from '../../../adapters/postgres/connect.ts'
import { createVault } from '../../../adapters/postgres/vault.ts'
import { createQueries } from '../../../projections/index.ts'
import { transactionsProjection } from '../../../projections/transactions.ts'
import type { Books } from '../../books.ts'
import type { Output } from '../output.ts'
import { readModel } from '../read-model.ts'
import { destinationOf } from './destination.ts'
import { mustBeKnown } from './must-be-known.ts'

const SQL_END_S = 5

/** Streams the transactions as CSV, of one account or of all (J-TXN-05). */
export const exportTransactions = async (
  books: Books,
  out: Output,
  options: { account?: string; out?: string; masterKey: () => Buffer },
): Promise<void> => {
  const destination = await destinationOf(books, out, options.out)
  const sql = await readModel(books, out, transactionsProjection)
  if (options.account) await mustBeKnown(sql, options.account)
  const csv = await openedCsv(createQueries(sql), () => vaultOf(books, options.masterKey), options.account)
  const written = await destination.take(csv)
  if (written) await out.tell(written, `Wrote ${written.file}, ${written.bytes} bytes.`)
}

/** On connections of its own: that of the books is busy until the export has ended. */
const vaultOf = async (books: Books, masterKey: () => Buffer) => {
  const sql = connect(await books.databaseUrl(), { max: 1 })
  books.onClose(() => sql.end({ timeout: SQL_END_S }))
  const vault = await createVault({ sql, masterKey: masterKey() })
  books.onClose(() => vault.close())
  return vault
}
