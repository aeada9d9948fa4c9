import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { assetOf } from '../../domain/kernel/assets.ts'
import { columnsOf, isOfPosting } from '../../projections/money/journal-columns.ts'
import type { JournalSelection } from '../../projections/money/journal-tables.ts'
import type { ExportedPosting, JournalExportEntry, Tags } from './format.ts'
import { isInertRow } from './names.ts'

/** The rows that Postgres copies out, read as entries and postings. */

/** A row, and the entry that it opens: only the first posting of an entry has what is the same in all of them. */
export type CopiedPosting = { readonly posting: ExportedPosting; readonly entry: JournalExportEntry | undefined }

/** Place of the event, account, asset and amount, which stand before the columns of a posting. */
const POSTING_CELLS = 4
/** Time, type, id and stream of the event, which stand between the columns of a posting and those of its entry. */
const EVENT_CELLS = 4

/** How the rows of a selection are read; `shown` is how its clocks show a time. */
export const postingReader = (selection: JournalSelection, shown: (time: string) => string) => {
  const columns = columnsOf(selection)
  const ofPosting = columns.filter(isOfPosting).map(({ name }) => name)
  const ofEntry = columns.filter((each) => !isOfPosting(each)).map(({ name }) => name)
  const event = POSTING_CELLS + ofPosting.length
  const cellsIn = (row: string, isInert: boolean) => {
    // After the columns of a posting that opens no entry nothing more stands.
    const cells = row.startsWith('\t') ? row.split('\t', event) : row.split('\t')
    return isInert ? cells : cells.map(plain)
  }
  const entryOf = (cells: readonly string[], isInert: boolean): JournalExportEntry => {
    const [at = '', type = '', id = '', stream = ''] = cells.slice(event, event + EVENT_CELLS)
    const tags = columns.length > 0 && { tags: told(ofEntry, cells, event + EVENT_CELLS) }
    const [position = ''] = cells
    const price = priceOf(cells, event + EVENT_CELLS)
    return { at: shown(at), type, event: { position, id, stream }, ...tags, isInert, price }
  }
  return (row: string): CopiedPosting => {
    const isInert = isInertRow(row)
    const cells = cellsIn(row, isInert)
    const [position, account = '', asset = '', units = ''] = cells
    const tags = told(ofPosting, cells, POSTING_CELLS)
    return { posting: { account, asset, units, tags, isInert }, entry: position ? entryOf(cells, isInert) : undefined }
  }
}

/** The names and values of what is known, of the cells from one on. */
const told = (names: readonly string[], cells: readonly string[], from: number): Tags => {
  const tags: (readonly [name: string, value: string])[] = []
  for (let n = 0; n < names.length; n++) {
    const value = cells[from + n]
    if (value) tags.push([names[n] ?? '', value])
  }
  return tags
}

/**
 * The price of a coin where the row is of somebody's own books, which have a kind. A token of no catalogue is counted
 * in its smallest unit there, of which the rate of a whole coin says nothing.
 */
const priceOf = (cells: readonly string[], from: number) => {
  const [, , asset = ''] = cells
  const [currency, rate, kind] = [cells[from + 2], cells[from + 3], cells[from + 4]]
  return kind && currency && rate && Number(rate) > 0 && assetOf(asset) ? { asset, rate, currency } : undefined
}

/**
 * Reads what `copy … to stdout` writes, a row a line: as many rows at once as have come. Their cells are for `cellsOf`,
 * one row at a time.
 */
export async function* copiedRows(copy: Readable): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let open = ''
  for await (const piece of copy) {
    const lines = (open + decoder.write(piece)).split('\n')
    open = lines.pop() ?? ''
    yield lines
  }
}

/** The cells of a row, which stand between tabs; what is not known is empty. */
export const cellsOf = (row: string): readonly string[] => {
  const cells = row.split('\t')
  return row.includes('\\') ? cells.map(plain) : cells
}

/** A backslash stands before what would end a cell or a row. */
const plain = (cell: string): string => cell.replace(/\\(.)/gs, (_, escaped: string) => ESCAPED[escaped] ?? escaped)

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
