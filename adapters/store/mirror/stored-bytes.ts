/** The events of a mirror as a store takes them: the same bytes again, with their place in the ledger's order. */
import { type ByteLog, copyOf, type StoredBytes } from '../base/bytes.ts'
import { type LogLine, lineOf } from '../base/log-line.ts'
import { lineAt } from './mirror-line.ts'
import { pagesOf } from './reading.ts'
import { MirrorDamage, segmentsIn } from './segments.ts'

/**
 * The mirror in a directory as a log that can be copied from. Every segment is hashed before anything of it is given;
 * throws MirrorDamage.
 */
export const mirroredBytes = (dir: string): Pick<ByteLog, 'readAll' | 'readLines'> => ({
  async *readAll(after, until) {
    for await (const page of readLines(dir, after, until)) yield page.map(storedOf)
  },
  readLines: (after, until) => readLines(dir, after, until),
})

async function* readLines(dir: string, after: bigint, until: bigint): AsyncGenerator<readonly LogLine[]> {
  for await (const page of pagesOf(await segmentsIn(dir), { after, make: lineAt, checked: true })) {
    const wanted = page.filter(({ position }) => position <= until)
    if (wanted.length > 0) yield wanted
    if (wanted.length < page.length) return
  }
}

/** An event as a copy of its log holds it. Throws MirrorDamage unless it gives exactly its line again. */
const storedOf = (from: LogLine): StoredBytes => {
  const { line, position, order } = from
  const { stream, revision, id, type, contentType, bytes } = JSON.parse(line) as Shape
  const text = Buffer.from(line)
  const metadata = partAt(text, text.indexOf(METADATA) + METADATA.length, bytes[0])
  const data = partAt(text, metadata.end + DATA.length, bytes[1])
  const event = { id, stream, revision: BigInt(revision), position, type, contentType }
  const stored = copyOf({ ...event, metadata: metadata.bytes, data: data.bytes }, order - position)
  if (lineOf(stored, 0n).line !== line)
    throw new MirrorDamage(`the line of event ${id} in the mirror is not what was written`)
  return stored
}

type Shape = {
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly bytes: readonly [metadata: number, data: number]
}

// Inside a text of JSON every quote has a backslash before it, so these are found nowhere but at their places.
const METADATA = '],"metadata":'
const DATA = ',"data":'
const QUOTE = 0x22

/**
 * Reads one part. Bytes that are not UTF-8, or that have a line feed, stand as base64 in quotes. JSON that is a text
 * itself has another length.
 */
const partAt = (text: Buffer, start: number, length: number): { bytes: Buffer; end: number } => {
  if (text[start] === QUOTE) {
    const end = text.indexOf(QUOTE, start + 1)
    const bytes = Buffer.from(text.toString('latin1', start + 1, end), 'base64')
    if (bytes.length === length) return { bytes, end: end + 1 }
  }
  return { bytes: text.subarray(start, start + length), end: start + length }
}
