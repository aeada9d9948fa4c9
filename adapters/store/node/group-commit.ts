/**
 * Appends share commits: one flush of the disk costs the same for one event as for a hundred. An append that finds the
 * node idle is committed in the next turn of the event loop; while each turn brings more, the batch goes on collecting,
 * up to a bound.
 */
import type { StoredEvent } from './stored-event.ts'

/** The place of the last event of an append. */
export type CommitResult = { readonly revision: number; readonly position: number }

export type GroupCommit = {
  /** Queues events that fit their stream; resolves once they are durable. */
  add(events: readonly StoredEvent[]): Promise<CommitResult>
  /** The events of a stream that are queued but not durable yet, in order. */
  queued(stream: string): readonly StoredEvent[]
  /**
   * Answers once all that the stream has queued is durable, since an answer may depend on it; at once when there is
   * nothing.
   */
  afterQueued(stream: string, answer: () => Promise<CommitResult>): Promise<CommitResult>
  full(): boolean
  closed(): boolean
  /** Commits what is queued and takes no more. False when it was closed before. */
  close(): boolean
}

export type GroupCommitHooks = {
  write(events: readonly StoredEvent[]): void
  /** Called after a commit, once its callers are answered. */
  committed(): void
  /** Called after a failed commit, once every caller is refused. */
  failed(error: Error): void
}

/** Turns of the event loop that one batch may collect for. */
const COLLECT_TURNS = 32
/**
 * Turns without a newcomer that end a batch when the one before it was shared; appends from a socket come one per turn.
 */
const QUIET_TURNS = 3
/** Most events in one commit; one append is never split, so a commit may exceed it by one append. */
const COMMIT_EVENTS = 2_048
/**
 * Appends, events, and bytes of their data that may wait for the disk; above any of them appends are refused as busy.
 */
const QUEUED_APPENDS = 50_000
const QUEUED_EVENTS = 50_000
const QUEUED_BYTES = 67_108_864

type Entry = {
  readonly events: readonly StoredEvent[]
  readonly settle: () => void
  readonly fail: (error: Error) => void
}

export const groupCommit = (hooks: GroupCommitHooks): GroupCommit => {
  const streams = queuedByStream()
  let queue: Entry[] = []
  let queuedEvents = 0
  let queuedBytes = 0
  let lastShared = false
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
    queuedBytes -= sizeOf(events)
    streams.forget(events)
    for (const entry of batch) entry.settle()
    hooks.committed()
  }
  const fail = (batch: readonly Entry[], error: Error) => {
    over = error
    for (const entry of [...batch, ...queue]) entry.fail(error)
    queue = []
    hooks.failed(error)
  }
  const schedule = collector({
    waiting: () => (over ? 0 : queue.length),
    enough: () => queuedEvents >= COMMIT_EVENTS,
    shared: () => lastShared,
    commit,
  })
  const enqueue = (events: readonly StoredEvent[], answer: () => Promise<CommitResult>): Promise<CommitResult> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over)
      queue.push({ events, settle: () => resolve(answer()), fail: reject })
      queuedEvents += events.length
      queuedBytes += sizeOf(events)
      streams.add(events)
      schedule()
    })

  return {
    add: (events) => {
      const { revision, position } = events.at(-1) as StoredEvent
      return enqueue(events, () => Promise.resolve({ revision, position }))
    },
    queued: streams.of,
    afterQueued: (stream, answer) => (streams.of(stream).length > 0 ? enqueue([], answer) : answer()),
    full: () => queue.length >= QUEUED_APPENDS || queuedEvents >= QUEUED_EVENTS || queuedBytes >= QUEUED_BYTES,
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

type CommitQueue = {
  /** Appends in the queue. */
  waiting(): number
  enough(): boolean
  /** Whether the last batch held more than one append. */
  shared(): boolean
  commit(): void
}

/** Waits, from the first append on, as long as others keep coming; then commits, and goes on while any are left. */
const collector = ({ waiting, enough, shared, commit }: CommitQueue) => {
  let scheduled = false
  const collect = (seen: number, turns: number, quiet: number) => {
    const calm = waiting() > seen ? 0 : quiet + 1
    const more = calm === 0 || (shared() && calm < QUIET_TURNS)
    if (more && turns < COLLECT_TURNS && !enough()) return setImmediate(collect, waiting(), turns + 1, calm)
    scheduled = false
    if (waiting() > 0) commit()
    schedule()
  }
  const schedule = () => {
    if (scheduled || waiting() === 0) return
    scheduled = true
    setImmediate(collect, waiting(), 0, 0)
  }
  return schedule
}

const takeBatch = (queue: readonly Entry[]): readonly Entry[] => {
  let events = 0
  const end = queue.findIndex((entry) => {
    events += entry.events.length
    return events >= COMMIT_EVENTS
  })
  return end < 0 ? queue : queue.slice(0, end + 1)
}

/** Queued events by stream, in order. */
const queuedByStream = () => {
  const lists = new Map<string, StoredEvent[]>()
  return {
    of: (stream: string): readonly StoredEvent[] => lists.get(stream) ?? NONE,
    add: (events: readonly StoredEvent[]) => {
      for (const event of events) {
        const list = lists.get(event.stream)
        if (list) list.push(event)
        else lists.set(event.stream, [event])
      }
    },
    /** Commits are in order, so the events of one batch are the first of their streams' lists. */
    forget: (events: readonly StoredEvent[]) => {
      for (const [stream, { length }] of Map.groupBy(events, (event) => event.stream)) {
        const rest = lists.get(stream)?.slice(length) ?? NONE
        if (rest.length > 0) lists.set(stream, [...rest])
        else lists.delete(stream)
      }
    },
  }
}

const NONE: readonly StoredEvent[] = []

const sizeOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0)
