/** How a process hears of the log, and what it keeps in memory by that. */
import type { Logger } from 'pino'
import { startFeed } from '../../adapters/following/feed.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { RecordedEvent, Snapshots, World } from '../../domain/kernel/ports.ts'
import { createLedger, type LedgerDoors } from '../../domain/write-side/ledger.ts'
import { createQueries } from '../../projections/index.ts'
import { type Tracer, tracedStore } from '../tracing/tracer.ts'
import { type Followed, type HotQueries, keepHotRows } from './hot-rows.ts'
import { isKept, LEFT_OUT, mayLeaveOut } from './passing.ts'
import type { Together } from './together.ts'

type Parts = Pick<Together, 'freshness' | 'sales' | 'homes'> & {
  readonly store: LogStore
  readonly tracer: Tracer | undefined
  readonly world: World
  readonly snapshots: Snapshots
  readonly sql: Sql
  readonly log: Pick<Logger, 'warn'>
}

type Heard = {
  readonly doors: LedgerDoors
  /** Queries of the rows that are kept. */
  readonly kept: HotQueries
  readonly feed: Feed
}

/**
 * Starts the feed of this process, and the ledger and the rows that live by it.
 *
 * @param hearers hear of each page as well
 * @param followed where the followers are; called once these were started
 */
export const startHearing = async (
  { freshness, sales, homes, store, tracer, world, snapshots, sql, log }: Parts,
  hearers: readonly Hearer[],
  followed: () => Followed,
): Promise<Heard> => {
  // A feed begins by hearing all, and may bring a page before it is known here.
  let hearsAll = () => true
  const arrives = (stream: string) => isKept(stream) || hearsAll()
  const hearing = { isKept, changesRow: sales.changesRow, arrives, isFresh: freshness.isFresh }
  const doors = createLedger(tracedStore(store, tracer), world, snapshots, { homes, hearing })
  const kept = keepHotRows(createQueries(sql), followed, freshness.isFresh)
  const feed: Feed = await startFeed(store, {
    arrived: toldTo(doors, kept, sales, ...hearers, freshness),
    missed() {
      doors.missed()
      freshness.missed()
    },
    leftOut: (await mayLeaveOut(store, log)) ? LEFT_OUT : undefined,
  })
  hearsAll = feed.hearsAll
  freshness.follows(feed)
  return { doors, kept: kept.queries, feed }
}

type Hearer = { arrived(page: readonly RecordedEvent[]): void }

/** Tells each page to one hearer after the other. */
const toldTo =
  (...hearers: readonly Hearer[]) =>
  (page: readonly RecordedEvent[]) => {
    for (const hearer of hearers) hearer.arrived(page)
  }
