/**
 * Reads CSV as RFC 4180 has it, strictly: what two readers could understand differently is a fault of the file, and
 * nothing of such a file is taken.
 */

export type CsvBounds = {
  /** Lines of the table, the heading among them. */
  readonly rows: number
  /** Cells of one row. */
  readonly columns: number
  /** Characters of one cell. */
  readonly cell: number
}

/** `row` counts the lines of the table from 1, as a spreadsheet does: a cell may go over several lines of text. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] }

/** Why a file is no CSV that can be taken. */
export class CsvFault extends Error {}

/** The rows of a file in UTF-8, without those that are empty. Throws a `CsvFault`. */
export const readCsv = (file: Buffer, bounds: CsvBounds): CsvRow[] => {
  const reader = { text: decoded(file), at: 0, bounds }
  const rows: CsvRow[] = []
  for (let row = 1; reader.at < reader.text.length; row++) {
    if (row > bounds.rows) throw new CsvFault(`The file has more than ${bounds.rows} rows. Divide it into several.`)
    const cells = rowOf(reader, row)
    if (cells.length > 1 || cells[0] !== '') rows.push({ row, cells })
  }
  return rows
}

const decoded = (file: Buffer): string => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    throw new CsvFault('The file is not in UTF-8. Save it again as CSV UTF-8.')
  }
  if (text.includes('\0')) throw new CsvFault('The file has a NUL character, which no CSV has. Export it again.')
  return text
}

type Reader = { readonly text: string; at: number; readonly bounds: CsvBounds }

/** The cells up to the end of the line, and past it. */
const rowOf = (reader: Reader, row: number): string[] => {
  const { text, bounds } = reader
  const cells: string[] = []
  for (;;) {
    if (cells.length === bounds.columns)
      throw new CsvFault(`Row ${row} has more than ${bounds.columns} columns. Leave out those that are not needed.`)
    cells.push(text[reader.at] === '"' ? quotedCell(reader, row) : plainCell(reader, row))
    const end = text[reader.at]
    reader.at++
    if (end === ',') continue
    if (end === '\r' && text[reader.at] === '\n') reader.at++
    return cells
  }
}

const plainCell = (reader: Reader, row: number): string => {
  const { text, bounds } = reader
  const from = reader.at
  ENDS.lastIndex = from
  const end = ENDS.exec(text)?.index ?? text.length
  if (text[end] === '"')
    throw new CsvFault(`Row ${row} has a quote within a cell. Put the whole cell in quotes, and double each in it.`)
  if (end - from > bounds.cell) throw tooLong(row, bounds)
  reader.at = end
  return text.slice(from, end)
}

const ENDS = /[,\r\n"]/g

const quotedCell = (reader: Reader, row: number): string => {
  const { text, bounds } = reader
  const from = reader.at + 1
  let end = text.indexOf('"', from)
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  if (end < 0) throw new CsvFault(`Row ${row} has a cell whose quotes are not closed. Export the file again.`)
  if (end - from > bounds.cell) throw tooLong(row, bounds)
  reader.at = end + 1
  const after = text[reader.at]
  if (after !== undefined && !/[,\r\n]/.test(after))
    throw new CsvFault(`Row ${row} goes on behind the quotes of a cell. Double each quote that belongs to the text.`)
  return text.slice(from, end).replaceAll('""', '"').replaceAll('\r\n', '\n')
}

const tooLong = (row: number, { cell }: CsvBounds): CsvFault =>
  new CsvFault(`Row ${row} has a cell with more than ${cell} characters. Shorten it.`)
