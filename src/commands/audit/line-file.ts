import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import type { LogLine } from '../../../adapters/store/base/log-line.ts'
import { CommandFailure } from '../../console/failures.ts'
import { textLines } from './text-lines.ts'

/** An exported log: a file of lines. */

const LINES_PAGE = 1_000

/** Rejects with CommandFailure at a line that is no event of a log. */
export async function* linesIn(file: string): AsyncGenerator<readonly LogLine[]> {
  let page: LogLine[] = []
  let number = 0
  for await (const line of textLines(createReadStream(file))) {
    page.push(lineFrom(line.endsWith('\r') ? line.slice(0, -1) : line, ++number, file))
    if (page.length < LINES_PAGE) continue
    yield page
    page = []
  }
  yield page
}

const PIECE_BYTES = 1_048_576

/** The last so many lines, without reading what is before them. */
export const lastLinesIn = (file: string, count: number): readonly LogLine[] => {
  const opened = openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    let lines = 0
    // One line feed more than lines: that before the first of them. The last line may end with one or not.
    for (let at = fstatSync(opened).size; at > 0 && lines <= count + 1; ) {
      const piece = Buffer.alloc(Math.min(at, PIECE_BYTES))
      at -= piece.length
      readSync(opened, piece, 0, piece.length, at)
      pieces.unshift(piece)
      lines += piece.reduce((sum, byte) => (byte === LINE_FEED ? sum + 1 : sum), 0)
    }
    const text = Buffer.concat(pieces).toString('utf8').split(/\r?\n/)
    if (text.at(-1) === '') text.pop()
    const wanted = text.slice(-count)
    return wanted.map((line, at) => lineFrom(line, at, file))
  } finally {
    closeSync(opened)
  }
}

const LINE_FEED = 0x0a

const lineFrom = (line: string, number: number, file: string): LogLine => {
  try {
    const { order, type } = JSON.parse(line) as { order: string; type: string }
    return { position: BigInt(order), order: BigInt(order), type, line }
  } catch {
    throw new CommandFailure(`line ${number} of ${file} is not an event of a log`)
  }
}
