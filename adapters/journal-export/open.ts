import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ISql, Sql } from 'postgres'
import { type JournalCopies, journalCopies, OPENING } from '../../projections/money/journal-copies.ts'
import type { JournalSelection } from '../../projections/money/journal-tables.ts'
import { beancountFormat } from './beancount.ts'
import type { JournalFormat } from './format.ts'
import { hledgerFormat } from './hledger.ts'
import { jsonlFormat } from './jsonl.ts'
import { cellsOf, copiedRows, postingReader } from './rows.ts'

/** The journal for accountants and their programs, streamed at the pace of its reader, at one moment of the tables. */

const formats = { hledger: hledgerFormat, beancount: beancountFormat, jsonl: jsonlFormat } as const

export type JournalFormatName = 'csv' | keyof typeof formats
export const JOURNAL_FORMATS: readonly JournalFormatName[] = ['csv', 'hledger', 'beancount', 'jsonl']

type ExportEvents = {
  /**
   * Called before the first byte with the number of lines (postings) and entries of the whole. They are counted only
   * for this.
   */
  onCounts?(counts: { lines: bigint; entries: bigint }): void
  /**
   * Called before the first byte with the last place in the ledger's own order that has a posting, as this export sees
   * the journal.
   */
  onReached?(order: bigint | undefined): void
  /** Called with the number of lines that the reader has taken or is about to take. */
  onLines?(lines: bigint): void
}

/**
 * Opens an export. The database transaction ends with the stream, however that ends; an error fails the stream. The
 * search path of `sql` has the tables.
 */
export const openJournalExport = (
  sql: Sql,
  format: JournalFormatName,
  selection: JournalSelection,
  { onCounts, onReached, onLines }: ExportEvents = {},
): Readable => {
  const out = new PassThrough({ highWaterMark: PIECE_BYTES })
  sql
    .begin('isolation level repeatable read read only', async (tx: ISql) => {
      // Whoever gave the stream decides how long a reader may stop for; the database does not.
      await tx`select set_config('idle_in_transaction_session_timeout', current_setting('statement_timeout'), true),
        set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', ${SORT_MEMORY}, true)`
      const copies = journalCopies(tx, selection)
      if (onCounts) onCounts(await copies.counts())
      if (onReached) onReached(await copies.reached())
      const pieces = format === 'csv' ? csvOf(copies) : textOf(copies, formats[format], selection)
      await pipeline(gathered(pieces, onLines), out)
    })
    .catch((error: unknown) => out.destroy(error as Error))
  return out
}

/**
 * Memory of the database for sorting the postings, which it else does on its disk. It uses one core, because more of
 * them take more work for the same rows, and an export goes at the pace of its reader.
 */
const SORT_MEMORY = '32MB'

/** Characters of one text: larger ones are objects that only the slower part of the garbage collector frees. */
const TEXT_CHARACTERS = 32_768

/** Bytes that are handed on at once: each hand-over to a file or a socket costs the more the more often it happens. */
const PIECE_BYTES = 262_144

/** Text or bytes, and how many lines of the journal they hold. */
type Piece = readonly [string | Buffer, lines: number]

/** What stands before the rows goes out at once, so that a reader knows that the export has begun. */
async function* gathered(pieces: AsyncIterable<Piece>, onLines?: (lines: bigint) => void): AsyncGenerator<Buffer> {
  let [parts, bytes, lines, least]: [Buffer[], number, bigint, number] = [[], 0, 0n, 0]
  for await (const [piece, more] of pieces) {
    const part = typeof piece === 'string' ? Buffer.from(piece) : piece
    parts.push(part)
    bytes += part.length
    lines += BigInt(more)
    if (bytes < least) continue
    onLines?.(lines)
    yield Buffer.concat(parts, bytes)
    parts = []
    bytes = 0
    least = PIECE_BYTES
  }
  onLines?.(lines)
  yield Buffer.concat(parts, bytes)
}

/** Passes on Postgres' own bytes. */
async function* csvOf(copies: JournalCopies): AsyncGenerator<Piece> {
  for (const part of copies.csv()) for await (const piece of await part()) yield [piece, newlinesIn(piece)]
}

const newlinesIn = (piece: Buffer): number => {
  let count = 0
  for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) count++
  return count
}

async function* textOf(
  copies: JournalCopies,
  format: JournalFormat,
  selection: JournalSelection,
): AsyncGenerator<Piece> {
  yield [format.head?.(selection) ?? '', 0]
  if (format.declares) yield* declared(await copies.names(), format.declares, shownBy(selection))
  yield* opening(copies, format, selection)
  yield* entries(await copies.postings(), format, selection)
}

/** How the clocks of a selection show a time. */
const shownBy = ({ clock }: JournalSelection): ((time: string) => string) =>
  clock ? (time) => clock.text(time) : (time) => time

async function* declared(
  names: Readable,
  { account, asset }: NonNullable<JournalFormat['declares']>,
  shown: (time: string) => string,
): AsyncGenerator<Piece> {
  for await (const rows of copiedRows(names)) {
    let text = ''
    for (const row of rows) {
      const [name = '', ofAsset = '', since = ''] = cellsOf(row)
      text += ofAsset === '' ? account(name, shown(since)) : asset(ofAsset, shown(since))
    }
    yield [text, 0]
  }
}

async function* opening(
  copies: JournalCopies,
  { entry, posting, join, end }: JournalFormat,
  selection: JournalSelection,
): AsyncGenerator<Piece> {
  const sums = await copies.opening()
  if (!sums || !selection.from) return
  const at = shownBy(selection)(selection.from.toISOString())
  let begun = false
  for await (const rows of copiedRows(sums)) {
    let text = ''
    for (const row of rows) {
      const [account = '', asset = '', units = ''] = cellsOf(row)
      text += (begun ? join : entry({ at, type: OPENING })) + posting({ account, asset, units })
      begun = true
    }
    yield [text, rows.length]
  }
  if (begun) yield [end, 0]
}

async function* entries(
  postings: Readable,
  { entry, posting, join, end }: JournalFormat,
  selection: JournalSelection,
): AsyncGenerator<Piece> {
  const read = postingReader(selection, shownBy(selection))
  let begun = false
  for await (const rows of copiedRows(postings)) {
    let text = ''
    let lines = 0
    for (const row of rows) {
      const copied = read(row)
      if (copied.entry) text += (begun ? end : '') + entry(copied.entry)
      else text += join
      begun = true
      text += posting(copied.posting)
      lines++
      if (text.length < TEXT_CHARACTERS) continue
      yield [text, lines]
      text = ''
      lines = 0
    }
    yield [text, lines]
  }
  if (begun) yield [end, 0]
}
