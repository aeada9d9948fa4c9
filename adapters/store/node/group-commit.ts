/**
 * Appends share commits: one flush of the disk costs the same for one event as for a hundred. An append that finds the node idle is
 * committed in the next turn of the event loop; while each turn brings more, the batch goes on collecting, up to a bound.
 */
import type { StoredEvent } from './log.ts'

/** Where the last event of an append sits. */
export type Committed = { readonly revision: number; readonly position: number }

export type GroupCommit = {
  /** Queues events that fit their stream; resolves once they are durable. */
  add(events: readonly StoredEvent[]): Promise<Committed>
  /** The events of a stream that are queued but not durable yet, in order. */
  queued(stream: string): readonly StoredEvent[]
  /** Answers once all that the stream has queued is durable, since an answer may depend on it; at once when there is nothing. */
  afterQueued(stream: string, answer: () => Promise<Committed>): Promise<Committed>
  full(): boolean
  closed(): boolean
  /** Commits what is queued and takes no more. False when it was closed before. */
  close(): boolean
}

export type GroupCommitHooks = {
  write(events: readonly StoredEvent[]): void
  /** After a commit, once its callers are answered. */
  committed(): void
  /** After a failed commit, once every caller is refused. */
  failed(error: Error): void
}

/** Turns of the event loop that one batch may collect for. */
const COLLECT_TURNS = 32
/** Turns without a newcomer that end a batch when the one before it was shared; appends from a socket come one per turn. */
const QUIET_TURNS = 3
/** Most events in one commit; one append is never split, so a commit may exceed it by one append. */
const COMMIT_EVENTS = 2_048
/** Events that may wait for the disk; above it appends are refused as busy. */
const QUEUED_EVENTS = 50_000

type Entry = {
  readonly events: readonly StoredEvent[]
  readonly settle: () => void
  readonly fail: (error: Error) => void
}

export const groupCommit = (hooks: GroupCommitHooks): GroupCommit => {
  const byStream = new Map<string, StoredEvent[]>()
  let queue: Entry[] = []
  let queuedEvents = 0
  let lastShared = false
  let scheduled = false
  let over: Error | undefined

  const commit = () => {
    const batch = takeBatch(queue)
    queue = queue.slice(batch.length)
    const events = batch.flatMap((entry) => entry.events)
    lastShared = batch.length > 1
    try {
      if (events.length > 0) hooks.write(events)
    } catch (cause) {
      return fail(batch, new Error('a commit of the log failed', { cause }))
    }
    queuedEvents -= events.length
    forget(byStream, events)
    for (const entry of batch) entry.settle()
    hooks.committed()
  }
  const fail = (batch: readonly Entry[], error: Error) => {
    over = error
    for (const entry of [...batch, ...queue]) entry.fail(error)
    queue = []
    hooks.failed(error)
  }
  const schedule = () => {
    if (scheduled || over || queue.length === 0) return
    scheduled = true
    const collect = (seen: number, turns: number, quiet: number) => {
      const calm = queue.length > seen ? 0 : quiet + 1
      const more = calm === 0 || (lastShared && calm < QUIET_TURNS)
      if (more && turns < COLLECT_TURNS && queuedEvents < COMMIT_EVENTS)
        return setImmediate(collect, queue.length, turns + 1, calm)
      scheduled = false
      if (!over && queue.length > 0) commit()
      schedule()
    }
    setImmediate(collect, queue.length, 0, 0)
  }
  const enqueue = (events: readonly StoredEvent[], answer: () => Promise<Committed>): Promise<Committed> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over)
      queue.push({ events, settle: () => resolve(answer()), fail: reject })
      queuedEvents += events.length
      for (const event of events) (byStream.get(event.stream) ?? add(byStream, event.stream)).push(event)
      schedule()
    })

  return {
    add: (events) => {
      const { revision, position } = events.at(-1) as StoredEvent
      return enqueue(events, () => Promise.resolve({ revision, position }))
    },
    queued: (stream) => byStream.get(stream) ?? [],
    afterQueued: (stream, answer) => (byStream.has(stream) ? enqueue([], answer) : answer()),
    full: () => queuedEvents >= QUEUED_EVENTS,
    closed: () => over !== undefined,
    close: () => {
      if (over) return false
      while (queue.length > 0 && !over) commit()
      const failedNow = over !== undefined
      over ??= new Error('the log is closed')
      return !failedNow
    },
  }
}

const takeBatch = (queue: readonly Entry[]): readonly Entry[] => {
  let events = 0
  const end = queue.findIndex((entry) => {
    events += entry.events.length
    return events >= COMMIT_EVENTS
  })
  return end < 0 ? queue : queue.slice(0, end + 1)
}

const add = (byStream: Map<string, StoredEvent[]>, stream: string): StoredEvent[] => {
  const list: StoredEvent[] = []
  byStream.set(stream, list)
  return list
}

/** Commits are in order, so the events of one batch are the first of their streams' queues. */
const forget = (byStream: Map<string, StoredEvent[]>, events: readonly StoredEvent[]): void => {
  const counts = Map.groupBy(events, (event) => event.stream)
  for (const [stream, { length }] of counts) {
    const rest = byStream.get(stream)?.slice(length) ?? []
    if (rest.length > 0) byStream.set(stream, rest)
    else byStream.delete(stream)
  }
}
