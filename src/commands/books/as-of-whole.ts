import type { Sql } from '../../../adapters/postgres/connect.ts'
import type { EventStore, RecordedEvent } from '../../../domain/kernel/ports.ts'
import { rebuild } from '../../../projections/engine/rebuild.ts'
import { createQueries, projections } from '../../../projections/index.ts'
import type { Books } from '../../books/books.ts'
import { onlyReplay, rowCounts, rowsText } from '../../books/replaying.ts'
import type { AsOf } from '../../console/arguments.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { balanceTable } from './told.ts'

/**
 * Shows the books of another day by building every read model from the first event, up to the first one that was
 * decided later. Nothing of what serves is relied on, and the rows of all read models are counted.
 */

/** The schema in which the books of another day are built, beside those that serve; dropped afterwards. */
const AS_OF = 'daybook_as_of'

/** Answers whether every asset sums to zero. */
export const asOfWhole = async (books: Books, out: Output, end: AsOf): Promise<boolean> => {
  const store = await books.store()
  const sql = await books.sql({ schema: AS_OF, create: true })
  await onlyReplay(sql)
  books.onClose(() => sql`drop schema if exists ${sql(AS_OF)} cascade`)
  const built = await build(store, sql, out, end)
  const trial = balanceTable(await createQueries(sql).trialBalance())
  const rows = Object.assign({}, ...(await Promise.all(projections.map((each) => rowCounts(sql, AS_OF, each)))))
  await out.tell(
    {
      position: built.position,
      at: built.at ?? null,
      events: built.events,
      balanced: trial.holds,
      trialBalance: trial.rows,
      sums: trial.sums,
      rows,
    },
    [
      built.at ? `As of position ${built.position}, ${built.at} (${built.events} events)` : 'Before the first event',
      trial.table(),
      trial.verdict,
      `Rows: ${rowsText(rows)}`,
    ].join('\n\n'),
  )
  return trial.holds
}

type BuiltBooks = { position: bigint; at: string | undefined; events: number }

/** Builds the books from the events before the first one that was decided later. */
const build = async (store: EventStore, sql: Sql, out: Output, end: AsOf): Promise<BuiltBooks> => {
  const until = (event: RecordedEvent) =>
    'position' in end ? event.position <= end.position : new Date(event.at).getTime() <= end.time.getTime()
  const head = await store.head()
  const bar = startBar(out, head * BigInt(projections.length))
  let last: RecordedEvent | undefined
  let events = 0
  try {
    for (const [index, projection] of projections.entries()) {
      const before = head * BigInt(index)
      // The end must be the same for all, although the log grows meanwhile.
      const within = (event: RecordedEvent) => {
        if (index > 0) return last !== undefined && event.position <= last.position
        if (!until(event)) return false
        last = event
        return true
      }
      const read = await rebuild(sql, store, projection, {
        schema: AS_OF,
        fresh: true,
        until: within,
        onProgress: (_, position) => bar.at(before + position, projection.name),
      })
      if (index === 0) events = read
    }
  } finally {
    bar.stop()
  }
  return { position: last?.position ?? -1n, at: last?.at, events }
}
