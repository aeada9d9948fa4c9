/**
 * The event store of production: EventStoreDB through its unmodified client. Every wait is bounded, an unknown outcome
 * is settled by the ids of the events, and a subscription goes on for ever from the last event it delivered.
 */

import { StreamDeletedError } from '@eventstore/db-client'
import { LOG_STREAM } from '../../../domain/audit/log.ts'
import { OutcomeUnknown, type RecordedEvent } from '../../../domain/kernel/ports.ts'
import { anyEvent, type EventRules } from '../../../domain/write-side/readable.ts'
import { CUTTING_TYPES, type CutStreams, createCutStreams, endOfWhole } from '../base/cut-streams.ts'
import { createEventReading, type EventReading } from '../base/event-reading.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { type Ends, type LogStore, origins, tellsOrigin } from '../base/origin.ts'
import { isSystem, type RawEvent } from '../base/recorded.ts'
import { openAppends } from './appends.ts'
import { type Connection, openConnection, type StoreLog } from './connection.ts'
import { type FeedWish, openFeed, SubscriptionStall } from './feed.ts'
import { newestBeside, typesBeside, typesRequest } from './left-out.ts'
import { pause, RETRY_MAX_MS, RETRY_MIN_MS, retried, UnusableAnswer } from './patience.ts'
import { collect, rawCall } from './raw-calls.ts'
import { openReads, type Reads } from './reads.ts'
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts'

export type EventStoreDbOptions = {
  readonly log?: StoreLog
  /** Called when a subscription was silent although the log had grown; it is then opened anew. */
  readonly onStall?: () => void
  readonly limits?: Partial<TimeLimits>
  /** Which events are read; whatever is there, unless told. */
  readonly rules?: EventRules
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
  const stream = (name: string) => streamPages(pages, name)
  const reading = createEventReading({ here, stream }, { rules: options.rules ?? anyEvent, warn: log })
  const source = { connection, reads, reading, cuts, log, onStall: guarded(options.onStall), limits }
  const open = () => closing.signal.throwIfAborted()
  return {
    append: async (stream, expected, events) => {
      open()
      return append(stream, expected, events)
    },
    read: (stream, from = 0n) => readStream({ pages, reading, cuts }, stream, from < 0n ? 0n : from),
    readAll: (after) => readAll(reads, reading, after),
    subscribe: (after, signal, leftOut = NONE) =>
      subscribe(source, after, AbortSignal.any([signal, closing.signal]), leftOut),
    head: reads.head,
    newestBeside: async (leftOut, after) => {
      open()
      return newestBeside(source, leftOut, after)
    },
    origin: async () => {
      open()
      return here.origin()
    },
    cuts,
    reading,
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

const NONE: ReadonlySet<string> = new Set()
/** Shortest and longest wait before a lost subscription is opened again. */
const RESUBSCRIBE_MIN_MS = 100
const RESUBSCRIBE_MAX_MS = 10_000

type Source = {
  readonly connection: Connection
  readonly reads: Reads
  readonly reading: EventReading
  readonly cuts: CutStreams
  readonly log: StoreLog
  readonly onStall: () => void
  readonly limits: TimeLimits
}

/** Guards a callback of the caller: its failure must not end a retry or a subscription. */
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
  leftOut: ReadonlySet<string>,
): AsyncGenerator<readonly RecordedEvent[]> {
  const { connection, limits } = source
  const wish = leftOut.size === 0 ? { newest: source.reads.head } : someTypes(source, leftOut)
  let position = after
  let failures = 0
  while (!signal.aborted) {
    const feed = openFeed(connection, wish, position, signal, limits)
    try {
      for (;;) {
        const page = await feed.next().catch((error: unknown) => lost(source, position, error))
        if (!page || signal.aborted) break
        for (const event of page) {
          if (isSystem(event)) source.cuts.see(event)
          else source.cuts.reached(event.stream, event.revision)
        }
        const events = await shown(source.reading, page).catch((error: unknown) => lost(source, position, error))
        if (events === undefined || signal.aborted) break
        failures = 0
        position = page.at(-1)?.position ?? position
        if (events.length > 0) yield events
      }
    } finally {
      await feed.stop()
    }
    failures++
    if (!signal.aborted) await pause(failures, RESUBSCRIBE_MIN_MS, RESUBSCRIBE_MAX_MS, signal)
  }
}

const someTypes = (source: Source, leftOut: ReadonlySet<string>): FeedWish => {
  /** Nothing but events that are left out is between what was seen and here, so it is not looked through again. */
  let foundUpTo = -1n
  return {
    types: typesBeside(leftOut),
    newest: async (seen) => {
      const [end, from] = [await source.reads.head(), seen > foundUpTo ? seen : foundUpTo]
      const newest = await newestBeside(source, leftOut, from)
      if (newest > from) return newest
      foundUpTo = end
      return seen
    },
  }
}

const lost = (source: Source, after: bigint, error: unknown): undefined => {
  if (error instanceof UnusableAnswer) throw error
  source.log('a subscription was lost, it is opened again', { after: String(after), error: String(error) })
  if (error instanceof SubscriptionStall) source.onStall()
}

async function* readAll(reads: Reads, reading: EventReading, after: bigint): AsyncGenerator<readonly RecordedEvent[]> {
  const end = await reads.head()
  for (let position = after; position < end; ) {
    const page = await reads.all(position, end)
    position = page.at(-1)?.position ?? end
    const events = await shown(reading, page)
    if (events.length > 0) yield events
  }
}

type StreamReading = { readonly pages: WholePages; readonly reading: EventReading; readonly cuts: CutStreams }

async function* readStream(
  { pages, reading, cuts }: StreamReading,
  stream: string,
  from: bigint,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let revision = from; ; ) {
    cuts.mustBeWhole(stream)
    const page = await pages(stream, revision)
    const events = await shown(reading, page)
    if (events.length > 0) yield events
    if (page.length < PAGE_EVENTS) {
      if (from === 0n) cuts.shownWhole(stream)
      return
    }
    revision += BigInt(page.length)
  }
}

