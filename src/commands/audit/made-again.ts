import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { openedCsv } from '../../../adapters/csv/opened.ts'
import { type ExportHead, formerRelease } from '../../../adapters/journal-export/export-head.ts'
import { type JournalFormatName, openJournalExport } from '../../../adapters/journal-export/open.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { zoneClock, zoneNamed } from '../../../domain/kernel/calendar.ts'
import type { View } from '../../../domain/reading/books/entry.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import { rebuild } from '../../../projections/engine/rebuild.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { booksProjection } from '../../../projections/money/books.ts'
import { journalProjection } from '../../../projections/money/journal.ts'
import { transactionsProjection } from '../../../projections/selling/transactions/transactions.ts'
import type { Books } from '../../books/books.ts'
import { onlyReplay } from '../../books/replaying.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { orderAt } from '../books/places.ts'
import { vaultOf } from '../exports/exports.ts'
import { textLines } from './text-lines.ts'

/** Makes an export again from the log and the read models, up to the place that it went to. */

/** The schema in which the rows of another day are built, beside those that serve; dropped afterwards. */
const BUILT = 'daybook_verify_export'

export type RemakeResult =
  /** The first line that differs, from 1; undefined when every byte is the same. */
  | { readonly kind: 'made'; readonly differs: number | undefined }
  /** Why it could not be made. */
  | { readonly kind: 'unknown'; readonly why: string }

export const madeAgain = async (
  books: Books,
  head: ExportHead,
  content: AsyncIterable<Buffer>,
  masterKey: MasterKeys,
): Promise<RemakeResult> => {
  const made = await makeAgain(books, head, masterKey)
  if (typeof made === 'string') return { kind: 'unknown', why: made }
  const sum = createHash('sha256')
  const differs = await firstDifference(textLines(hashing(made, sum)), textLines(content))
  // The lines may be the same and the bytes not: an end of line that is missing in the end.
  return { kind: 'made', differs: differs ?? (sum.digest('hex') === head.sha256 ? undefined : head.lines) }
}

/** The content, or why there is none. */
const makeAgain = async (books: Books, head: ExportHead, masterKey: MasterKeys): Promise<Readable | string> => {
  const { export: kind, position } = head
  if (position === null && kind === 'transactions') return 'rows have changed while it was written, so it has no place'
  const reached = position === null ? -1n : BigInt(position)
  if (kind === 'log') return Readable.from(linesUpTo(books, reached), { objectMode: false })
  if (kind === 'transactions') return transactionsUpTo(books, reached, head, masterKey)
  return journalUpTo(books, head, kind, reached)
}

async function* linesUpTo(books: Books, reached: bigint): AsyncGenerator<string> {
  const until = await (await books.store()).head()
  for await (const page of books.lines(-1n, until))
    for (const { line, order } of page) {
      if (order > reached) return
      yield `${line}\n`
    }
}

const journalUpTo = async (
  books: Books,
  head: ExportHead,
  format: JournalFormatName,
  reached: bigint,
): Promise<Readable | string> => {
  const { view, account, from, to, zone } = head
  if (zone !== undefined && zoneNamed(zone) === undefined) return `this Node.js knows no time zone ${zone}`
  const sql = await books.sql()
  const model = view === undefined ? journalProjection : booksProjection
  await mustBeBuilt(sql, model)
  if (!(await hasReached(books, sql, model, reached)))
    return 'the read model of the journal has not come so far: daybook replay'
  return openJournalExport(sql, format, {
    ...(view !== undefined && { view: view as View, by: head.by }),
    owner: account ?? undefined,
    from: from === null ? undefined : new Date(from),
    to: to === null ? undefined : new Date(to),
    reached,
    ...(zone !== undefined && { clock: zoneClock(zone) }),
    release: formerRelease(head),
  })
}

const hasReached = async (
  books: Books,
  sql: Awaited<ReturnType<Books['sql']>>,
  { name }: Projection,
  order: bigint,
): Promise<boolean> => {
  const position = (await checkpointOf(sql, SERVING, name))?.position ?? -1n
  return position >= 0n && (await orderAt(books, await books.store(), position)) >= order
}

/** Rows are written over, so those of another day are built from the log. */
const transactionsUpTo = async (
  books: Books,
  reached: bigint,
  head: ExportHead,
  masterKey: MasterKeys,
): Promise<Readable> => {
  const sql = await books.sql({ schema: BUILT, create: true })
  await onlyReplay(sql)
  books.onClose(() => sql`drop schema if exists ${sql(BUILT)} cascade`)
  await rebuild(sql, await books.store(), transactionsProjection, {
    schema: BUILT,
    fresh: true,
    until: ({ order }) => order <= reached,
  })
  const { account, records } = head
  const filter = records === undefined ? {} : { test: records === 'test' }
  return openedCsv(createQueries(sql), () => vaultOf(books, masterKey), account ?? undefined, filter, {
    former: formerRelease(head),
  })
}

async function* hashing(content: AsyncIterable<Buffer | string>, sum: ReturnType<typeof createHash>) {
  for await (const piece of content) {
    sum.update(piece)
    yield piece
  }
}

/** The number of the first line that differs, from 1; undefined when there are as many lines and all are the same. */
const firstDifference = async (
  made: AsyncGenerator<string>,
  found: AsyncGenerator<string>,
): Promise<number | undefined> => {
  let differs: number | undefined
  for (let number = 1; ; number++) {
    const [a, b] = await Promise.all([made.next(), differs === undefined ? found.next() : undefined])
    if (differs === undefined && (a.done !== b?.done || a.value !== b?.value)) differs = number
    // What is made is read to its end, so that its hash is that of all of it.
    if (a.done) return differs
  }
}
