import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Opener, openedText } from '../../domain/kernel/opened-text.ts'
import type { Queries } from '../../projections/index.ts'
import type { TransactionFilter } from '../../projections/selling/transactions/transaction-queries.ts'
import type { CsvForm } from '../../projections/selling/transactions/transactions-csv.ts'
import { csvCell } from './cell.ts'

const MARK_BYTES = 16

/**
 * The transactions of one account, or of all, as CSV (J-TXN-05). What is sealed is opened on the way, cell by cell, so
 * that the size of the whole does not matter; where nothing is sealed, the database's own bytes go through as they are.
 * `former`: with the columns of that release; `zoned`: with the times of those clocks.
 */
export const openedCsv = async (
  queries: Queries,
  vault: () => Promise<Opener>,
  accountId?: string,
  filter: TransactionFilter = {},
  form: Pick<CsvForm, 'former' | 'zoned'> = {},
): Promise<Readable> => {
  if (!(await queries.sealsTransactions(accountId))) return await queries.transactionsCsv(accountId, filter, form)
  // Made anew each time and told to nobody, so that no text can look like a cell to be opened.
  const mark = randomBytes(MARK_BYTES).toString('hex')
  const csv = await queries.transactionsCsv(accountId, filter, { ...form, mark })
  return Readable.from(withOpened(csv, Buffer.from(mark), await vault()), { objectMode: false })
}

async function* withOpened(csv: AsyncIterable<Buffer>, mark: Buffer, vault: Opener): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const piece of csv) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    for (let cell = cellIn(held, mark); cell; cell = cellIn(held, mark)) {
      yield held.subarray(0, cell.from)
      yield Buffer.from(csvCell(await openedText(vault, cell.sealed)))
      held = held.subarray(cell.to)
    }
    const whole = wholeUntil(held, mark)
    yield held.subarray(0, whole)
    held = held.subarray(whole)
  }
  yield held
}

/** The first cell between two marks, and where it begins and ends with them. */
const cellIn = (held: Buffer, mark: Buffer) => {
  const from = held.indexOf(mark)
  const end = from < 0 ? -1 : held.indexOf(mark, from + mark.length)
  if (end < 0) return undefined
  return { from, to: end + mark.length, sealed: held.toString('utf8', from + mark.length, end) }
}

/** A cell that has not ended waits for the next piece, and so does what may be the beginning of a mark. */
const wholeUntil = (held: Buffer, mark: Buffer): number => {
  const from = held.indexOf(mark)
  return from < 0 ? Math.max(0, held.length - mark.length + 1) : from
}
