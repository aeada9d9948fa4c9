import { baseOf, type LogStore } from '../../../adapters/store/base/origin.ts'
import type { EventStore, RecordedEvent } from '../../../domain/kernel/ports.ts'
import type { BooksEnd } from '../../../projections/money/journal-cut.ts'
import type { Books } from '../../books/books.ts'
import type { AsOf } from '../../console/arguments.ts'

/**
 * Converts the positions of a store, which people type, to the ledger's own order, which rows hold, and back. The two
 * differ once a log was copied from another store.
 */

/** The last place of any order. */
export const LAST_ORDER = 2n ** 63n - 1n
/**
 * The search for a place in a copied part of the log ends when it is known to this many positions: some 1,000 events
 * more are read.
 */
const NEAR_POSITIONS = 1_048_576n

/** The end of the books that somebody typed. */
export const booksEnd = async (books: Books, store: LogStore, end: AsOf | undefined): Promise<BooksEnd> => {
  if (!end) return {}
  return 'time' in end ? { at: end.time.toISOString() } : { order: await orderAt(books, store, end.position) }
}

/** Whether an end is later than now, or than the place up to which the books are drawn: more may come before it. */
export const isToCome = (end: AsOf, reached: bigint | undefined): boolean =>
  'time' in end ? end.time.getTime() > Date.now() : end.position > (reached ?? -1n)

/** The highest place in the order that an event at or before a position can have. */
export const orderAt = async (books: Books, store: LogStore, position: bigint): Promise<bigint> => {
  if ((await baseOf(store)) === 0n) return position
  for await (const [event] of pagesFrom(books, store, position))
    if (event) return event.position === position ? event.order : event.order - 1n
  return LAST_ORDER
}

/** A position before every event with this place in the order or a later one, and not far before. */
export const positionBefore = async (store: LogStore, order: bigint): Promise<bigint> => {
  const base = await baseOf(store)
  if (order <= 0n) return -1n
  // What was written here stands behind everything that was copied.
  if (order >= base) return order - base - 1n
  let before = -1n
  for (let behind = await store.head(); behind - before > NEAR_POSITIONS; ) {
    const middle = before + (behind - before) / 2n
    const event = await firstAfter(store, middle)
    if (event && event.order < order) before = event.position
    else behind = middle
  }
  return before
}

/**
 * The events from a position on. A real EventStoreDB reads only from a position that an event has, so that its log is
 * read from the start.
 */
export async function* pagesFrom(
  books: Books,
  store: EventStore,
  from: bigint,
): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const page of store.readAll(books.seekable ? from - 1n : -1n)) {
    const wanted = page.filter(({ position }) => position >= from)
    if (wanted.length > 0) yield wanted
  }
}

const firstAfter = async (store: EventStore, position: bigint): Promise<RecordedEvent | undefined> => {
  for await (const [event] of store.readAll(position)) if (event) return event
  return undefined
}
