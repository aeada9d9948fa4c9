/**
 * An event store in memory, for exploring schedules: it keeps the whole contract, answers at once, and can be copied.
 * Nothing survives.
 */

import { PAGE_EVENTS } from '../../adapters/store/base/limits.ts'
import { encodedEvents, recordedEvent } from '../../adapters/store/base/recorded.ts'
import { type EventStore, type RecordedEvent, WrongRevision } from '../../domain/kernel/ports.ts'

export type MemoryStore = EventStore & {
  /** The whole log as it is now, in order. */
  events(): readonly RecordedEvent[]
  /** Newest revision of a stream, -1n when there is none. */
  revision(stream: string): bigint
}

/** `given` is the log that it begins with, which is not changed. */
export const memoryStore = (given: readonly RecordedEvent[] = []): MemoryStore => {
  const log = [...given]
  const streams = Map.groupBy(log, ({ stream }) => stream)
  let grown = Promise.withResolvers<void>()

  const append: EventStore['append'] = async (stream, expected, events) => {
    const list = encodedEvents(stream, events)
    const own = streams.get(stream) ?? []
    const first = Number(expected) + 1
    const repeated = own.slice(first, first + list.length)
    const isRepeat = first >= 0 && repeated.length === list.length && list.every(({ id }, i) => id === repeated[i]?.id)
    if (!isRepeat && first !== own.length) throw new WrongRevision(`${stream} is at ${own.length - 1}, not ${expected}`)
    if (!isRepeat) {
      for (const [i, event] of list.entries()) {
        const place = { revision: BigInt(first + i), position: BigInt(log.length + 1) }
        const written = recordedEvent({ ...event, ...place, stream })
        own.push(written)
        log.push(written)
      }
      streams.set(stream, own)
      grown.resolve()
      grown = Promise.withResolvers()
    }
    const last = own[first + list.length - 1] as RecordedEvent
    return { revision: last.revision, position: last.position }
  }

  async function* subscribe(
    after: bigint,
    signal: AbortSignal,
    leftOut: ReadonlySet<string> = new Set(),
  ): AsyncGenerator<readonly RecordedEvent[]> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    for (let at = Number(after); !signal.aborted; ) {
      const arrival = grown.promise
      const page = pageAfter(log, at)
      const shown = page.filter(({ type }) => !leftOut.has(type))
      if (page.length === 0) await Promise.race([arrival, aborted])
      else if (shown.length > 0) yield shown
      at = Number(page.at(-1)?.position ?? at)
    }
  }

  return {
    append,
    subscribe,
    async *read(stream, from = 0n) {
      for (let at = Math.max(0, Number(from)); ; ) {
        const page = (streams.get(stream) ?? []).slice(at, at + PAGE_EVENTS)
        if (page.length === 0) return
        yield page
        at += page.length
      }
    },
    async *readAll(after) {
      const end = log.length
      for (
        let page = pageAfter(log, Number(after));
        page.length > 0;
        page = pageAfter(log, Number(page.at(-1)?.position))
      )
        if (Number(page[0]?.position) <= end) yield page
        else return
    },
    head: async () => log.at(-1)?.position ?? -1n,
    close: async () => {},
    events: () => log,
    revision: (stream) => BigInt((streams.get(stream)?.length ?? 0) - 1),
  }
}

/** Positions are counted from 1, so the event at position n stands at index n - 1. */
const pageAfter = (log: readonly RecordedEvent[], position: number) => {
  const first = Math.max(0, position)
  return log.slice(first, first + PAGE_EVENTS)
}
