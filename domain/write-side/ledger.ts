import type { Decider } from '../kernel/decider.ts'
import type { AppendPlace, Cause, EventStore, NewEvent, RecordedEvent, Snapshots, World } from '../kernel/ports.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type Deciders, deciders, type LedgerEvent } from './deciders.ts'
import { StaleDecision } from './lane.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { versionOf } from './upcasts.ts'

/**
 * The one door for writes: `ledger.creditAccount.charge(id, {...})`. It is made from the deciders, so it has no code of
 * its own per command. A lost race is decided again; a refusal, or "nothing to do", is only given on the newest state
 * there is.
 */

const ATTEMPTS_MAX = 8

type CommandResult<State> = { state: State; position: bigint; events: readonly LedgerEvent[] }

type Door<D> =
  D extends Decider<infer _E, infer C, infer S>
    ? { [K in keyof C]: (id: string, data: C[K]) => Promise<CommandResult<S>> } & {
        /** The newest state there is, whoever wrote it. */
        read(id: string): Promise<S>
        /**
         * The newest state that this process knows of: what another one wrote a moment ago may be missing. Reads the
         * store only when the stream is not in memory.
         */
        recent(id: string): Promise<S>
        /**
         * The state after the stream's first so many events, for a caller who is to get the same answer as then. Reads
         * the stream from its start.
         */
        after(id: string, events: number): Promise<S>
      }
    : never
export type Ledger = { readonly [K in keyof Deciders]: Door<Deciders[K]> }

/**
 * The doors as one cause sees them, and the newest log position that the cause has written or seen, on which its answer
 * rests.
 */
type Session = { readonly ledger: Ledger; position(): bigint }
export type OpenLedger = (cause: Cause, allowance?: Allowance) => Session

/** How much a caller may still make the log grow. */
export type Allowance = {
  /**
   * Takes so many bytes, which are about to be appended. Refuses `rate-limited` when there are none left, unless
   * `pays`.
   */
  take(bytes: number, pays: boolean): void
  /** Gives back bytes that were not appended after all. */
  giveBack(bytes: number): void
}

export type LedgerDoors = {
  readonly open: OpenLedger
  /** Position of the newest event that anybody in this process has written or seen. */
  newest(): bigint
  /** Hears of every event that arrives, so that what is kept in memory does not outlive what another process writes. */
  arrived(events: readonly RecordedEvent[]): void
}

/**
 * @param isFresh whether everything that any process has answered so far has arrived here; while it has not, a recent
 * state is read from the store as well
 */
export const createLedger = (
  store: EventStore,
  world: World,
  snapshots: Snapshots,
  isFresh: () => boolean = () => true,
): LedgerDoors => {
  const lanes = createLanes(store, snapshots)
  let newest = -1n

  const open: OpenLedger = (cause, allowance) => {
    let last = -1n
    const note = (position: bigint) => {
      if (position > last) last = position
      if (position > newest) newest = position
    }
    return { ledger: ledgerOf({ lanes, world, cause, allowance, isFresh, note }), position: () => last }
  }
  return { open, newest: () => newest, arrived: lanes.arrived }
}

type WriteContext = {
  lanes: Lanes
  world: World
  cause: Cause
  allowance: Allowance | undefined
  isFresh(): boolean
  note(position: bigint): void
}

/** Each door is made when it is first used: a request uses two or three of them. */
const ledgerOf = (writing: WriteContext): Ledger => Object.create(lazyDoors, { writing: { value: writing } })

/**
 * Makes doors of one decider. Every request makes some, so what they have in common is prepared, and nothing is listed
 * anew for each.
 */
const doorsOf = (decider: AnyDoorDecider): ((writing: WriteContext) => object) => {
  const commands = Object.keys(decider.decide)
  const stream = (id: string) => `${decider.category}-${id}`
  return (writing) => {
    const { lanes, isFresh, note } = writing
    const noted = <C extends { position: bigint }>(known: C): C => {
      note(known.position)
      return known
    }
    const door: Record<string, unknown> = {
      read: async (id: string) => noted(await lanes.durable(decider, stream(id), true)).state,
      recent: async (id: string) => noted(await lanes.durable(decider, stream(id), !isFresh())).state,
      after: (id: string, events: number) => lanes.after(decider, stream(id), events),
    }
    for (const command of commands)
      door[command] = async (id: string, data: object) =>
        noted(await transact(writing, decider, command, stream(id), data))
    return door
  }
}

const lazyDoors = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(deciders).map(([name, decider]) => {
      const door = doorsOf(decider as unknown as AnyDoorDecider)
      const get = function (this: { writing: WriteContext }) {
        const value = door(this.writing)
        Object.defineProperty(this, name, { value })
        return value
      }
      return [name, { get }]
    }),
  ),
)

/** Decides a command on the newest state and answers once its events are durable; a lost race is decided again. */
const transact = async (
  { lanes, world, cause, allowance }: WriteContext,
  decider: AnyDoorDecider,
  command: string,
  stream: string,
  data: object,
): Promise<CommandResult<unknown>> => {
  const commandId = world.secret(16)
  let fresh = false
  for (let attempt = 1; ; attempt++) {
    const begins = attempt === 1 && decider.begins?.includes(command)
    const lane = begins ? lanes.begun(decider, stream) : await lanes.of(decider, stream, fresh)
    // The lane may have broken in the turn between; then what it holds was never durable.
    if (lane.broken) continue
    const now = world.now().toISOString()
    const outcome = decide(decider, lane.state, command, data, now)
    try {
      if (!(outcome instanceof Refusal) && outcome.length > 0) {
        const from = [stream, commandId, attempt].join('|')
        const events = outcome.map((event, i) => stored(world, event, now, cause, `${from}|${i}`))
        const appended = within(allowance, decider, events, () => lanes.push(lane, events))
        const { state } = lane
        return { state, position: (await appended).position, events: outcome }
      }
      const { state, tail } = lane
      await tail.catch(() => {
        throw new StaleDecision(stream)
      })
      if (fresh && outcome instanceof Refusal) throw outcome
      if (fresh) return { state, position: lane.position, events: [] }
      fresh = true
    } catch (error) {
      if (!(error instanceof StaleDecision)) throw error
      if (attempt >= ATTEMPTS_MAX) throw new Refusal('busy', CONTENDED, error)
      fresh = true
    }
  }
}

/** The stream's name is in the log alone. */
const CONTENDED = 'Too many calls change the same thing at this moment. Try again in a moment.'

/**
 * Appends what fits an allowance, counted as it is written, and gives back what was not appended because its race was
 * lost.
 */
const within = async (
  allowance: Allowance | undefined,
  { pays }: AnyDoorDecider,
  events: readonly NewEvent[],
  append: () => Promise<AppendPlace>,
): Promise<AppendPlace> => {
  if (!allowance) return append()
  const bytes = ENCODER.encode(JSON.stringify(events)).length
  allowance.take(bytes, pays === true)
  try {
    return await append()
  } catch (error) {
    if (error instanceof StaleDecision) allowance.giveBack(bytes)
    throw error
  }
}

const ENCODER = new TextEncoder()

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