const shown = (reading: EventReading, page: readonly RawEvent[]): Promise<readonly RecordedEvent[]> =>
  reading.page(page.filter((event) => !isSystem(event)))

async function* streamPages(pages: WholePages, stream: string): AsyncGenerator<readonly RawEvent[]> {
  for (let from = 0n; ; from += BigInt(PAGE_EVENTS)) {
    const page = await pages(stream, from)
    yield page
    if (page.length < PAGE_EVENTS) return
  }
}

const ends = async (reads: Reads, pages: WholePages): Promise<Ends> => {
  const first = await firstOf(reads)
  let copied: RawEvent | undefined
  if (first) for await (const page of streamPages(pages, LOG_STREAM)) copied = page.findLast(tellsOrigin) ?? copied
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

/**
 * Milliseconds for one look: the server goes through every event, which takes some minutes the first time in a log of
 * millions.
 */
const LOOK_LIMIT_MS = 600_000
/**
 * Looks back for what the server has said of cut and deleted streams while nobody was subscribed: reads the cutting
 * events after the position of an event (-1n: all) into `cuts`. The server filters them, so that few cross the
 * network.
 */
const lookForCuts = async (connection: Connection, cuts: CutStreams, after: bigint, log: StoreLog): Promise<void> => {
  for (let position = after; ; ) {
    const page = await retried(
      connection.closing,
      () =>
        rawCall(
          connection,
          'a look for cut streams',
          (client, metadata, options) =>
            collect(client.read(typesRequest(CUTTING, position), metadata, options), position),
          LOOK_LIMIT_MS,
        ),
      (error) => log('the look for cut streams is tried again', { after: String(position), error: String(error) }),
    )
    page.forEach(cuts.see)
    // The event that the read begins at may be one of them, and is left out.
    if (page.length < PAGE_EVENTS - 1) return
    position = page.at(-1)?.position ?? position
  }
}

/** Matches the types of the events by which the server says that a stream is cut. */
const CUTTING = `^(${CUTTING_TYPES.map((type) => type.replace('$', '\\$')).join('|')})$`

/**
 * The next page of a stream from a revision on; one that is shorter than a page is the last. Rejects with StreamCut
 * when it does not begin there, has a gap, or ends before the revision that the stream is known to have reached, and
 * when the stream was deleted for good.
 */
type WholePages = (stream: string, from: bigint) => Promise<readonly RawEvent[]>

/**
 * Reads of a stream that ends too early, over about 3 s in all: a server names the revision of a rival's append to the
 * loser a moment before that append can be read.
 */
const READS_OF_SHORT_STREAM = 7

/** Reads pages of a stream and checks that they are whole: the server does not say what it leaves out. */
const wholePages =
  (reads: Reads, cuts: CutStreams, closing: AbortSignal): WholePages =>
  async (stream, from) => {
    const patient = cuts.of(stream) === undefined
    for (let attempt = 1; ; attempt++) {
      // The read need not show what an append of our own brings while it is under way.
      const known = cuts.known(stream)
      const page = await reads.stream(stream, from, PAGE_EVENTS).catch((error: unknown) => {
        if (!(error instanceof StreamDeletedError)) throw error
        throw cuts.found(stream, 'tombstoned', 'was deleted on the server for good')
      })
      const end = endOfWhole(cuts, stream, from, page)
      // A page from beyond the end says nothing of what comes before it.
      if (page.length > 0) cuts.reached(stream, end)
      if (page.length === PAGE_EVENTS || end >= known) return page
      if (!patient || attempt === READS_OF_SHORT_STREAM)
        throw cuts.found(stream, 'incomplete', `ends at revision ${end}, and had come to ${known}`)
      await pause(attempt, RETRY_MIN_MS, RETRY_MAX_MS, closing)
    }
  }
