import type { LogStore } from '../../../adapters/store/base/origin.ts'
import type { RecordedEvent } from '../../../domain/kernel/ports.ts'
import { postingsOf } from '../../../domain/reading/journal.ts'
import type { BooksEnd, Range } from '../../../projections/money/journal-cut.ts'
import { journalSnapshot, type Snapshot } from '../../../projections/money/journal-snapshot.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import type { AsOf } from '../../console/arguments.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { booksEnd, LAST_ORDER, orderAt, positionBefore } from './places.ts'
import { balanceTable } from './told.ts'

/**
 * Shows the books as they were at a place or a time of the log: the sums of the journal up to the nearest block, and
 * from there a replay of the log itself. So it costs what lies between, not the whole log. Answers whether every asset
 * sums to zero.
 */
export const asOf = async (books: Books, out: Output, asked: AsOf): Promise<boolean> => {
  const store = await books.store()
  const end = await booksEnd(books, store, asked)
  const snapshot = await nearest(books, end)
  const { from, events, last, balances } = await replayed(books, store, out, { end, snapshot })
  const trial = balanceTable(balances)
  const position = last?.position ?? ('position' in asked ? asked.position : from)
  const start = snapshot
    ? `from the snapshot at position ${from}, of ${countText(Number(snapshot.postings), 'posting')}`
    : 'from the first event'
  const place = `As of position ${position}${last ? `, ${last.at}` : ''}`
  await out.tell(
    {
      position,
      at: last?.at ?? null,
      events,
      snapshot: snapshot ? { position: from, postings: snapshot.postings } : null,
      balanced: trial.holds,
      trialBalance: trial.rows,
      sums: trial.sums,
    },
    [
      last || snapshot ? `${place} (${countText(events, 'event')} replayed ${start})` : 'Before the first event',
      trial.table(),
      trial.verdict,
    ].join('\n\n'),
  )
  return trial.holds
}

/**
 * The nearest snapshot; undefined where the log is read from its start anyway, or where there is no journal to begin
 * with.
 */
const nearest = async (books: Books, end: BooksEnd): Promise<Snapshot | undefined> => {
  if (!books.seekable) return undefined
  const snapshot = await journalSnapshot(await books.sql({ create: true }), end)
  return snapshot && snapshot.postings > 0n ? snapshot : undefined
}

type ReplayResult = {
  /** The position after which the log was read. */
  readonly from: bigint
  readonly events: number
  readonly last: RecordedEvent | undefined
  readonly balances: readonly { account: string; asset: string; amount: string }[]
}

const replayed = async (
  books: Books,
  store: LogStore,
  out: Output,
  { end, snapshot }: { end: BooksEnd; snapshot: Snapshot | undefined },
): Promise<ReplayResult> => {
  const ranges = await rangesLeft(books, store, end, snapshot)
  const held = new Map(snapshot?.balances.map((row) => [keyOf(row), { ...row, units: BigInt(row.amount) }]))
  const head = await store.head()
  const start = await positionBefore(store, ranges[0]?.from ?? (snapshot?.until ?? -1n) + 1n)
  const bar = startBar(out, head - start)
  let events = 0
  let last: RecordedEvent | undefined
  try {
    for (const range of ranges)
      for await (const event of eventsIn(store, range)) {
        if (end.at !== undefined && event.at > end.at) continue
        bar.at(event.position - start, 'log')
        for (const posting of postingsOf(event)) {
          const { units } = held.get(keyOf(posting)) ?? { units: 0n }
          held.set(keyOf(posting), { ...posting, units: units + BigInt(posting.amount) })
        }
        events++
        last = event
      }
  } finally {
    bar.stop()
  }
  const balances = [...held]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => ({ ...row, amount: String(row.units) }))
  return { from: start, events, last, balances }
}

/** The places that the snapshot leaves open, and those that the journal has not come to yet. */
const rangesLeft = async (
  books: Books,
  store: LogStore,
  { order: to = LAST_ORDER }: BooksEnd,
  snapshot: Snapshot | undefined,
): Promise<readonly Range[]> => {
  const from = snapshot ? (await orderAt(books, store, snapshot.reached)) + 1n : 0n
  const joined: Range[] = []
  for (const range of [...(snapshot?.left ?? []), { from, to }]) {
    const before = joined.at(-1)
    if (range.from > range.to) continue
    if (before && range.from <= before.to + 1n)
      joined[joined.length - 1] = { from: before.from, to: range.to > before.to ? range.to : before.to }
    else joined.push(range)
  }
  return joined
}

async function* eventsIn(store: LogStore, { from, to }: Range): AsyncGenerator<RecordedEvent> {
  for await (const page of store.readAll(await positionBefore(store, from)))
    for (const event of page) {
      if (event.order > to) return
      if (event.order >= from) yield event
    }
}

const keyOf = ({ account, asset }: { account: string; asset: string }) => `${account} ${asset}`
