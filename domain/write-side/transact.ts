import type { Decider } from '../kernel/decider.ts'
import {
  type AppendPlace,
  type Cause,
  type EventStore,
  type NewEvent,
  OutcomeUnknown,
  type World,
} from '../kernel/ports.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { LedgerEvent } from './deciders.ts'
import { ATTEMPTS_MAX, type Author, type Fence, fencedLane, seedOf } from './fence.ts'
import type { StreamHearing } from './hearing.ts'
import type { Contention, Homes } from './homes.ts'
import { type Lane, StaleDecision } from './lane.ts'
import type { Lanes } from './lanes.ts'
import { versionOf } from './upcasts.ts'

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

export type WriteContext = {
  readonly store: EventStore
  readonly lanes: Lanes
  readonly world: World
  readonly homes: Homes
  readonly contention: Contention
  readonly hearing: StreamHearing
  readonly cause: Cause
  readonly allowance: Allowance | undefined
}

export type AnyDoorDecider = Decider<Record<string, object>, Record<string, object>, unknown>

/** A command and the stream that it is for; `door` is the name of the decider. */
export type CommandCall = {
  readonly door: string
  readonly decider: AnyDoorDecider
  readonly command: string
  readonly stream: string
  readonly data: object
}

/** What a command did: the state after its events, and the place of the last of them or of what it was decided on. */
export type Decision = {
  readonly state: unknown
  readonly position: bigint
  readonly revision: bigint
  readonly events: readonly LedgerEvent[]
}

/** How one process decides a command. */
type Deciding = {
  readonly commandId: string
  readonly author: Author
  /**
   * Set where another process may be deciding the command as well. Who was asked then rejects with OutcomeUnknown where
   * nothing is to be written.
   */
  readonly fence?: Fence
  /** Asked before each attempt, until it answers: what somebody else decided, or what keeps both from writing. */
  readonly elsewhere?: () => Promise<Decision | Fence | undefined>
}

/** The stream's name is in the log alone. */
const CONTENDED = 'Too many calls change the same thing at this moment. Try again in a moment.'

/**
 * Decides a command on the newest state and answers once its events are durable; a lost race is decided again. A
 * refusal, or that there is nothing to do, is only answered on the newest state there is.
 */
export const decideHere = async (context: WriteContext, call: CommandCall, deciding: Deciding): Promise<Decision> => {
  const { lanes, world } = context
  const { decider, command, stream } = call
  const { commandId, author, elsewhere } = deciding
  let { fence } = deciding
  let fresh = !context.hearing.arrives(stream) && lanes.isOutdatedOften(stream)
  let lost: StaleDecision | undefined
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const begins = attempt === 1 && decider.begins?.includes(command)
    if (elsewhere && !fence && !begins) {
      const found = await elsewhere()
      if (found && 'events' in found) return found
      fence = found
    }
    const lane = begins
      ? lanes.begun(decider, stream)
      : await (fence ? fencedLane(context, call, fence, fresh) : lanes.of(decider, stream, fresh))
    // The lane may have broken in the turn between; then what it holds was never durable.
    if (lane.broken) continue
    const seed = (place: number) => world.uuidFrom(seedOf(stream, commandId, author, attempt, place))
    try {
      const isUnsure = author === 'asked' && fence !== undefined
      const decision = await decideOn(context, call, lane, { seed, fresh, isUnsure })
      if (decision) return decision
    } catch (error) {
      if (!(error instanceof StaleDecision)) throw error
      lost = error
      if (!begins) noteLostRace(context, lane, fresh)
    }
    fresh = true
  }
  throw new Refusal('busy', CONTENDED, lost)
}

/** Undefined when nothing is to be written as far as is known, and what is known may be outdated. */
const decideOn = async (
  { lanes, world, cause, allowance }: WriteContext,
  { decider, command, stream, data }: CommandCall,
  lane: Lane,
  { seed, fresh, isUnsure }: { seed(place: number): string; fresh: boolean; isUnsure: boolean },
): Promise<Decision | undefined> => {
  const now = world.now().toISOString()
  const outcome = decide(decider, lane.state, command, data, now)
  if (!(outcome instanceof Refusal) && outcome.length > 0) {
    const events = outcome.map((event, i) => stored(event, seed(i), now, cause))
    const appended = within(allowance, decider, events, () => lanes.push(lane, events))
    const { state, revision } = lane
    return { state, revision, position: (await appended).position, events: outcome }
  }
  const { state, revision, tail } = lane
  await tail.catch(() => {
    throw new StaleDecision(stream)
  })
  if (!fresh) return undefined
  // Nothing that is written here makes a home decline that decides late: what is refused now it may write on a state to
  // come.
  if (isUnsure) throw new OutcomeUnknown(`the home of ${stream} may decide it yet`)
  if (outcome instanceof Refusal) throw outcome
  return { state, revision, position: lane.position, events: [] }
}

/**
 * The first who notices tells the others, so that all of them hand over to the same process. What was decided on an old
 * state, because news of the stream does not arrive here, is no race.
 */
const noteLostRace = (
  { contention, hearing, homes, lanes }: WriteContext,
  { stream, durable }: Lane,
  fresh: boolean,
): void => {
  if (!fresh && !hearing.arrives(stream)) {
    lanes.wasOutdated(stream)
    return
  }
  contention.counts.lostRaces++
  if (contention.note(stream, durable)) homes.contended(stream, durable)
}

const decide = (decider: AnyDoorDecider, state: unknown, command: string, data: object, now: string) => {
  try {
    return (decider.decide[command]?.(state, data, now) ?? []) as readonly LedgerEvent[]
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

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
  const bytes = bytesOf(events)
  allowance.take(bytes, pays === true)
  try {
    return await append()
  } catch (error) {
    if (error instanceof StaleDecision) allowance.giveBack(bytes)
    throw error
  }
}

/** The size of something as JSON. */
export const bytesOf = (value: unknown): number => ENCODER.encode(JSON.stringify(value)).length

const ENCODER = new TextEncoder()

/** The id comes from the command, so that an append whose outcome is unknown can be sent again and counts once. */
const stored = ({ type, data }: LedgerEvent, id: string, at: string, cause: Cause): NewEvent => ({
  id,
  type,
  data,
  meta: { v: versionOf(type), at, cause },
})
