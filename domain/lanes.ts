import type { AnyDecider } from './decider.ts'
import { idle, type Lane, loadLane, push, refreshed } from './lane.ts'
import type { Appended, EventStore, NewEvent, Snapshots } from './ports.ts'

/** The lanes of the streams that were used lately, with their folded states; the least recently used go first. */
export type Lanes = {
  /** The lane of a stream; `fresh` also reads what other processes have written since it was last used. */
  of(decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane>
  /** The newest state that is on the disk, whoever wrote it. */
  durable(decider: AnyDecider, stream: string): Promise<Durable>
  /** Queues events that were decided on the lane's present state, and answers once they are durable. */
  push(lane: Lane, events: readonly NewEvent[]): Promise<Appended>
}

type Durable = Pick<Lane, 'state' | 'position'>

const LANES_MAX = 20_000

export const createLanes = (store: EventStore, snapshots: Snapshots): Lanes => {
  const lanes = new Map<string, Lane>()

  const of = async (decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane> => {
    for (let round = 0; ; round++) {
      const kept = lanes.get(stream)
      const known = kept?.broken ? undefined : kept
      if (known && !fresh) return known
      if (known && !idle(known)) {
        // What waits in a later round was decided after this call began. That it could be appended proves that nobody else had written,
        // so a stream that is never idle does not keep its readers waiting.
        if ((await flushed(known)) && round > 0 && !known.broken) return known
        continue
      }
      const before = known?.revision
      const lane = known ? await refreshed(store, known) : await loadLane(store, snapshots, decider, stream)
      // Another command may have come first while this one was reading: then its lane is the newer truth.
      const now = lanes.get(stream)
      if (now !== kept || (known && now?.revision !== before)) continue
      keep(lanes, lane)
      return lane
    }
  }
  const durable = async (decider: AnyDecider, stream: string): Promise<Durable> => {
    for (;;) {
      const lane = await of(decider, stream, true)
      // Another command may have pushed in the turn between: what it decided is waited for.
      const { state } = lane
      if (!lane.broken && (await flushed(lane))) return { state, position: lane.position }
    }
  }
  return { of, durable, push: (lane, events) => push(store, snapshots, lane, events) }
}

/** Waits for what the lane has decided so far: true once it is durable, false when it was thrown away. */
const flushed = (lane: Lane): Promise<boolean> =>
  lane.tail.then(
    () => true,
    () => false,
  )

const keep = (lanes: Map<string, Lane>, lane: Lane) => {
  lanes.delete(lane.stream)
  lanes.set(lane.stream, lane)
  if (lanes.size <= LANES_MAX) return
  for (const [stream, old] of lanes)
    if (idle(old)) {
      lanes.delete(stream)
      return
    }
}
