/**
 * Decides whether an append fits its stream, at the moment of the call, against the events that are durable and those
 * that are queued. A repeat has to get the answer of the first time: the events at its place are compared by id,
 * however long ago they were written.
 */

import { recentMap } from '../../../domain/kernel/recent-map.ts'
import { MAX_APPEND_BYTES, MAX_STORED_EVENT_BYTES } from '../base/limits.ts'
import { bytesOf } from '../base/recorded.ts'
import type { CommitResult, GroupCommit } from './group-commit.ts'
import type { Log } from './log.ts'
import { positionAfter, type StoredEvent } from './stored-event.ts'

export type ProposedEvent = Pick<StoredEvent, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>

/** The revision a stream must be at (-1: it must not exist), or `any`, or `exists`. */
export type ExpectedRevision = number | 'any' | 'exists'

/** The stream is not where the caller expects it; `current` is its newest revision, -1 when it does not exist. */
export class StaleAppend extends Error {
  readonly current: number
  constructor(stream: string, expected: ExpectedRevision, current: number) {
    super(`${stream} is at revision ${current}, not at ${expected}`)
    this.current = current
  }
}

/**
 * The append breaks a rule and cannot succeed however often it is tried; `busy` alone is about the moment. Nothing was
 * written.
 */
export class RefusedAppend extends Error {
  readonly reason: 'too-large' | 'system' | 'malformed' | 'busy'
  constructor(reason: RefusedAppend['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export type NodeAppend = (
  stream: string,
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
) => Promise<CommitResult>

export const appender = (log: Log, commits: GroupCommit): NodeAppend => {
  // This is best effort, as in EventStoreDB: an append at `any` revision names no place to look at, so its ids are
  // remembered for a while.
  const recent = recentMap<{ readonly stream: string; readonly revision: number }>(RECENT_IDS)
  let next = positionAfter(log.readAll(Number.MAX_SAFE_INTEGER, 1, 'backwards')[0] as StoredEvent)

  const { head, repeated } = places(log, commits)
  const place = (stream: string, after: number, events: readonly ProposedEvent[]): readonly StoredEvent[] => {
    const created = Date.now()
    return events.map((event, i) => {
      const stored = { ...event, position: next, stream, revision: after + 1 + i, created }
      next = positionAfter(stored)
      recent.set(stored.id, { stream, revision: stored.revision })
      return stored
    })
  }
  /** The revision that an append at `any` revision was made at, when it is remembered. */
  const before = (stream: string, id = '') => {
    const found = recent.get(id)
    return found?.stream === stream ? found.revision - 1 : undefined
  }
  const decide = (
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Promise<CommitResult> => {
    const current = head(stream)
    const stale = () => commits.afterQueued(stream, () => Promise.reject(new StaleAppend(stream, expected, current)))
    const earlier = typeof expected === 'number' ? expected : before(stream, events[0]?.id)
    if (earlier !== undefined && earlier < current) {
      const again = repeated(stream, earlier, events)
      if (again) return commits.afterQueued(stream, () => Promise.resolve(again))
    }
    if (typeof expected === 'number' ? expected !== current : expected === 'exists' && current < 0) return stale()
    if (events.length === 0)
      return commits.afterQueued(stream, () => Promise.resolve({ revision: current, position: -1 }))
    return commits.add(place(stream, current, events))
  }

  return async (stream, expected, events) => {
    if (commits.closed()) throw new Error('the log is closed')
    const list = events.map((event) => ({ ...event, id: event.id.toLowerCase() }))
    check(stream, list)
    if (commits.full()) throw new RefusedAppend('busy', 'too many appends are waiting for the disk')
    return decide(stream, expected, list)
  }
}

/** Longest name of a stream or an event type, in UTF-16 units. */
const MAX_NAME_LENGTH = 512
/** Ids remembered so that an append at `any` revision can be recognised when it is repeated. */
const RECENT_IDS = 20_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const check = (stream: string, events: readonly ProposedEvent[]): void => {
  let bytes = 0
  for (const name of [stream, ...events.map((event) => event.type)]) {
    if (name.length === 0 || name.length > MAX_NAME_LENGTH || !name.isWellFormed() || name.includes('\0'))
      throw new RefusedAppend(
        'malformed',
        `a name needs 1 to ${MAX_NAME_LENGTH} characters of valid text: ${JSON.stringify(name.slice(0, 80))}`,
      )
    if (name.startsWith('$')) throw new RefusedAppend('system', `names that start with $ are the store's own: ${name}`)
  }
  for (const event of events) {
    if (!UUID.test(event.id)) throw new RefusedAppend('malformed', `${event.id} is not a UUID`)
    const size = bytesOf(event)
    if (size > MAX_STORED_EVENT_BYTES)
      throw new RefusedAppend(
        'too-large',
        `${event.type} for ${stream} has ${size} bytes, the most is ${MAX_STORED_EVENT_BYTES}`,
      )
    bytes += size
  }
  if (bytes > MAX_APPEND_BYTES)
    throw new RefusedAppend('too-large', `an append to ${stream} has ${bytes} bytes, the most is ${MAX_APPEND_BYTES}`)
}

/** Finds events by their place, durable or queued. */
const places = (log: Log, commits: GroupCommit) => {
  const at = (stream: string, revision: number) => {
    const queued = commits.queued(stream)
    return queued[revision - (queued[0]?.revision ?? 0)] ?? log.at(stream, revision)
  }
  return {
    head: (stream: string) => commits.queued(stream).at(-1)?.revision ?? log.head(stream),
    /**
     * The place where these events ended when they were appended at this revision before; undefined when other events,
     * or none, are there.
     */
    repeated: (stream: string, expected: number, events: readonly ProposedEvent[]): CommitResult | undefined => {
      let last: CommitResult | undefined
      for (const [i, event] of events.entries()) {
        const found = at(stream, expected + 1 + i)
        if (found?.id !== event.id) return undefined
        last = { revision: expected + 1 + i, position: found.position }
      }
      return last
    },
  }
}
