import type { Decider } from './decider.ts'
import { type Deciders, deciders, type LedgerEvent } from './deciders.ts'
import { idle, type Lane, loadLane, push, refreshed, Thrown } from './lane.ts'
import type { Cause, EventStore, NewEvent, Snapshots, World } from './ports.ts'
import { Refusal } from './refusal.ts'
import { versionOf } from './upcasts.ts'

/**
 * The one door for writes: `ledger.creditAccount.charge(id, {...})`. It is made from the deciders, so it has no code of its own per
 * command. A lost race is decided again; a refusal, or "nothing to do", is only given on the newest state there is.
 */

const ATTEMPTS_MAX = 8
/** Folded states kept in memory; the least recently used go first. */
const LANES_MAX = 20_000

export type Committed<State> = { state: State; position: bigint; events: readonly LedgerEvent[] }

type Door<D> =
  D extends Decider<infer _E, infer C, infer S>
    ? { [K in keyof C]: (id: string, data: C[K]) => Promise<Committed<S>> } & { read(id: string): Promise<S> }
    : never
export type Ledger = { readonly [K in keyof Deciders]: Door<Deciders[K]> }

/** The doors as one cause sees them, and how far its own writes have come. */
export type Session = { readonly ledger: Ledger; position(): bigint }
export type OpenLedger = (cause: Cause) => Session

/** `newest` is the position of the newest event that anybody in this process has written. */
export type LedgerDoors = { readonly open: OpenLedger; newest(): bigint }

export const createLedger = (store: EventStore, world: World, snapshots: Snapshots): LedgerDoors => {
  const lanes = new Map<string, Lane>()
  let newest = -1n

  const keep = (lane: Lane) => {
    lanes.delete(lane.stream)
    lanes.set(lane.stream, lane)
    if (lanes.size <= LANES_MAX) return
    for (const [stream, old] of lanes)
      if (idle(old)) {
        lanes.delete(stream)
        return
      }
  }

  /** The lane of a stream; `fresh` also reads what other processes have written since it was last used. */
  const laneOf = async (decider: AnyDoorDecider, stream: string, fresh: boolean): Promise<Lane> => {
    for (let round = 0; ; round++) {
      const known = lanes.get(stream)
      if (known && !known.broken && !fresh) return known
      if (known && !known.broken && !idle(known)) {
        const flushed = await known.tail.then(
          () => true,
          () => false,
        )
        // What waits in a later round was decided after this call began. That it could be appended proves that nobody else had written,
        // so a stream that is never idle does not keep its readers waiting.
        if (round > 0 && flushed && !known.broken) return known
        continue
      }
      const before = known?.revision
      const lane =
        known && !known.broken ? await refreshed(store, known) : await loadLane(store, snapshots, decider, stream)
      // Another command may have come first while this one was reading: then its lane is the newer truth.
      const now = lanes.get(stream)
      if (now !== known || now?.revision !== before) continue
      keep(lane)
      return lane
    }
  }

  /** The newest durable state: what others have decided meanwhile is waited for, and when it is thrown away the reading begins again. */
  const durableState = async (decider: AnyDoorDecider, stream: string): Promise<unknown> => {
    for (;;) {
      const lane = await laneOf(decider, stream, true)
      if (lane.broken) continue
      const { state, tail } = lane
      const flushed = await tail.then(
        () => true,
        () => false,
      )
      if (flushed) return state
    }
  }

  const transact = async (decider: AnyDoorDecider, command: string, id: string, data: object, cause: Cause) => {
    const stream = `${decider.category}-${id}`
    const commandId = world.secret(16)
    let fresh = false
    for (let attempt = 1; ; attempt++) {
      const lane = await laneOf(decider, stream, fresh)
      // It may have broken in the turn between: what it holds was then never durable.
      if (lane.broken) continue
      const now = world.now().toISOString()
      const outcome = decide(decider, lane.state, command, data, now)
      const { tail } = lane
      try {
        if (outcome instanceof Refusal || outcome.length === 0) {
          const { state } = lane
          await tail.catch(() => {
            throw new Thrown(stream)
          })
          if (fresh && outcome instanceof Refusal) throw outcome
          if (fresh) return { state, position: -1n, events: [] }
          fresh = true
          continue
        }
        const events = outcome.map((event, i) =>
          stored(world, event, now, cause, [stream, commandId, attempt, i].join('|')),
        )
        const appended = push(store, snapshots, lane, events)
        const { state } = lane
        return { state, position: (await appended).position, events: outcome }
      } catch (error) {
        if (!(error instanceof Thrown)) throw error
        if (attempt >= ATTEMPTS_MAX) throw new Refusal('busy', `${stream} is contended`)
        fresh = true
      }
    }
  }

  const door = (decider: AnyDoorDecider, cause: Cause, note: (position: bigint) => void) => ({
    read: (id: string) => durableState(decider, `${decider.category}-${id}`),
    ...Object.fromEntries(
      Object.keys(decider.decide).map((command) => [
        command,
        async (id: string, data: object) => {
          const committed = await transact(decider, command, id, data, cause)
          note(committed.position)
          return committed
        },
      ]),
    ),
  })

  const open: OpenLedger = (cause) => {
    let last = -1n
    const note = (position: bigint) => {
      if (position > last) last = position
      if (position > newest) newest = position
    }
    const doors = Object.entries(deciders).map(([name, d]) => [name, door(d as unknown as AnyDoorDecider, cause, note)])
    return { ledger: Object.fromEntries(doors) as Ledger, position: () => last }
  }
  return { open, newest: () => newest }
}

type AnyDoorDecider = Decider<Record<string, object>, Record<string, object>, unknown>

const decide = (decider: AnyDoorDecider, state: unknown, command: string, data: object, now: string) => {
  try {
    return (decider.decide[command]?.(state, data, now) ?? []) as readonly LedgerEvent[]
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The id comes from the command, so that an append whose outcome is unknown can be sent again and counts once. */
const stored = (world: World, { type, data }: LedgerEvent, at: string, cause: Cause, from: string): NewEvent => ({
  id: world.uuidFrom(from),
  type,
  data,
  meta: { v: versionOf(type), at, cause },
})
