import { type Amounts, entriesOf, type Slot, withoutSlots } from './amount-slots.ts'

/** What is remembered of a receive address, and what is forgotten when it is too much. */

/** Amounts remembered, held and free, so that the state stays small however many challenges are opened. */
export const SLOTS_MAX = 4_000
/**
 * So many of them are left when there are too many: the ones that were free longest are forgotten, and are the first to
 * be lent again.
 */
const SLOTS_KEPT = 3_000
/** So long after its end a challenge may still be meant by a payment that comes. */
export const EXPECTED_HOURS = 24
/** Challenges remembered within that time whose amount, or address, is another's again. */
const DISPLACED_MAX = 64

/** A challenge that may be meant by a payment to the address. */
export type CandidateChallenge = Pick<Slot, 'challengeId' | 'openedAt' | 'endsAt'>

export type AddressState = {
  readonly amounts: Amounts
  /** Amounts in all buckets. */
  readonly size: number
  /** When the last hold of all of them ends; empty before the first. */
  readonly amountsHeldUntil: string
  readonly lent: Slot | undefined
  /** Those that ended lately and whose amount or address is another's by now, the one that ended last at the end. */
  readonly displaced: readonly CandidateChallenge[]
  /** The latest end of one that had to be left out of them. */
  readonly leftOutUntil: string | undefined
  /** The newest time of a block that brought a payment which is nobody's. */
  readonly unmatchedAt: string | undefined
  /** Those who were paid here, the newest last. */
  readonly owners: readonly string[]
}

/**
 * Those that were free longest are forgotten when there are too many; what may still be expected is remembered
 * otherwise.
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

/** Remembers those that ended lately, though their amount or address is another's. */
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
