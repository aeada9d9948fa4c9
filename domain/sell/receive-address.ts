import { decider } from '../decider.ts'
import { mulDivFloor, type Units } from '../money.ts'
import { refuse } from '../refusal.ts'

/**
 * Which open challenge a payment to one receive address stands for. Either the whole address is lent to one challenge for a while, or no
 * two challenges ask for amounts with the same last digits on it, so a transfer tells whose payment it is (Q-55, N-21). The digits are
 * chosen so that what odd payers send is nobody's rather than a stranger's: the round price itself, an amount cut off after some places,
 * one that is off by one in the last place, and one that an exchange took a round fee from. The stream is one (network, coin, address).
 */

/** Amounts held at once, so that the state stays small however many challenges are opened. */
const HOLDS_MAX = 2_000
/** The last four digits, in places that a payer types, are no two challenges' own, whatever the price before them. */
const TAILS = 10_000n
/** Last digits that are handed out: none is a 0, and no two are neighbours. */
const LAST_DIGITS: ReadonlySet<bigint> = new Set([2n, 5n, 8n])
/** How far above the price the amount may be moved, where that is more than 99 last places: 0.5 %. */
const OFFSET_MAX_BASIS_POINTS = 50n
const OFFSET_MIN_PLACES = 99n
/** Of every five amounts, the one that a caller without a name does not get: a flood of them leaves room for a real buyer. */
const KEPT_FOR_KNOWN = 5n
/** Sellers that are remembered to be paid at one address. */
const OWNERS_MAX = 8

export type ReceiveAddressEvents = {
  /** This exact amount on this address means this challenge, until the hold ends. */
  AmountReserved: { amount: Units; challengeId: string; accountId?: string; reservedAt: string; heldUntil: string }
  /** Whatever comes to this address means this challenge, until the hold ends. */
  AddressLent: { challengeId: string; accountId: string; lentAt: string; heldUntil: string }
}

export type ReceiveAddressCommands = {
  /** `anonymous` callers leave a part of the amounts to others. */
  reserve: Wish & { challengeId: string; accountId: string; heldUntil: string }
  /** The whole address, while nothing else is expected on it. */
  lend: { challengeId: string; accountId: string; heldUntil: string }
}

type Slot = { challengeId: string; heldUntil: string }
type State = {
  readonly amounts: { readonly [amount: Units]: Slot }
  readonly lent: (Slot & { lentAt: string }) | undefined
  /** Those who were paid here, the newest last. */
  readonly owners: readonly string[]
}

export const receiveAddress = decider<ReceiveAddressEvents, ReceiveAddressCommands, State>({
  category: 'receiveAddress',
  grows: true,
  stateVersion: 2,
  initial: { amounts: {}, lent: undefined, owners: [] },
  decide: {
    reserve: (state, { challengeId, accountId, heldUntil, ...wish }, now) => {
      const all = Object.values(state.amounts)
      if (all.some((slot) => slot.challengeId === challengeId)) return []
      if (state.lent && state.lent.heldUntil > now) return refuse('no-free-amount')
      if (all.length >= HOLDS_MAX && all.filter((slot) => slot.heldUntil > now).length >= HOLDS_MAX)
        return refuse('no-free-amount')
      if (isFull(state, wish, now)) return refuse('no-free-amount')
      const amount = String(lowestFree(state, wish, now))
      return [{ type: 'AmountReserved', data: { amount, challengeId, accountId, reservedAt: now, heldUntil } }]
    },
    lend: (state, { challengeId, accountId, heldUntil }, now) => {
      if (state.lent?.challengeId === challengeId) return []
      if (!isIdle(state, now)) return refuse('no-free-amount')
      return [{ type: 'AddressLent', data: { challengeId, accountId, lentAt: now, heldUntil } }]
    },
  },
  evolve: {
    // Ended holds are dropped when there are many, so the state is bounded by HOLDS_MAX however long the address lives.
    AmountReserved: (state, { amount, challengeId, accountId, reservedAt, heldUntil }) => ({
      ...state,
      amounts: {
        ...(Object.keys(state.amounts).length < HOLDS_MAX ? state.amounts : stillHeld(state.amounts, reservedAt)),
        [amount]: { challengeId, heldUntil },
      },
      owners: owning(state, accountId),
    }),
    AddressLent: (state, { challengeId, accountId, lentAt, heldUntil }) => ({
      amounts: stillHeld(state.amounts, lentAt),
      lent: { challengeId, heldUntil, lentAt },
      owners: owning(state, accountId),
    }),
  },
})

/** The id of the stream in which the amounts of one coin on one address are kept apart; `coin` is what the chain calls it. */
export const receiveAddressId = ({ network, coin, to }: { network: string; coin: string; to: string }): string =>
  `${network}:${coin}:${to}`

