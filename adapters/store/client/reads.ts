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
import { PAGE_EVENTS } from '../base/limits.ts'
import { isSystem, type RawEvent } from '../base/recorded.ts'
import type { Connection, StoreLog } from './connection.ts'
import { AnswerTimeout, retried, UnusableAnswer } from './patience.ts'
import { slots } from './slots.ts'
import type { TimeLimits } from './time-limits.ts'

export type Reads = {
  /** Up to `count` events of a stream from a revision on; none when there is no such stream. */
  stream(name: string, from: bigint, count: number): Promise<readonly RawEvent[]>
  /**
   * The next events of the whole log after a position, system events among them; none at its end, which is not before a
   * known head.
   */
  all(after: bigint, head?: bigint): Promise<readonly RawEvent[]>
  /** The event at a position; undefined where none is. */
  at(position: bigint): Promise<RawEvent | undefined>
  /** Position of the newest event that is not the store's own, -1n when there is none. */
  head(): Promise<bigint>
}

type ResolvedEvents = StreamingRead<ResolvedEvent>
type Take = (events: readonly RawEvent[]) => readonly RawEvent[]

/** Reads that fail for a moment (a lost connection, a reset call) are tried again; other errors reject. */
export const openReads = ({ client, access, closing }: Connection, limits: TimeLimits, log: StoreLog): Reads => {
  const inTurn = slots(READS_IN_FLIGHT, READS_WAITING, 'reads')
  const page = (
    what: string,
    open: () => ResolvedEvents,
    take: Take = (events) => events,
  ): Promise<readonly RawEvent[]> =>
    retried(
      closing,
      async (end) => {
        const left = () => Math.min(limits.pageMs, end - performance.now())
        return take((await inTurn(async () => collect(open, left(), closing))).map(rawEvent))
      },
      (error) => log('a read is tried again', { what, error: String(error) }),
      limits.readMs,
    )
  const backwards = (before: bigint | undefined): Promise<readonly RawEvent[]> => {
    const fromPosition = before === undefined ? END : { commit: before, prepare: before }
    // The newest event is mostly one of ours, and each of several processes asks for it twice a second.
    const maxCount = before === undefined ? 1 : HEAD_EVENTS
    return page('head', () => client.readAll({ fromPosition, direction: BACKWARDS, maxCount, ...access }))
  }
  return {
    // A follower may lag behind what its leader has confirmed, and so hide an append of our own from us.
    stream: (name, fromRevision, maxCount) =>
      page(name, () =>
        client.readStream(name, { fromRevision, direction: FORWARDS, maxCount, requiresLeader: true, ...access }),
      ),
    all: (after, head = after) => {
      // A read of the whole log includes the event it starts at, so one more is asked for and that one left out.
      const fromPosition = after < 0n ? START : { commit: after, prepare: after }
      const open = () => client.readAll({ fromPosition, direction: FORWARDS, maxCount: PAGE_EVENTS + 1, ...access })
      return page('all', open, (events) => {
        const next = events.filter((event) => event.position > after)
        // Another node of a cluster may not have come so far yet; its end must not pass for the end of the log.
        if (next.length === 0 && after < head)
          throw new Error(`the log ends at ${after}, though it had come to ${head}`)
        return next
      })
    },
    at: async (position) => {
      const fromPosition = { commit: position, prepare: position }
      const open = () =>
        client.readAll({ fromPosition, direction: FORWARDS, maxCount: 1, requiresLeader: true, ...access })
      return (await page('all', open)).find((event) => event.position === position)
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

/** An event that the client hands out, in the form that both stores share. */
export const rawEvent = ({ event }: ResolvedEvent): RawEvent => {
  if (!event) throw new UnusableAnswer('the store sent a link without its event')
  const position = event.position?.commit
  if (position === undefined || !isPosition(position))
    throw new UnusableAnswer(
      `event ${event.revision} of ${event.streamId} came without its position: EventStoreDB 22.10 or newer is needed`,
    )
  const { id, streamId: stream, revision, type, data, metadata } = event
  return { id: id.toLowerCase(), stream, revision, position, type, data, metadata }
}

/** Whether a number is a position; servers write the largest unsigned number where they know none. */
export const isPosition = (position: bigint): boolean => position >= 0n && position < NO_POSITION

/**
 * Pages on the wire at once: together with the appends they stay below the 100 calls that a server allows on a
 * connection.
 */
const READS_IN_FLIGHT = 24
/** Pages that wait for their turn; above it calls are refused at once. */
const READS_WAITING = 10_000
/** Events looked at in one step where the newest ones are the store's own. */
const HEAD_EVENTS = 64
const NO_POSITION = 2n ** 63n

/**
 * All events of a finite read; rejects when it takes longer than its limit, or when the store closes before its end.
 */
const collect = (
  open: () => ResolvedEvents,
  limitMs: number,
  closing: AbortSignal,
): Promise<readonly ResolvedEvent[]> => {
  closing.throwIfAborted()
  if (limitMs <= 0) return Promise.reject(new AnswerTimeout('a read had no time left when its turn came'))
  const read = open()
  return new Promise<readonly ResolvedEvent[]>((resolve, reject) => {
    const events: ResolvedEvent[] = []
    const timer = setTimeout(
      () => reject(new AnswerTimeout(`a read took longer than ${Math.round(limitMs)} ms`)),
      limitMs,
    )
    const done = (settle: () => void) => {
      clearTimeout(timer)
      settle()
    }
    // The error listener stays for good: a cancelled call may still report that it was cancelled.
    read.on('error', (error) => done(() => (error instanceof StreamNotFoundError ? resolve([]) : reject(error))))
    // Nothing that can fail is done in here: the client alone decides where an error of a listener ends up.
    read.on('data', (event: ResolvedEvent) => events.push(event))
    // A call that was cut off by closing ends as if it were complete.
    read.on('end', () => done(() => (closing.aborted ? reject(closing.reason) : resolve(events))))
    read.on('close', () => done(() => reject(new Error('the read was closed before its end'))))
  }).finally(() => {
    // Nobody waits for this: a call that is still looking for its server can only be cancelled once it has found one.
    read.cancel().catch(() => undefined)
  })
}
