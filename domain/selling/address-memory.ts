import { type Amounts, entriesOf, type Slot, withoutSlots } from './amount-slots.ts'

/** What is remembered of a receive address, and what is forgotten when it is too much. */

/** The most amounts that are remembered, held and free together: the state stays small however many challenges open. */
export const SLOTS_MAX = 4_000
/**
 * Amounts that are left after too many were remembered. Those that were free longest are forgotten, and are the first
 * to be lent again.
 */
const SLOTS_KEPT = 3_000
/** Hours after the end of a challenge within which a payment may still be meant for it. */
export const EXPECTED_HOURS = 24
/**
 * The most challenges that are remembered as ended within these hours and displaced by another on their amount or
 * address.
 */
const DISPLACED_MAX = 64

/** A challenge that may be meant by a payment to the address. */
export type CandidateChallenge = Pick<Slot, 'challengeId' | 'openedAt' | 'endsAt'>

export type AddressState = {
  readonly amounts: Amounts
  /** Amounts in all buckets. */
  readonly size: number
  /** Time at which the last hold of any amount ends; empty before the first. */
  readonly amountsHeldUntil: string
  readonly lent: Slot | undefined
  /**
   * Challenges that ended lately and whose amount or address another one has by now; the one that ended last is last.
   */
  readonly displaced: readonly CandidateChallenge[]
  /** The latest end of a challenge that `displaced` had no room for; undefined when there was none. */
  readonly leftOutUntil: string | undefined
  /** The time of the newest block with a payment that belongs to no challenge. */
  readonly unmatchedAt: string | undefined
  /** The accounts that are paid at this address, the newest last. */
  readonly owners: readonly string[]
}

/**
 * Forgets the amounts that were free longest, when there are too many. Their challenges stay in `displaced` while a
 * payment may still be meant for them.
 */
export const bounded = (state: AddressState, now: string): AddressState => {
  if (state.size < SLOTS_MAX) return state
  const free = entriesOf(state.amounts)
    .filter(([, { heldUntil }]) => heldUntil <= now)
    .toSorted(([, a], [, b]) => (a.heldUntil < b.heldUntil ? -1 : 1))
    .slice(0, state.size - SLOTS_KEPT)
  const amounts = withoutSlots(state.amounts, new Set(free.map(([amount]) => amount)))
  const slots = free.map(([, slot]) => slot)
  return { ...withDisplaced(state, slots, now), amounts, size: state.size - free.length }
}

/** Remembers the challenges of these slots that ended lately, now that another one has their amount or address. */
export const withDisplaced = (state: AddressState, gone: readonly Slot[], now: string): AddressState => {
  const since = hoursAfter(now, -EXPECTED_HOURS)
  const known = [
    ...state.displaced,
    ...gone.map(({ challengeId, openedAt, endsAt }) => ({ challengeId, openedAt, endsAt })),
  ]
    .filter(({ endsAt }) => endsAt > since)
    .toSorted((a, b) => (a.endsAt < b.endsAt ? -1 : 1))
  const leftOut = known.slice(0, Math.max(0, known.length - DISPLACED_MAX)).at(-1)
  const leftOutUntil = leftOut ? later(leftOut.endsAt, state.leftOutUntil ?? '') : state.leftOutUntil
  return { ...state, displaced: known.slice(-DISPLACED_MAX), leftOutUntil }
}

export const hoursAfter = (time: string, hours: number): string =>
  new Date(Date.parse(time) + hours * 3_600_000).toISOString()

export const later = (a: string, b: string): string => (a > b ? a : b)
