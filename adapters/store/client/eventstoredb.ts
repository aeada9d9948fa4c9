/**
 * The event store of production: EventStoreDB through its unmodified client. Every wait is bounded, an unknown outcome
 * is settled by the ids of the events, and a subscription goes on for ever from the last event it delivered.
 */
import { LOG_STREAM } from '../../../domain/audit/log.ts'
import { OutcomeUnknown, type RecordedEvent } from '../../../domain/kernel/ports.ts'
import { type CutStreams, createCutStreams } from '../base/cut-streams.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { type Ends, type LogStore, type Origins, origins } from '../base/origin.ts'
import { isSystem, type RawEvent, recordedEvent, UnreadableEvent } from '../base/recorded.ts'
import { openAppends } from './appends.ts'
import { type Connection, openConnection, type StoreLog } from './connection.ts'
import { lookForCuts } from './cut-look.ts'
import { openFeed, SubscriptionStall } from './feed.ts'
import { pause, UnusableAnswer } from './patience.ts'
import { openReads, type Reads } from './reads.ts'
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts'
import { type WholePages, wholePages } from './whole-pages.ts'

export type EventStoreDbOptions = {
  readonly log?: StoreLog
  /** Called when a subscription was silent although the log had grown; it is then opened anew. */
  readonly onStall?: () => void
  readonly limits?: Partial<TimeLimits>
}

/**
 * The port over `esdb://…`, `esdb+discover://…` or `unix:/path.sock`; the form of the string is checked now, the
 * connection is made on first use. Positions are commit positions, which need EventStoreDB 22.10 or newer, and events
 * that were written over gRPC.
 */
export const eventStoreDb = (connectionString: string, options: EventStoreDbOptions = {}): LogStore => {
  const log = guarded(options.log)
  const limits = { ...TIME_LIMITS, ...options.limits }
  const closing = new AbortController()
  const connection = openConnection(connectionString, closing.signal)
  const reads = openReads(connection, limits, log)
  const cuts = createCutStreams(log)
  const append = openAppends(connection, reads, cuts, limits, log)
  const pages = wholePages(reads, cuts, closing.signal)
  const here = origins(() => ends(reads, pages))
  const source = { connection, reads, here, cuts, log, onStall: guarded(options.onStall), limits }
  const open = () => closing.signal.throwIfAborted()
  return {
    append: async (stream, expected, events) => {
      open()
      return append(stream, expected, events)
    },
    read: (stream, from = 0n) => readStream({ pages, here, cuts }, stream, from < 0n ? 0n : from),
    readAll: (after) => readAll(reads, here, after),
    subscribe: (after, signal) => subscribe(source, after, AbortSignal.any([signal, closing.signal])),
    head: reads.head,
    origin: async () => {
      open()
      return here.origin()
    },
    cuts,
    // Behind a socket of this machine is the embedded node, which takes no metadata.
    ...(!connectionString.startsWith('unix:') && {
      lookForCuts: async (after: bigint) => {
        open()
        await lookForCuts(connection, cuts, after, log)
      },
    }),
    close: async () => {
      closing.abort(new OutcomeUnknown('the event store is closed'))
      await connection.close()
    },
  }
}

/** Shortest and longest wait before a lost subscription is opened again. */
const RESUBSCRIBE_MIN_MS = 100
const RESUBSCRIBE_MAX_MS = 10_000

type Source = {
  readonly connection: Connection
  readonly reads: Reads
  readonly here: Origins
  readonly cuts: CutStreams
  readonly log: StoreLog
  readonly onStall: () => void
  readonly limits: TimeLimits
}

/** What the caller is told with must not end a retry or a subscription by its own failure. */
const guarded =
  <A extends readonly unknown[]>(tell: ((...args: A) => void) | undefined) =>
  (...args: A): void => {
    try {
      tell?.(...args)
    } catch {}
  }

async function* subscribe(
  source: Source,
  after: bigint,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  let position = after
  let failures = 0
  while (!signal.aborted) {
    const feed = openFeed(source.connection, source.reads, position, signal, source.limits)
    try {
      for (;;) {
        const page = await feed.next().catch((error: unknown) => lost(source, position, error))
        if (!page || signal.aborted) break
        for (const event of page) {
          if (isSystem(event)) source.cuts.see(event)
          else source.cuts.reached(event.stream, event.revision)
        }
        const base = await source.here.base().catch((error: unknown) => lost(source, position, error))
        if (base === undefined || signal.aborted) break
        failures = 0
        position = page.at(-1)?.position ?? position
        yield* shown(page, base)
      }
    } finally {
      await feed.stop()
    }
    failures++
    if (!signal.aborted) await pause(failures, RESUBSCRIBE_MIN_MS, RESUBSCRIBE_MAX_MS, signal)
  }
}

const lost = (source: Source, after: bigint, error: unknown): undefined => {
  if (error instanceof UnusableAnswer || error instanceof UnreadableEvent) throw error
  source.log('a subscription was lost, it is opened again', { after: String(after), error: String(error) })
  if (error instanceof SubscriptionStall) source.onStall()
}

async function* readAll(reads: Reads, here: Origins, after: bigint): AsyncGenerator<readonly RecordedEvent[]> {
  const end = await reads.head()
  for (let position = after; position < end; ) {
    const page = await reads.all(position, end)
    position = page.at(-1)?.position ?? end
    yield* shown(page, await here.base())
  }
}

type StreamReading = { readonly pages: WholePages; readonly here: Origins; readonly cuts: CutStreams }

async function* readStream(
  { pages, here, cuts }: StreamReading,
  stream: string,
  from: bigint,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let revision = from; ; ) {
    cuts.mustBeWhole(stream)
    const page = await pages(stream, revision)
    if (page.length > 0) yield* shown(page, await here.base())
    if (page.length < PAGE_EVENTS) {
      if (from === 0n) cuts.shownWhole(stream)
      return
    }
    revision += BigInt(page.length)
  }
}

function* shown(page: readonly RawEvent[], base: bigint): Generator<readonly RecordedEvent[]> {
  const events = page.filter((event) => !isSystem(event)).map((event) => recordedEvent(event, base))
  if (events.length > 0) yield events
}

const ends = async (reads: Reads, pages: WholePages): Promise<Ends> => {
  const first = await firstOf(reads)
  let copied: RawEvent | undefined
  for (let from = 0n; first; from += BigInt(PAGE_EVENTS)) {
    const page = await pages(LOG_STREAM, from)
    copied = page.at(-1) ?? copied
    if (page.length < PAGE_EVENTS) break
  }
  return { first, copied }
}

const firstOf = async (reads: Reads): Promise<RawEvent | undefined> => {
  for (let after = -1n; ; ) {
    const page = await reads.all(after)
    const first = page.find((event) => !isSystem(event))
    const newest = page.at(-1)
    if (first || !newest) return first
    after = newest.position
  }
}
