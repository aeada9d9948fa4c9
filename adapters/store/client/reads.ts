/** Reading from EventStoreDB in pages of a known size; every call is cancelled at its end, whatever that was. */
import {
  BACKWARDS,
  END,
  FORWARDS,
  type ResolvedEvent,
  START,
  type StreamingRead,
  StreamNotFoundError,
} from '@eventstore/db-client'
import { PAGE_EVENTS } from '../limits.ts'
import { isSystem, type RawEvent } from '../recorded.ts'
import type { Connection, StoreLog } from './connection.ts'
import { retried, TimedOut } from './patience.ts'

export type Reads = {
  /** Up to `count` events of a stream from a revision on; none when there is no such stream. */
  stream(name: string, from: bigint, count: number): Promise<readonly RawEvent[]>
  /** The next events of the whole log after a position, system events among them; none at its end. */
  all(after: bigint): Promise<readonly RawEvent[]>
  /** Position of the newest event that is not the store's own, -1n when there is none. */
  head(): Promise<bigint>
}

/** Reads that fail for a moment (a lost connection, a reset call) are tried again; other errors reject. */
export const openReads = ({ client, closing }: Connection, log: StoreLog): Reads => {
  const again = (what: string) => (error: unknown) => log('a read is tried again', { what, error: String(error) })
  const backwards = (before: bigint | undefined): Promise<readonly RawEvent[]> => {
    const fromPosition = before === undefined ? END : { commit: before, prepare: before }
    return retried(
      closing,
      () => collect(client.readAll({ fromPosition, direction: BACKWARDS, maxCount: HEAD_EVENTS })),
      again('head'),
    )
  }
  return {
    stream: (name, from, count) =>
      retried(
        closing,
        () => collect(client.readStream(name, { fromRevision: from, direction: FORWARDS, maxCount: count })),
        again(name),
      ),
    all: async (after) => {
      // A read of the whole log includes the event it starts at, so one more is asked for and that one left out.
      const fromPosition = after < 0n ? START : { commit: after, prepare: after }
      const events = await retried(
        closing,
        () => collect(client.readAll({ fromPosition, direction: FORWARDS, maxCount: PAGE_EVENTS + 1 })),
        again('all'),
      )
      return events.filter((event) => event.position > after)
    },
    head: async () => {
      for (let before: bigint | undefined; ; ) {
        const events = (await backwards(before)).filter((event) => before === undefined || event.position < before)
        const newest = events.find((event) => !isSystem(event))
        if (newest) return newest.position
        const oldest = events.at(-1)
        if (!oldest) return -1n
        before = oldest.position
      }
    },
  }
}

/** What the client hands out, in the form both stores share. */
export const rawEvent = ({ event }: ResolvedEvent): RawEvent => {
  if (!event) throw new Error('the store sent a link without its event')
  const position = event.position?.commit
  if (position === undefined || !isPosition(position))
    throw new Error(
      `event ${event.revision} of ${event.streamId} came without its position: EventStoreDB 22.10 or newer is needed`,
    )
  const { id, streamId: stream, revision, type, data, metadata } = event
  return { id: id.toLowerCase(), stream, revision, position, type, data, metadata }
}

/** Whether a position is one; servers write the largest unsigned number where they know none. */
export const isPosition = (position: bigint): boolean => position >= 0n && position < NO_POSITION

const PAGE_TIMEOUT_MS = 10_000
/** Events looked at in one step when searching the newest one of ours from the end. */
const HEAD_EVENTS = 64
const NO_POSITION = 2n ** 63n

/** All events of a finite read; rejects when it takes longer than its limit. */
const collect = (read: StreamingRead<ResolvedEvent>): Promise<readonly RawEvent[]> =>
  new Promise<readonly RawEvent[]>((resolve, reject) => {
    const events: RawEvent[] = []
    const timer = setTimeout(
      () => reject(new TimedOut(`a read took longer than ${PAGE_TIMEOUT_MS} ms`)),
      PAGE_TIMEOUT_MS,
    )
    const done = (settle: () => void) => {
      clearTimeout(timer)
      settle()
    }
    // The error listener stays for good: a cancelled call may still report that it was cancelled.
    read.on('error', (error) => done(() => (error instanceof StreamNotFoundError ? resolve([]) : reject(error))))
    read.on('data', (resolved: ResolvedEvent) => {
      try {
        events.push(rawEvent(resolved))
      } catch (error) {
        done(() => reject(error))
      }
    })
    read.on('end', () => done(() => resolve(events)))
    read.on('close', () => done(() => reject(new Error('the read was closed before its end'))))
  }).finally(() => read.cancel().catch(() => undefined))
