import { Readable } from 'node:stream'
import { csvCell } from './cell.ts'

/** Lines of CSV, as Postgres writes those of exports. */

/** A line of CSV; what is null is empty. */
const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => (cell === null || cell === '' ? '' : csvCell(cell))).join(',')}\n`

/** The columns of a CSV: the heading of each, and what it says of a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => string | null>>

/** A list as CSV, page by page, so that its length does not matter. `next` answers no rows after the last page. */
export const pagedCsv = <Row, Place>(
  columns: CsvColumns<Row>,
  next: (place: Place | undefined) => Promise<{ readonly rows: readonly Row[]; readonly next: Place | null }>,
): Readable =>
  Readable.from(
    (async function* () {
      yield csvLine(Object.keys(columns))
      let place: Place | undefined
      for (;;) {
        const page = await next(place)
        yield page.rows.map((row) => csvLine(Object.values(columns).map((cell) => cell(row)))).join('')
        if (page.next === null) return
        place = page.next
      }
    })(),
    { objectMode: false },
  )
