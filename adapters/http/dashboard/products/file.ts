import { Readable } from 'node:stream'
import { csvCell } from '../../../csv/cell.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import { Reply } from '../../core/endpoint.ts'
import { FILE_ROWS } from './narrowing.ts'

/** A list of links as a file, read page by page, so that its size does not matter. */

type Cell = string | number | boolean | null | undefined | object

/** `page` answers the rows after a key, the newest first; `columns` are fields of a row, the first of them its key. */
export const linkFile = async <Row extends object>(
  downloads: Downloads,
  accountId: string,
  name: string,
  columns: readonly (keyof Row & string)[],
  page: (before: string | undefined) => Promise<readonly Row[]>,
): Promise<Reply> => {
  const csv = await downloads.start(accountId, async () => Readable.from(lines(columns, page), { objectMode: false }))
  return new Reply(200, csv, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  })
}

async function* lines<Row extends object>(
  columns: readonly (keyof Row & string)[],
  page: (before: string | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\n`
  let before: string | undefined
  do {
    const rows = await page(before)
    const [key] = columns
    for (const row of rows) yield `${columns.map((column) => csvCell(textOf(row[column] as Cell))).join(',')}\n`
    const last = rows.length === FILE_ROWS && key !== undefined ? rows[FILE_ROWS - 1]?.[key] : undefined
    before = last === undefined ? undefined : String(last)
  } while (before !== undefined)
}

/** A list is written with commas between its entries, and what has parts of its own as JSON. */
const textOf = (value: Cell): string => {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every((each) => typeof each !== 'object')
  return isPlain ? (value as readonly unknown[]).join(', ') : JSON.stringify(value)
}
