import { quarantinedBy } from '../../domain/audit/quarantine.ts'
import type { EventStore, Feed, RecordedEvent } from '../../domain/kernel/ports.ts'
import { passedOver, SET_ASIDE } from '../../domain/kernel/recorded-event.ts'
import { endingOf } from './ending.ts'

/** Events kept in memory for followers that are a little behind. */
const RECENT_MAX = 10_000
const PAGE_MAX = 1_000

/** Starts following at the present end of the log. `arrived` is told of each page before any follower is. */
export const startFeed = async (
  store: EventStore,
  arrived: (page: readonly RecordedEvent[]) => void = () => {},
): Promise<Feed> => {
  const stopping = new AbortController()
  let recent: RecordedEvent[] = []
  /** Everything after this position and up to `head` is in `recent`. */
  let floor = await store.head()
  let head = floor
  let resolveArrival: () => void = () => {}
  let arrival = new Promise<void>((resolve) => (resolveArrival = resolve))
  /** Wakes everybody; who finds nothing new waits for the next time, so a spent promise is never waited on again. */
  const wake = () => {
    const spent = resolveArrival
    arrival = new Promise<void>((resolve) => (resolveArrival = resolve))
    spent()
  }

  const arrive = (page: readonly RecordedEvent[]) => {
    arrived(page)
    recent.push(...page)
    // Who stops at an event that was set aside begins again, and must not find it as it was.
    const aside = new Set(page.flatMap((event) => quarantinedBy(event)?.id ?? []))
    if (aside.size > 0) recent = recent.map((event) => (aside.has(event.id) ? passedOver(event, SET_ASIDE) : event))
    head = page.at(-1)?.position ?? head
    // Trimmed in one go at twice the bound, so that an arrival costs nothing for each event that stays.
    if (recent.length > 2 * RECENT_MAX) {
      floor = recent[recent.length - RECENT_MAX - 1]?.position ?? floor
      recent = recent.slice(-RECENT_MAX)
    }
    wake()
  }
  const reading = (async () => {
    for await (const page of store.subscribe(floor, stopping.signal)) arrive(page)
  })()

  async function* after(position: bigint, signal: AbortSignal): AsyncGenerator<readonly RecordedEvent[]> {
    let at = position
    const ended = endingOf(signal, wake)
    while (!ended()) {
      if (at < floor) {
        for await (const page of store.readAll(at)) {
          if (ended()) return
          at = page.at(-1)?.position ?? at
          if (page.length > 0) yield page
          if (at >= floor) break
        }
        // The log was cut at the floor: no event lies between, so the follower goes on from memory.
        if (at < floor && (await store.head()) <= floor) at = floor
        continue
      }
      const waiting = arrival
      const first = firstAfter(recent, at)
      const page = recent.slice(first, first + PAGE_MAX)
      if (page.length === 0) await waiting
      else {
        at = page.at(-1)?.position ?? at
        yield page
      }
    }
  }

  return {
    after,
    head: () => head,
    async stop() {
      stopping.abort()
      await reading
    },
  }
}

/** Index of the first event after a position; the events are in order. */
const firstAfter = (events: readonly RecordedEvent[], position: bigint): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.position ?? 0n) <= position) low = middle + 1
    else high = middle
  }
  return low
}
