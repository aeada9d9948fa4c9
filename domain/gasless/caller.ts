import { decider, isAnswered } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { SpendCap } from '../selling/resource.ts'
import { type Reservations, underWay, withoutReservation, withReservation } from './reservations.ts'

/**
 * One payer of one resource, and what it has spent there: the cap is decided here, so that payments which come at once
 * cannot pass it together (J-RES-05, I-CAP-01). The stream is `resource:payer`; amounts are fiat millionths of the
 * resource's currency.
 */

export type CallerEvents = {
  /** A payment was signed and is on its way: it counts as spent until it settles, fails, or its time is up. */
  CallerSpendReserved: { accountId: string; authorizationId: string; amount: Units; until: string }
  CallerSpendReleased: { accountId: string; authorizationId: string }
  /** A payment has settled, on whatever rail. */
  CallerSpent: {
    accountId: string
    challengeId: string
    authorizationId: string | null
    amount: Units
    at: string
  } & Answers
  /** A payment that was counted is not in the chain any more. */
  CallerSpendReturned: { accountId: string; challengeId: string; amount: Units } & Answers
}

/** The ordered reactor that books it, and the `order` of the event that it answers: only later ones count. */
type Answers = { source: string; position: string }

export type CallerCommands = {
  /** Keeps back what a capped payer is about to spend. Refuses `caller-limit-reached`. */
  reserve: CallerEvents['CallerSpendReserved'] & { cap: SpendCap }
  release: CallerEvents['CallerSpendReleased']
  spend: CallerEvents['CallerSpent']
  unspend: CallerEvents['CallerSpendReturned']
}

/** A payment that counts. Several that were joined into one name no challenge. */
type SpentAmount = {
  readonly at: string
  readonly amount: Units
  readonly challengeId?: string
  readonly authorizationId?: string
}
type State = {
  readonly reserved: Reservations<{ amount: Units; until: string }>
  /** Oldest first. */
  readonly spent: readonly SpentAmount[]
  readonly seen: { readonly [source: string]: bigint }
}

/** The most payments under way at once; a cap is reached long before. */
const RESERVED_MAX = 100
/**
 * The most payments that are remembered one by one; of more, the two oldest count as one, made at the later time. So
 * the cap may hold longer, never shorter.
 */
const SPENT_MAX = 100

export const caller = decider<CallerEvents, CallerCommands, State>({
  category: 'caller',
  grows: true,
  stateVersion: 3,
  initial: { reserved: {}, spent: [], seen: {} },
  decide: {
    reserve: (state, { cap, ...data }, now) => {
      const { authorizationId } = data
      // A settled payment is counted already, even for a call that looked before it settled, so that nothing is kept
      // back for it.
      const isSpent = state.spent.some((each) => each.authorizationId === authorizationId)
      if (state.reserved[authorizationId] || isSpent) return []
      const others = underWay(state.reserved, now)
      if (others.length >= RESERVED_MAX || spentWithin(state, cap, now) + total(others) >= BigInt(cap.amount))
        return refuse('caller-limit-reached')
      return [{ type: 'CallerSpendReserved', data }]
    },
    release: (state, data) => (state.reserved[data.authorizationId] ? [{ type: 'CallerSpendReleased', data }] : []),
    spend: (state, data) => (isAnswered(state.seen, data) ? [] : [{ type: 'CallerSpent', data }]),
    unspend: (state, data) => (isAnswered(state.seen, data) ? [] : [{ type: 'CallerSpendReturned', data }]),
  },
  evolve: {
    CallerSpendReserved: (state, { authorizationId, amount, until }) => ({
      ...state,
      reserved: withReservation(state.reserved, authorizationId, { amount, until }, RESERVED_MAX),
    }),
    CallerSpendReleased: (state, { authorizationId }) => ({
      ...state,
      reserved: withoutReservation(state.reserved, authorizationId),
    }),
    CallerSpent: (state, { authorizationId, challengeId, amount, at, source, position }) => ({
      reserved: authorizationId === null ? state.reserved : withoutReservation(state.reserved, authorizationId),
      spent: joined([
        ...state.spent,
        { at, amount, challengeId, ...(authorizationId !== null && { authorizationId }) },
      ]),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
    CallerSpendReturned: (state, { challengeId, amount, source, position }) => ({
      ...state,
      spent: without(state.spent, challengeId, BigInt(amount)),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
  },
})

/** The id of the stream of a payer of a resource. */
export const callerId = (resId: string, payer: string): string => `${resId}:${payer}`

const HOUR_MS = 3_600_000

/** Whether a payer may sign another payment now, as far as is known here: what counts is decided by `reserve`. */
export const isAtLimit = (state: State, cap: SpendCap, now: string): boolean =>
  spentWithin(state, cap, now) + total(underWay(state.reserved, now)) >= BigInt(cap.amount)

const spentWithin = ({ spent }: State, { windowHours }: SpendCap, now: string): bigint => {
  const since = new Date(Date.parse(now) - windowHours * HOUR_MS).toISOString()
  return total(spent.filter(({ at }) => at > since))
}

const total = (all: readonly { readonly amount: Units }[]): bigint =>
  all.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/**
 * Takes out the payment of a challenge. Where it was joined with others, its amount is taken from those, which come
 * first.
 */
const without = (spent: readonly SpentAmount[], challengeId: string, amount: bigint): readonly SpentAmount[] => {
  const own = spent.findLastIndex((each) => each.challengeId === challengeId)
  if (own >= 0) return spent.toSpliced(own, 1)
  const [first, ...rest] = spent
  if (!first || first.challengeId !== undefined) return spent
  const left = BigInt(first.amount) - amount
  return left > 0n ? [{ ...first, amount: String(left) }, ...rest] : rest
}

const joined = (spent: readonly SpentAmount[]): readonly SpentAmount[] => {
  const [first, second, ...rest] = spent
  if (spent.length <= SPENT_MAX || !first || !second) return spent
  return [{ at: first.at > second.at ? first.at : second.at, amount: String(total([first, second])) }, ...rest]
}
