import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

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

/** The cells of a row, which stand between tabs. */
export const cellsOf = (line: string): readonly string[] => {
  const cells = line.split('\t')
  return line.includes('\\') ? cells.map(plain) : cells
}

/** A backslash stands before what would end a cell or a row; \N is a null, which reads as empty. */
const plain = (cell: string): string =>
  cell === '\\N' ? '' : cell.replace(/\\(.)/gs, (_, escaped: string) => ESCAPED[escaped] ?? escaped)

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
