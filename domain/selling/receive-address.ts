import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { Refusal, refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import {
  type AddressState,
  bounded,
  type CandidateChallenge,
  EXPECTED_HOURS,
  hoursAfter,
  later,
  SLOTS_MAX,
  withDisplaced,
} from './address-memory.ts'
import { indexOf, type Slot, slotAt, slotsOf, withPaid, withSlot } from './amount-slots.ts'
import { chooseAmount, fullUntil, type Wish } from './free-amount.ts'

/**
 * Which open challenge a payment to one receive address stands for. Either the whole address is lent to one challenge
 * for a while, or no two challenges ask for amounts with the same last digits on it, so a transfer tells whose payment
 * it is (Q-55, N-21). An amount is held hard for its challenge's life and two hours; after that it is lent again, the
 * one that has been free longest first. The stream is one (network, coin, address).
 */

/** The most accounts that are remembered as paid at one address. */
const OWNERS_MAX = 8
/** Hours from a challenge's end to the end of its hold, in events from before the hold of two hours. */
const OLD_HOLD_HOURS = 24

export type ReceiveAddressEvents = {
  /** This exact amount on this address means this challenge, until the hold ends. */
  AmountReserved: {
    amount: Units
    challengeId: string
    accountId?: string
    reservedAt: string
    heldUntil: string
    /** When the challenge ends. Absent: a day before the hold does. */
    endsAt?: string
    /** A keyed hash of the network that the caller came from. Absent: the seller asked, or it was not told apart. */
    network?: string
    /** What was missing when this amount was reserved beside the first one, for the rest of a payment in parts. */
    rest?: Units
    /** Amounts that callers of that network hold and that were found paid. */
    paid?: readonly Units[]
  }
  /** Whatever comes to this address means this challenge, until the hold ends. */
  AddressLent: { challengeId: string; accountId: string; lentAt: string; heldUntil: string; endsAt?: string }
  /**
   * A transfer that belongs to no challenge came in a block of this time. It may have been meant for any challenge that
   * was opened before, so that no odd payment is taken for one of those.
   */
  OddPaymentSeen: { minedAt: string }
}

type AddressHold = { challengeId: string; accountId: string; endsAt: string; heldUntil: string }

export type ReceiveAddressCommands = {
  /**
   * `anonymous` callers leave a quarter of the amounts to others. Of the callers of one `network`, at most `unpaidMax`
   * open challenges are held that nobody has paid; `paid` are amounts of theirs that were. Refuses `no-free-amount`,
   * and `rate-limited` at that bound, both with the seconds until one may come free.
   */
  reserve: AddressHold & Wish & { network?: string; unpaidMax?: number; paid?: readonly Units[] }
  /**
   * Reserves an amount above what is `missing`, for a challenge that was paid in part; its first amount stays its own.
   */
  reserveRest: AddressHold & Omit<Wish, 'price' | 'anonymous'> & { missing: Units }
  /** Lends the whole address. Refuses `no-free-amount` while something else is expected on it. */
  lend: AddressHold
  noteUnmatched: { minedAt: string }
}

type State = AddressState

export const receiveAddress = decider<ReceiveAddressEvents, ReceiveAddressCommands, State>({
  category: 'receiveAddress',
  grows: true,
  stateVersion: 3,
  initial: {
    amounts: {},
    size: 0,
    amountsHeldUntil: '',
    lent: undefined,
    displaced: [],
    leftOutUntil: undefined,
    unmatchedAt: undefined,
    owners: [],
  },
  decide: {
    reserve: (state, command, now) => {
      const { challengeId, accountId, endsAt, heldUntil, network, unpaidMax, paid = [], ...wish } = command
      if (amountOf(state, challengeId) !== undefined) return []
      mustHaveRoom(state, now)
      mustBeWithin(unpaidOf(state, network, now), unpaidMax, paid, now)
      const amount = String(chooseAmount(state.amounts, wish, now))
      const further = { endsAt, ...(network && { network }), ...(paid.length > 0 && { paid }) }
      return [
        { type: 'AmountReserved', data: { amount, challengeId, accountId, reservedAt: now, heldUntil, ...further } },
      ]
    },
    reserveRest: (state, { challengeId, accountId, endsAt, heldUntil, missing, ...wish }, now) => {
      if (indexOf(state.amounts).rests.get(challengeId)?.missing === missing) return []
      mustHaveRoom(state, now)
      const amount = String(chooseAmount(state.amounts, { ...wish, price: missing, anonymous: false }, now))
      const further = { endsAt, rest: missing }
      return [
        { type: 'AmountReserved', data: { amount, challengeId, accountId, reservedAt: now, heldUntil, ...further } },
      ]
    },
    lend: (state, { challengeId, accountId, endsAt, heldUntil }, now) => {
      if (state.lent?.challengeId === challengeId) return []
      if (!isIdle(state, now)) return refuse('no-free-amount')
      return [{ type: 'AddressLent', data: { challengeId, accountId, lentAt: now, heldUntil, endsAt } }]
    },
    noteUnmatched: ({ unmatchedAt }, { minedAt }) =>
      unmatchedAt !== undefined && minedAt <= unmatchedAt ? [] : [{ type: 'OddPaymentSeen', data: { minedAt } }],
  },
  evolve: {
    AmountReserved: (state, data) => {
      const { amount, accountId, reservedAt, paid } = data
      const before = slotAt(state.amounts, amount)
      const kept = bounded(before ? withDisplaced(state, [before], reservedAt) : state, reservedAt)
      const slot = slotFor(data)
      return {
        ...kept,
        amounts: withSlot(withPaid(kept.amounts, paid), amount, slot),
        size: slotAt(kept.amounts, amount) ? kept.size : kept.size + 1,
        amountsHeldUntil: later(kept.amountsHeldUntil, slot.heldUntil),
        owners: owning(state, accountId),
      }
    },
    AddressLent: (state, { challengeId, accountId, lentAt, heldUntil, endsAt = daysEnd(heldUntil) }) => ({
      ...withDisplaced(state, state.lent ? [state.lent] : [], lentAt),
      lent: { challengeId, openedAt: lentAt, endsAt, heldUntil },
      owners: owning(state, accountId),
    }),
    OddPaymentSeen: (state, { minedAt }) => ({ ...state, unmatchedAt: minedAt }),
  },
})

/**
 * The id of the stream in which the amounts of one coin on one address are kept apart; `coin` is what the chain calls
 * it.
 */
export const receiveAddressId = ({ network, coin, to }: { network: string; coin: string; to: string }): string =>
  `${network}:${coin}:${to}`

/** The challenge that a payment of exactly this amount at this time stands for, if one does. */
export const holderOf = ({ amounts, lent }: State, amount: bigint, at: string): string | undefined => {
  const slot = isLentAt(lent, at) ? lent : slotAt(amounts, String(amount))
  return slot && slot.heldUntil > at ? slot.challengeId : undefined
}

/** The challenge that the whole address is lent to at this time, its hold included. */
export const lentTo = ({ lent }: State, at: string): string | undefined =>
  isLentAt(lent, at) ? lent?.challengeId : undefined

/**
 * The challenge that a payment most likely was meant for although its hold had ended when it was made: nobody has been
 * given the amount, or the address, since. The payment is too late for it, but the seller can tell whose money it is
 * (N-24).
 */
export const formerHolderOf = ({ amounts, lent }: State, amount: bigint, at: string): string | undefined =>
  slotAt(amounts, String(amount))?.challengeId ?? (lent && lent.openedAt <= at ? lent.challengeId : undefined)

/**
 * The challenges of this address that had not ended more than a day before this time, each once, with those that were
 * opened after it. `isWhole` is false when there were so many that some are forgotten: then nobody can say that one of
 * these is the only one.
 */
export const expectedOn = (
  { amounts, lent, displaced, leftOutUntil = '' }: State,
  at: string,
): { readonly challenges: readonly CandidateChallenge[]; readonly isWhole: boolean } => {
  const since = hoursAfter(at, -EXPECTED_HOURS)
  const found = new Map<string, CandidateChallenge>()
  for (const { challengeId, openedAt, endsAt } of [...displaced, ...(lent ? [lent] : []), ...slotsOf(amounts)]) {
    const known = found.get(challengeId)
    // A challenge with an amount for its rest, too, was opened when it got its first amount.
    if (endsAt > since && !(known && known.openedAt <= openedAt))
      found.set(challengeId, { challengeId, openedAt, endsAt })
  }
  return { challenges: [...found.values()], isWhole: leftOutUntil <= since }
}

/** The amount that a challenge was given first; it settles the challenge whatever came before. */
export const amountOf = ({ amounts }: State, challengeId: string): Units | undefined =>
  indexOf(amounts).firsts.get(challengeId)

/** The amount that was given for the rest of a challenge that was paid in part: the newest. */
export const restOf = ({ amounts }: State, challengeId: string): Units | undefined =>
  indexOf(amounts).rests.get(challengeId)?.amount

/** The sellers who are paid at this address, as far as is remembered. */
export const ownersOf = ({ owners }: State): readonly string[] => owners

/** Whether nothing is expected on an address: then it may be lent as a whole. */
export const isIdle = (state: State, now: string): boolean => idleSince(state) <= now

/** When the last hold on an address ends, or has ended; empty when there was none. */
export const idleSince = ({ amountsHeldUntil, lent }: State): string => later(amountsHeldUntil, lent?.heldUntil ?? '')

/**
 * When an amount for this wish may come free, if it is known that none is free now; undefined when only a search can
 * tell.
 */
export const isFullUntil = ({ amounts }: State, wish: Wish, now: string): string | undefined =>
  fullUntil(amounts, wish, now)

/** The amounts that callers of one network hold for open challenges that are not known to be paid. */
export const unpaidOf = (
  { amounts }: State,
  network: string | undefined,
  now: string,
): readonly (Slot & { amount: Units })[] => {
  if (network === undefined) return []
  const held = indexOf(amounts).networks.get(network) ?? []
  return held.flatMap(({ amount }) => {
    const slot = slotAt(amounts, amount)
    return slot?.network === network && slot.endsAt > now && !slot.paid ? [{ ...slot, amount }] : []
  })
}

const mustHaveRoom = ({ lent, size, amounts }: State, now: string): void => {
  if (lent && lent.heldUntil > now)
    throw new Refusal('no-free-amount', undefined, undefined, secondsUntil(lent.heldUntil, now))
  const held = size < SLOTS_MAX ? [] : slotsOf(amounts).filter((slot) => slot.heldUntil > now)
  if (held.length < SLOTS_MAX) return
  const soonest = held.map(({ heldUntil }) => heldUntil).reduce((a, b) => (a < b ? a : b))
  throw new Refusal('no-free-amount', undefined, undefined, secondsUntil(soonest, now))
}

const TOO_MANY = 'Too many unpaid challenges were opened from your network. Pay one of them, or try again later.'

/** Refuses `rate-limited` at the bound: nobody's open challenge is ended to make room for another one. */
const mustBeWithin = (
  held: readonly (Slot & { amount: Units })[],
  unpaidMax: number | undefined,
  paid: readonly Units[],
  now: string,
): void => {
  if (unpaidMax === undefined || held.length < unpaidMax) return
  const unpaid = held.filter(({ amount }) => !paid.includes(amount))
  if (unpaid.length < unpaidMax) return
  const soonest = unpaid.map(({ endsAt }) => endsAt).reduce((a, b) => (a < b ? a : b), unpaid[0]?.endsAt ?? now)
  throw new LimitReached('unpaid-challenges', secondsUntil(soonest, now), TOO_MANY)
}

const slotFor = (data: ReceiveAddressEvents['AmountReserved']): Slot => {
  const { challengeId, reservedAt, heldUntil, endsAt = daysEnd(heldUntil), network, rest } = data
  const slot = { challengeId, openedAt: reservedAt, endsAt, heldUntil }
  return { ...slot, ...(network !== undefined && { network }), ...(rest !== undefined && { rest }) }
}

const isLentAt = (lent: Slot | undefined, at: string): boolean =>
  lent !== undefined && lent.openedAt <= at && lent.heldUntil > at

const owning = ({ owners }: State, accountId: string | undefined): readonly string[] =>
  accountId === undefined || owners.includes(accountId) ? owners : [...owners, accountId].slice(-OWNERS_MAX)

/** The end of a challenge from an older event, whose hold was a day longer. */
const daysEnd = (heldUntil: string): string => hoursAfter(heldUntil, -OLD_HOLD_HOURS)
