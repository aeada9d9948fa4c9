import type { StoredEvent } from './stored-event.ts'

/**
 * The end of the log, kept in memory: whoever follows it is shown what was just written without reading it back from
 * the disk.
 */
export type NewestEvents = {
  add(events: readonly StoredEvent[]): void
  /** At most `count` events after a position; undefined when it lies before what is kept. */
  after(position: number, count: number): readonly StoredEvent[] | undefined
}

/** Bounds of what is kept: at least the newest events up to one of these, at most twice as much and one commit more. */
const EVENTS_KEPT = 4_096
const BYTES_KEPT = 8_388_608

/** @param end position of the newest event that is not kept */
export const newestEvents = (end: number): NewestEvents => {
  let older: StoredEvent[] = []
  let younger: StoredEvent[] = []
  let youngerBytes = 0
  /** Everything after this position is kept. */
  let floor = end

  return {
    add: (events) => {
      for (const event of withOwnBytes(events)) {
        younger.push(event)
        youngerBytes += event.data.length + event.metadata.length
      }
      if (younger.length < EVENTS_KEPT && youngerBytes < BYTES_KEPT) return
      floor = older.at(-1)?.position ?? floor
      older = younger
      younger = []
      youngerBytes = 0
    },
    after: (position, count) => {
      if (position < floor) return undefined
      const first = firstAfter(older, position)
      if (first === older.length) {
        const at = firstAfter(younger, position)
        return younger.slice(at, at + count)
      }
      return [...older.slice(first, first + count), ...younger.slice(0, Math.max(0, first + count - older.length))]
    },
  }
}

/**
 * Copies the bytes of a commit into a buffer of their own: those that came are parts of far larger buffers, which would
 * otherwise be kept whole.
 */
const withOwnBytes = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
  const bytes = new Uint8Array(events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0))
  let at = 0
  const own = (part: Uint8Array): Uint8Array => {
    bytes.set(part, at)
    at += part.length
    return bytes.subarray(at - part.length, at)
  }
  return events.map((event) => ({ ...event, data: own(event.data), metadata: own(event.metadata) }))
}

/** Index of the first event after a position; the events are in order. */
const firstAfter = (events: readonly StoredEvent[], position: number): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}
