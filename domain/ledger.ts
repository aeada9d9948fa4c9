import type { Decider } from './decider.ts'
import { type Deciders, deciders, type LedgerEvent } from './deciders.ts'
import { Thrown } from './lane.ts'
import { createLanes, type Lanes } from './lanes.ts'
import type { Cause, EventStore, NewEvent, Snapshots, World } from './ports.ts'
import { Refusal } from './refusal.ts'
import { versionOf } from './upcasts.ts'

/**
 * The one door for writes: `ledger.creditAccount.charge(id, {...})`. It is made from the deciders, so it has no code of its own per
 * command. A lost race is decided again; a refusal, or "nothing to do", is only given on the newest state there is.
 */

const ATTEMPTS_MAX = 8

type Committed<State> = { state: State; position: bigint; events: readonly LedgerEvent[] }

type Door<D> =
  D extends Decider<infer _E, infer C, infer S>
    ? { [K in keyof C]: (id: string, data: C[K]) => Promise<Committed<S>> } & { read(id: string): Promise<S> }
    : never
export type Ledger = { readonly [K in keyof Deciders]: Door<Deciders[K]> }

/** The doors as one cause sees them, and the newest log position that it has written or seen: what it answers rests on that. */
type Session = { readonly ledger: Ledger; position(): bigint }
export type OpenLedger = (cause: Cause) => Session

/** `newest` is the position of the newest event that anybody in this process has written or seen. */
export type LedgerDoors = { readonly open: OpenLedger; newest(): bigint }

export const createLedger = (store: EventStore, world: World, snapshots: Snapshots): LedgerDoors => {
  const lanes = createLanes(store, snapshots)
  let newest = -1n

  const open: OpenLedger = (cause) => {
    let last = -1n
    const note = (position: bigint) => {
      if (position > last) last = position
      if (position > newest) newest = position
    }
    const doors = Object.entries(deciders).map(([name, d]) => {
      const decider = d as unknown as AnyDoorDecider
      return [
        name,
        door(
          lanes,
          decider,
          (command, id, data) => transact({ lanes, world, cause }, decider, command, id, data),
          note,
        ),
      ]
    })
    return { ledger: Object.fromEntries(doors) as Ledger, position: () => last }
  }
  return { open, newest: () => newest }
}

const door = (lanes: Lanes, decider: AnyDoorDecider, send: Send, note: (position: bigint) => void) => ({
  read: async (id: string) => {
    const { state, position } = await lanes.durable(decider, `${decider.category}-${id}`)
    note(position)
    return state
  },
  ...Object.fromEntries(
    Object.keys(decider.decide).map((command) => [
      command,
      async (id: string, data: object) => {
        const committed = await send(command, id, data)
        note(committed.position)
        return committed
      },
    ]),
  ),
})

type Send = (command: string, id: string, data: object) => Promise<Committed<unknown>>

/** Decides a command on the newest state and answers once its events are durable; a lost race is decided again. */
const transact = async (
  { lanes, world, cause }: { lanes: Lanes; world: World; cause: Cause },
  decider: AnyDoorDecider,
  command: string,
  id: string,
  data: object,
): Promise<Committed<unknown>> => {
  const stream = `${decider.category}-${id}`
  const commandId = world.secret(16)
  let fresh = false
  for (let attempt = 1; ; attempt++) {
    const lane = await lanes.of(decider, stream, fresh)
    // It may have broken in the turn between: what it holds was then never durable.
    if (lane.broken) continue
    const now = world.now().toISOString()
    const outcome = decide(decider, lane.state, command, data, now)
    try {
      if (!(outcome instanceof Refusal) && outcome.length > 0) {
        const from = [stream, commandId, attempt].join('|')
        const events = outcome.map((event, i) => stored(world, event, now, cause, `${from}|${i}`))
        const appended = lanes.push(lane, events)
        const { state } = lane
        return { state, position: (await appended).position, events: outcome }
      }
      const { state, tail } = lane
      await tail.catch(() => {
        throw new Thrown(stream)
      })
      if (fresh && outcome instanceof Refusal) throw outcome
      if (fresh) return { state, position: lane.position, events: [] }
      fresh = true
    } catch (error) {
      if (!(error instanceof Thrown)) throw error
      if (attempt >= ATTEMPTS_MAX) throw new Refusal('busy', `${stream} is contended`)
      fresh = true
    }
  }
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
