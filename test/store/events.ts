/** Events and streams for the tests of the stores. */
import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { EventStore, NewEvent, RecordedEvent } from '../../domain/kernel/ports.ts'

/** Opens a store for one test; what it needs to be undone it registers with `t.teardown`. */
export type OpenStore = (t: ExecutionContext) => Promise<EventStore>

/** An event as a command would make it. */
export const newEvent = (type: string, data: object = {}, id: string = randomUUID()): NewEvent => ({
  id,
  type,
  data,
  meta: { v: 1, at: '2026-01-02T03:04:05.678Z', cause: { actor: 'tester', correlationId: 'c-1', causationId: 'e-0' } },
})

/** A stream name that no other test uses. */
export const newStream = (category = 'thing'): string => `${category}-${randomUUID()}`

export const all = async (pages: AsyncIterable<readonly RecordedEvent[]>): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for await (const page of pages) events.push(...page)
  return events
}

/**
 * The first events of a stream's kind that a subscription delivers, until there are `count`; then it ends the
 * subscription.
 */
export const firstOf = async (
  store: EventStore,
  after: bigint,
  count: number,
  wanted: (event: RecordedEvent) => boolean,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  const limit = AbortSignal.timeout(SUBSCRIBE_LIMIT_MS)
  const enough = new AbortController()
  for await (const page of store.subscribe(after, AbortSignal.any([limit, enough.signal]))) {
    events.push(...page.filter(wanted))
    if (events.length >= count) enough.abort()
  }
  return events
}

/** Longer than any healthy store needs, shorter than the patience of the test runner. */
const SUBSCRIBE_LIMIT_MS = 30_000
