import { type AnyDecider, fold, foldRecorded } from '../kernel/decider.ts'
import {
  type AppendPlace,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  type Snapshots,
  WrongRevision,
} from '../kernel/ports.ts'

/**
 * The write pipeline of one stream. Commands are decided at once against the newest state, also while an append is on
 * its way; what they decide waits, and goes out together in the next append. Nothing decided on unflushed state is
 * released before that state is durable: when an append fails, everything decided after it is thrown away and decided
 * again.
 */
export type Lane = {
  readonly stream: string
  readonly decider: AnyDecider
  /** Newest state and revision, decided but perhaps not yet durable. */
  state: unknown
  revision: bigint
  durable: bigint
  /** The revision up to which the stream was read: all that is in the state beyond it was pushed here. */
  readonly readTo: bigint
  /** Log position of the newest durable event that was read or written here; -1n when none was. */
  position: bigint
  /** Newest revision that was heard of while an append was under way; -1n when none was. */
  heard: bigint
  snapshotAt: bigint
  queue: PendingAppend[]
  /** Settles when everything decided so far is durable, or rejects when it was thrown away. */
  tail: Promise<unknown>
  flushing: boolean
  broken: boolean
}
type PendingAppend = { events: readonly NewEvent[]; resolve(appended: AppendPlace): void; reject(error: unknown): void }

/** Thrown for a command that was decided on a state which did not become durable; it has to be decided again. */
export class StaleDecision extends Error {
  override readonly name = 'StaleDecision'
}

/** Events in one append: keeps an append below the store's size limit. */
const EVENTS_PER_APPEND_MAX = 200
/** A stream that grows is folded from its newest snapshot, written every so many events: that many are read at most. */
const SNAPSHOT_EVERY_EVENTS = 100n

export const emptyLane = (stream: string, decider: AnyDecider): Lane =>
  laneAt(stream, decider, { state: decider.initial, revision: -1n, position: -1n }, -1n)

export const loadLane = async (
  store: EventStore,
  snapshots: Snapshots,
  decider: AnyDecider,
  stream: string,
): Promise<Lane> => {
  const start: FoldedState = { state: decider.initial, revision: -1n, position: -1n }
  // A stream that does not grow is short: asking for a snapshot would cost more than reading it.
  const snapshot = decider.grows && (await snapshots.load(stream, decider.stateVersion))
  const folded = await newer(store, decider, stream, snapshot ? { ...start, ...snapshot } : start)
  return laneAt(stream, decider, folded, snapshot ? snapshot.revision : -1n)
}

/** The state after one revision of a stream, which is in the log. */
export const stateAt = async (
  store: EventStore,
  snapshots: Snapshots,
  decider: AnyDecider,
  stream: string,
  revision: bigint,
): Promise<unknown> => {
  const snapshot = decider.grows && (await snapshots.load(stream, decider.stateVersion))
  let { state, from } = { state: decider.initial, from: 0n }
  if (snapshot && snapshot.revision <= revision)
    ({ state, from } = { state: snapshot.state, from: snapshot.revision + 1n })
  for await (const page of store.read(stream, from)) {
    state = foldRecorded(
      decider,
      page.filter((event) => event.revision <= revision),
      state,
    )
    if ((page.at(-1)?.revision ?? revision) >= revision) break
  }
  return state
}

/** The lane with what others have appended since; the lane itself is left as it is. */
export const refreshedLane = async (store: EventStore, lane: Lane): Promise<Lane> => {
  const folded = await newer(store, lane.decider, lane.stream, lane)
  return folded.revision === lane.revision ? lane : laneAt(lane.stream, lane.decider, folded, lane.snapshotAt)
}

/**
 * An idle lane with the event that somebody else has appended right after it. Undefined where that is another one, or
 * cannot be folded, or where the lane holds what may not be in the log: then the stream has to be read.
 */
export const followedLane = (lane: Lane, event: RecordedEvent): Lane | undefined => {
  const { stream, decider, revision, position, durable, heard, broken, snapshotAt } = lane
  if (broken || durable !== revision || heard > revision) return undefined
  if (event.revision !== revision + 1n || event.unreadable !== undefined) return undefined
  // In a log that was put back, what the lane holds may never have been.
  if (event.position <= position) return undefined
  try {
    const state = foldRecorded(decider, [event], lane.state)
    return laneAt(stream, decider, { state, revision: event.revision, position: event.position }, snapshotAt)
  } catch {
    return undefined
  }
}

/** Queues events that were decided on the lane's present state, and answers once they are durable. */
export const push = (store: EventStore, snapshots: Snapshots, lane: Lane, events: readonly NewEvent[]) => {
  lane.state = fold(lane.decider, events, lane.state)
  lane.revision += BigInt(events.length)
  const appended = new Promise<AppendPlace>((resolve, reject) => lane.queue.push({ events, resolve, reject }))
  appended.catch(() => {})
  lane.tail = appended
  if (!lane.flushing) void flush(store, snapshots, lane)
  return appended
}

export const isIdleLane = (lane: Lane) => !lane.flushing && lane.queue.length === 0

type FoldedState = { state: unknown; revision: bigint; position: bigint }

const laneAt = (
  stream: string,
  decider: AnyDecider,
  { state, revision, position }: FoldedState,
  snapshotAt: bigint,
): Lane => {
  const empty = { heard: -1n, queue: [], tail: Promise.resolve(), flushing: false, broken: false }
  return { stream, decider, state, revision, durable: revision, readTo: revision, position, snapshotAt, ...empty }
}

/** Folds what comes after `from`, to the end of the stream. */
const newer = async (store: EventStore, decider: AnyDecider, stream: string, from: FoldedState) => {
  let { state, revision, position } = from
  for await (const page of store.read(stream, revision + 1n)) {
    state = foldRecorded(decider, page, state)
    revision = page.at(-1)?.revision ?? revision
    position = page.at(-1)?.position ?? position
  }
  return { state, revision, position }
}

const flush = async (store: EventStore, snapshots: Snapshots, lane: Lane) => {
  lane.flushing = true
  // What was asked for at the same moment is decided first, and goes along.
  await Promise.resolve()
  while (lane.queue.length > 0) {
    const batch = takeBatch(lane.queue)
    const events = batch.flatMap((pending) => pending.events)
    try {
      const appended = await store.append(lane.stream, lane.durable, events)
      lane.durable = appended.revision
      lane.position = appended.position
      for (const pending of batch) pending.resolve(appended)
    } catch (error) {
      lane.broken = true
      for (const pending of batch)
        pending.reject(error instanceof WrongRevision ? new StaleDecision(lane.stream) : error)
      for (const pending of lane.queue.splice(0)) pending.reject(new StaleDecision(lane.stream))
    }
  }
  lane.flushing = false
  if (lane.decider.grows && !lane.broken && lane.durable - lane.snapshotAt >= SNAPSHOT_EVERY_EVENTS) {
    lane.snapshotAt = lane.durable
    await snapshots.save(lane.stream, lane.decider.stateVersion, lane.durable, lane.state).catch(() => {})
  }
}

const takeBatch = (queue: PendingAppend[]): PendingAppend[] => {
  let events = 0
  const over = queue.findIndex((pending, i) => {
    events += pending.events.length
    return i > 0 && events > EVENTS_PER_APPEND_MAX
  })
  return queue.splice(0, over === -1 ? queue.length : over)
}
