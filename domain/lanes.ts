import type { AnyDecider } from './decider.ts'
import { idle, type Lane, loadLane, push, refreshed } from './lane.ts'
import type { Appended, EventStore, NewEvent, Snapshots } from './ports.ts'

/** The lanes of the streams that were used lately, with their folded states; the least recently used go first. */
export type Lanes = {
  /** The lane of a stream; `fresh` also reads what other processes have written since it was last used. */
  of(decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane>
  /** Queues events that were decided on the lane's present state, and answers once they are durable. */
  push(lane: Lane, events: readonly NewEvent[]): Promise<Appended>
}

const LANES_MAX = 20_000

export const createLanes = (store: EventStore, snapshots: Snapshots): Lanes => {
  const lanes = new Map<string, Lane>()

  const of = async (decider: AnyDecider, stream: string, fresh: boolean): Promise<Lane> => {
    for (;;) {
      const kept = lanes.get(stream)
      const known = kept?.broken ? undefined : kept
      if (known && !fresh) return known
      if (known && !idle(known)) {
        await known.tail.catch(() => {})
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
  return { of, push: (lane, events) => push(store, snapshots, lane, events) }
}

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
