import { quarantinedBy } from '../audit/quarantine.ts'
import type { AnyDecider } from '../kernel/decider.ts'
import type { AppendPlace, EventStore, NewEvent, RecordedEvent, Snapshots } from '../kernel/ports.ts'
import { recentMap } from '../kernel/recent-map.ts'
import { emptyLane, followedLane, isIdleLane, type Lane, loadLane, push, refreshedLane, stateAt } from './lane.ts'

/** The lanes of the streams, with their folded states; those that were used lately stay in memory. */
export type Lanes = {
  /** The lane of a stream; `fresh` also reads what other processes have written since it was last used. */
  of(decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane>
  /** The lane of a stream that most likely does not exist yet; if it does, the append to it fails. */
  begun(decider: AnyDecider, stream: string): Lane
  /** The newest state that is on the disk; only `fresh` also sees what another process wrote a moment ago. */
  durable(decider: AnyDecider, stream: string, fresh: boolean): Promise<Durable>
  /** The state after the first so many events of a stream. */
  after(decider: AnyDecider, stream: string, events: number): Promise<unknown>
  /** Something was appended to a stream, by this process or another one. */
  appended(stream: string, revision: bigint): void
  /** Queues events that were decided on the lane's present state, and answers once they are durable. */
  push(lane: Lane, events: readonly NewEvent[]): Promise<AppendPlace>
  /**
   * Hears of every event that arrives. The lane of a stream that somebody else has written to takes the event along, or
   * is forgotten; a stream that somebody else has begun gets a lane.
   */
  arrived(events: readonly RecordedEvent[]): void
  /** Events may not have arrived: no lane is used before its stream was read again. */
  missed(): void
  /** The lane of a stream whose events do not arrive here was found to be outdated. */
  wasOutdated(stream: string): void
  /** Whether that was so lately: others write to it as well, and its lane is rather read again at once. */
  isOutdatedOften(stream: string): boolean
}

type Durable = Pick<Lane, 'state' | 'position'>

/** The least number of lanes that stay in memory; there are at most twice as many. */
const LANES_KEPT = 10_000
/** Streams that are known to be written to by others as well; up to twice as many. */
const OUTDATED_KEPT = 10_000
/** Above every revision. */
const ANY_REVISION = 2n ** 63n

/** @param hearsAllOf the decider of a stream whose events all arrive here; undefined for any other stream */
export const createLanes = (
  store: EventStore,
  snapshots: Snapshots,
  hearsAllOf: (stream: string) => AnyDecider | undefined = () => undefined,
): Lanes => {
  const lanes = recentLanes(LANES_KEPT)
  const loads = watchLoads()
  const outdated = recentMap<true>(OUTDATED_KEPT)

  const of = async (decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane> => {
    for (let round = 0; ; round++) {
      const kept = lanes.get(stream)
      const known = kept?.broken ? undefined : kept
      if (known && !fresh && known.heard <= known.revision) return known
      if (known && !isIdleLane(known)) {
        // What waits in a later round was decided after this call began. That it could be appended proves that nobody
        // else had written, so a stream that is never idle does not keep its readers waiting.
        if ((await flushed(known)) && round > 0 && !known.broken) return known
        continue
      }
      const before = known?.revision
      const load = loads.begin(stream)
      const heard = known?.heard
      const lane = await (known ? refreshedLane(store, known) : loadLane(store, snapshots, decider, stream)).finally(
        load.end,
      )
      if (load.outdatedAt(lane.revision)) continue
      // Another command may have come first while this one was reading: then its lane is the newer truth.
      const now = lanes.get(stream)
      if (now !== kept || (known && now?.revision !== before)) continue
      // Nothing new was found, so what was heard of before is in the lane.
      if (lane === known && lane.heard === heard) lane.heard = -1n
      lanes.keep(lane)
      return lane
    }
  }
  const durable = async (decider: AnyDecider, stream: string, fresh: boolean): Promise<Durable> => {
    for (;;) {
      const lane = await of(decider, stream, fresh)
      // Another command may have pushed in the turn between: what it decided is waited for.
      const { state } = lane
      if (!lane.broken && (await flushed(lane))) return { state, position: lane.position }
    }
  }
  const appended = (stream: string, revision: bigint, event?: RecordedEvent) => {
    loads.arrived(stream, revision)
    const lane = lanes.get(stream) ?? begunBy(event)
    // What this process wrote itself is in its lane already.
    if (!lane || revision <= lane.revision) return
    // A lane with an append under way may not find out by that append, which may have come first and be answered only
    // after this event is heard of.
    if (!isIdleLane(lane)) {
      if (revision > lane.heard) lane.heard = revision
      return
    }
    const followed = event && followedLane(lane, event)
    if (followed) lanes.keep(followed)
    else lanes.forget(stream)
  }
  /** A stream that somebody else begins is known from its first event on, and need not be read. */
  const begunBy = (event: RecordedEvent | undefined): Lane | undefined => {
    if (event?.revision !== 0n) return undefined
    const decider = hearsAllOf(event.stream)
    return decider && emptyLane(event.stream, decider)
  }
  const arrived = (events: readonly RecordedEvent[]) => {
    for (const event of events) {
      // What was folded with an event that is set aside now is folded anew, without it.
      const aside = quarantinedBy(event)
      if (aside) lanes.forget(aside.stream)
      appended(event.stream, event.revision, event)
    }
  }
  return {
    of,
    begun: (decider, stream) => lanes.get(stream) ?? emptyLane(stream, decider),
    durable,
    after: (decider, stream, events) => stateAt(store, snapshots, decider, stream, BigInt(events) - 1n),
    push(lane, events) {
      if (!lanes.get(lane.stream)) lanes.keep(lane)
      return push(store, snapshots, lane, events)
    },
    appended,
    arrived,
    missed() {
      loads.missed()
      for (const lane of lanes.all()) {
        if (isIdleLane(lane)) lanes.forget(lane.stream)
        else lane.heard = ANY_REVISION
      }
    },
    wasOutdated: (stream) => outdated.set(stream, true),
    isOutdatedOften: (stream) => outdated.get(stream) === true,
  }
}

/**
 * An event may arrive while its stream is being read, and after the place that the read has come to: the read is then
 * done again.
 */
const watchLoads = () => {
  const underWay = new Map<string, Set<{ newest: bigint }>>()
  return {
    begin(stream: string) {
      const load = { newest: -1n }
      const all = underWay.get(stream) ?? new Set()
      underWay.set(stream, all.add(load))
      return {
        outdatedAt: (revision: bigint) => load.newest > revision,
        end: () => {
          all.delete(load)
          if (all.size === 0) underWay.delete(stream)
        },
      }
    },
    arrived(stream: string, revision: bigint) {
      for (const load of underWay.get(stream) ?? []) if (revision > load.newest) load.newest = revision
    },
    missed() {
      for (const loads of underWay.values()) for (const load of loads) load.newest = ANY_REVISION
    },
  }
}

/** Waits for what the lane has decided so far: true once it is durable, false when it was thrown away. */
const flushed = (lane: Lane): Promise<boolean> =>
  lane.tail.then(
    () => true,
    () => false,
  )

/**
 * The lanes that were used lately. One with work under way is never forgotten: a second lane beside it would lose every
 * race against it.
 */
type RecentLanes = {
  get(stream: string): Lane | undefined
  /** Keeps a lane in the place of the one that the stream had before. */
  keep(lane: Lane): void
  forget(stream: string): void
  all(): readonly Lane[]
}

/**
 * Keeps at least the `kept` most recently used lanes, and at most twice as many that are idle. Two generations instead
 * of an exact order, because taking the oldest key out of a large Map again and again gets slower with every key that
 * was taken before.
 */
export const recentLanes = (kept: number): RecentLanes => {
  let young = new Map<string, Lane>()
  let old = new Map<string, Lane>()
  let full = kept
  const keep = (lane: Lane) => {
    young.set(lane.stream, lane)
    if (young.size < full) return
    const busy = [...old].filter(([stream, each]) => !isIdleLane(each) && !young.has(stream))
    old = young
    young = new Map(busy)
    full = kept + busy.length
  }
  return {
    get: (stream) => {
      const lane = young.get(stream)
      if (lane) return lane
      const older = old.get(stream)
      if (older) keep(older)
      return older
    },
    keep,
    forget: (stream) => {
      young.delete(stream)
      old.delete(stream)
    },
    all: () => [...new Set([...young.values(), ...old.values()])],
  }
}