/** The challenge that a payment of exactly this amount at this time stands for, if one does. */
export const holderOf = ({ amounts, lent }: State, amount: bigint, at: string): string | undefined => {
  const slot = lent && lent.lentAt <= at && lent.heldUntil > at ? lent : amounts[String(amount)]
  return slot && slot.heldUntil > at ? slot.challengeId : undefined
}

/** Other challenges than this one that a payment of this amount at this time may be meant for: people pay too little as well as too much. */
export const mayBeOf = (state: State, challengeId: string, amount: bigint, at: string): readonly string[] =>
  holderOf(state, amount, at) === challengeId
    ? []
    : Object.values(state.amounts)
        .filter((slot) => slot.challengeId !== challengeId && slot.heldUntil > at)
        .map((slot) => slot.challengeId)

/**
 * The challenge that a payment most likely was meant for although its hold had ended when it was made: nobody has been given the amount, or
 * the address, since. It is too late for it, but the seller can tell whose money it is (N-24).
 */
export const formerHolderOf = ({ amounts, lent }: State, amount: bigint, at: string): string | undefined =>
  amounts[String(amount)]?.challengeId ?? (lent && lent.lentAt <= at ? lent.challengeId : undefined)

/** The amount that a challenge was given, the newest first. */
export const amountOf = ({ amounts }: State, challengeId: string): string | undefined =>
  Object.keys(amounts).findLast((amount) => amounts[amount]?.challengeId === challengeId)

/** The sellers who are paid at this address, as far as is remembered. */
export const ownersOf = ({ owners }: State): readonly string[] => owners

/** Whether nothing is expected on an address: then it may be lent as a whole. */
export const isIdle = ({ amounts, lent }: State, now: string): boolean =>
  !(lent && lent.heldUntil > now) && !Object.values(amounts).some((slot) => slot.heldUntil > now)

/** True when it is known that no amount is free for a price at this time. It may not be known yet: then the search tells. */
export const isFull = ({ amounts }: State, wish: Wish, now: string): boolean => {
  const until = fullUntil.get(amounts)?.get(wishKey(wish))
  return until !== undefined && now < until
}

/**
 * `step` is the last place a payer types, in smallest units. A `coarse` one is worth too much to be added freely, as with a token that has
 * no cents: then the amount is moved by half a percent at most, even if that is not one place.
 */
type Wish = { price: Units; step: Units; anonymous: boolean; coarse?: boolean }

const wishKey = ({ price, step, anonymous, coarse = false }: Wish) => `${price} ${step} ${anonymous} ${coarse}`

/**
 * When the first amount of a price comes free that had none; kept with the very state it was found in, so that a flood of askers costs no search
 * each.
 */
const fullUntil = new WeakMap<State['amounts'], Map<string, string>>()

const owning = ({ owners }: State, accountId: string | undefined): readonly string[] =>
  accountId === undefined || owners.includes(accountId) ? owners : [...owners, accountId].slice(-OWNERS_MAX)

const stillHeld = (amounts: State['amounts'], now: string): State['amounts'] =>
  Object.fromEntries(Object.entries(amounts).filter(([, slot]) => slot.heldUntil > now))

const lowestFree = ({ amounts }: State, wish: Wish, now: string): bigint => {
  const [price, step] = [BigInt(wish.price), BigInt(wish.step)]
  const last = placesAbove(price, step, wish)
  const held = heldTails(amounts, step, now)
  let soonest: string | undefined
  for (let n = 1n; n <= last; n++) {
    const typed = price / step + n
    if (!LAST_DIGITS.has(typed % 10n)) continue
    const until = held.get(typed % TAILS)
    if (until === undefined) return typed * step
    if (soonest === undefined || until < soonest) soonest = until
  }
  const known = fullUntil.get(amounts) ?? new Map<string, string>()
  if (soonest !== undefined) fullUntil.set(amounts, known.set(wishKey(wish), soonest))
  return refuse('no-free-amount')
}

/** Until when each tail is taken. */
const heldTails = (amounts: State['amounts'], step: bigint, now: string): ReadonlyMap<bigint, string> => {
  const tails = new Map<bigint, string>()
  for (const [amount, { heldUntil }] of Object.entries(amounts)) {
    const tail = (BigInt(amount) / step) % TAILS
    if (heldUntil > now && heldUntil > (tails.get(tail) ?? '')) tails.set(tail, heldUntil)
  }
  return tails
}

/** How many places an amount may lie above its price. */
const placesAbove = (price: bigint, step: bigint, { anonymous, coarse }: Wish): bigint => {
  const relative = mulDivFloor(price, OFFSET_MAX_BASIS_POINTS, 10_000n * step)
  const places = coarse || relative > OFFSET_MIN_PLACES ? relative : OFFSET_MIN_PLACES
  const all = places < TAILS ? places : TAILS - 1n
  return anonymous ? all - all / KEPT_FOR_KNOWN : all
}
