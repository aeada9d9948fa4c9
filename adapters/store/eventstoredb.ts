/**
 * The event store of production: EventStoreDB through its unmodified client. Every wait is bounded, an unknown outcome is settled by
 * the ids of the events, and a subscription goes on for ever from the last event it delivered.
 */
import type { EventStore, Recorded } from '../../domain/ports.ts'
import { openAppends } from './client/appends.ts'
import { type Connection, openConnection, type StoreLog } from './client/connection.ts'
import { openFeed, Stalled } from './client/feed.ts'
import { pause } from './client/patience.ts'
import { openReads, type Reads } from './client/reads.ts'
import { PAGE_EVENTS } from './limits.ts'
import { isSystem, type RawEvent, recorded } from './recorded.ts'

export type EventStoreDbOptions = {
  readonly log?: StoreLog
  /** Called when a subscription was silent although the log had grown; it is then opened anew. */
  readonly onStall?: () => void
  /** Silence of a subscription after which the head of the log is looked at. */
  readonly quietMs?: number
}

/**
 * The port over `esdb://…`, `esdb+discover://…` or `unix:/path.sock`; the form of the string is checked now, the connection is made on
 * first use. Positions are commit positions, which need EventStoreDB 22.10 or newer, and events that were written over gRPC.
 */
export const eventStoreDb = (connectionString: string, options: EventStoreDbOptions = {}): EventStore => {
  const { log = () => undefined, onStall = () => undefined, quietMs = QUIET_MS } = options
  const closing = new AbortController()
  const connection = openConnection(connectionString, closing.signal)
  const reads = openReads(connection, log)
  const append = openAppends(connection, reads, log)
  const open = () => closing.signal.throwIfAborted()
  return {
    append: async (stream, expected, events) => {
      open()
      return append(stream, expected, events)
    },
    read: (stream, from = 0n) => readStream(reads, stream, from < 0n ? 0n : from),
    readAll: (after) => readAll(reads, after),
    subscribe: (after, signal) =>
      subscribe({ connection, reads, log, onStall, quietMs }, after, AbortSignal.any([signal, closing.signal])),
    head: async () => {
      open()
      return reads.head()
    },
    close: async () => {
      closing.abort(new Error('the event store is closed'))
      await connection.client.dispose()
    },
  }
}

const QUIET_MS = 60_000
/** Shortest and longest wait before a lost subscription is opened again. */
const RESUBSCRIBE_MIN_MS = 100
const RESUBSCRIBE_MAX_MS = 10_000

type Source = Required<EventStoreDbOptions> & { readonly connection: Connection; readonly reads: Reads }

async function* subscribe(source: Source, after: bigint, signal: AbortSignal): AsyncGenerator<readonly Recorded[]> {
  let position = after
  let failures = 0
  while (!signal.aborted) {
    const feed = openFeed(source.connection, source.reads, position, signal, source.quietMs)
    try {
      for (;;) {
        const page = await feed.next().catch((error: unknown) => lost(source, position, error))
        if (!page || signal.aborted) break
        failures = 0
        position = page.at(-1)?.position ?? position
        yield* shown(page)
      }
    } finally {
      await feed.stop()
    }
    failures++
    if (!signal.aborted) await pause(failures, RESUBSCRIBE_MIN_MS, RESUBSCRIBE_MAX_MS, signal)
  }
}

const lost = (source: Source, after: bigint, error: unknown): undefined => {
  source.log('a subscription was lost, it is opened again', { after: String(after), error: String(error) })
  if (error instanceof Stalled) source.onStall()
}

async function* readAll(reads: Reads, after: bigint): AsyncGenerator<readonly Recorded[]> {
  const end = await reads.head()
  for (let position = after; position < end; ) {
    const page = await reads.all(position)
    position = page.at(-1)?.position ?? end
    yield* shown(page)
  }
}

async function* readStream(reads: Reads, stream: string, from: bigint): AsyncGenerator<readonly Recorded[]> {
  for (let revision = from; ; ) {
    const page = await reads.stream(stream, revision, PAGE_EVENTS)
    yield* shown(page)
    if (page.length < PAGE_EVENTS) return
    revision = (page.at(-1)?.revision ?? revision) + 1n
  }
}

function* shown(page: readonly RawEvent[]): Generator<readonly Recorded[]> {
  const events = page.filter((event) => !isSystem(event)).map(recorded)
  if (events.length > 0) yield events
}
