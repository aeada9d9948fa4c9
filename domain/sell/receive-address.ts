import { decider } from '../decider.ts'
import { mulDivFloor, type Units } from '../money.ts'
import { refuse } from '../refusal.ts'

/**
 * Which open challenge asks for which amount on one receive address. No two ask for the same, so a transfer tells by its amount whose
 * payment it is (Q-55, N-21). The quoted price itself is never handed out: a buyer who types it by hand is nobody's, not a stranger's.
 * The stream is one (network, address, asset).
 */

/** Amounts held at once for one price, and for all prices together, so that the state stays small however many challenges are opened. */
const SLOTS_MAX = 250
const HOLDS_MAX = 2_000
/** How far above the price the amount may be moved, where that is more than 99 last places: 0.5 %. */
const OFFSET_MAX_BASIS_POINTS = 50n
const OFFSET_MIN_PLACES = 99n

export type ReceiveAddressEvents = {
  /** This exact amount on this address means this challenge, until the hold ends. */
  AmountReserved: { amount: Units; challengeId: string; reservedAt: string; heldUntil: string }
}

export type ReceiveAddressCommands = {
  /** `step` is the last place a payer types, in smallest units. */
  reserve: { challengeId: string; price: Units; step: Units; heldUntil: string }
}

type Slot = { challengeId: string; heldUntil: string }
type State = { readonly [amount: Units]: Slot }

export const receiveAddress = decider<ReceiveAddressEvents, ReceiveAddressCommands, State>({
  category: 'receiveAddress',
  stateVersion: 1,
  initial: {},
  decide: {
    reserve: (slots, { challengeId, price, step, heldUntil }, now) => {
      const all = Object.values(slots)
      if (all.some((slot) => slot.challengeId === challengeId)) return []
      if (all.length >= HOLDS_MAX && all.filter((slot) => slot.heldUntil > now).length >= HOLDS_MAX)
        return refuse('no-free-amount')
      if (isFull(slots, { price, step }, now)) return refuse('no-free-amount')
      const amount = lowestFree(slots, BigInt(price), BigInt(step), now)
      return [{ type: 'AmountReserved', data: { amount: String(amount), challengeId, reservedAt: now, heldUntil } }]
    },
  },
  evolve: {
    // Ended holds are dropped when there are many, so the state is bounded by HOLDS_MAX however long the address lives.
    AmountReserved: (slots, { amount, challengeId, reservedAt, heldUntil }) => ({
      ...(Object.keys(slots).length < HOLDS_MAX ? slots : stillHeld(slots, reservedAt)),
      [amount]: { challengeId, heldUntil },
    }),
  },
})

/** The challenge that asks for exactly this amount at this time, if one does. */
export const holderOf = (slots: State, amount: bigint, now: string): string | undefined => {
  const slot = slots[String(amount)]
  return slot && slot.heldUntil > now ? slot.challengeId : undefined
}

/** True when it is known that no amount is free for a price at this time. It may not be known yet: then the search tells. */
export const isFull = (slots: State, { price, step }: { price: Units; step: Units }, now: string): boolean => {
  const until = fullUntil.get(slots)?.get(`${price} ${step}`)
  return until !== undefined && now < until
}

/** When the first amount of a price comes free that had none; kept with the very state it was found in, so that a flood of askers costs no search each. */
const fullUntil = new WeakMap<State, Map<string, string>>()

const stillHeld = (slots: State, now: string): State =>
  Object.fromEntries(Object.entries(slots).filter(([, slot]) => slot.heldUntil > now))

const lowestFree = (slots: State, price: bigint, step: bigint, now: string): bigint => {
  const relative = mulDivFloor(price, OFFSET_MAX_BASIS_POINTS, 10_000n * step)
  const places = relative > OFFSET_MIN_PLACES ? relative : OFFSET_MIN_PLACES
  const last = places < BigInt(SLOTS_MAX) ? places : BigInt(SLOTS_MAX)
  let soonest: string | undefined
  for (let n = 1n; n <= last; n++) {
    const slot = slots[String(price + n * step)]
    if (!slot || slot.heldUntil <= now) return price + n * step
    if (soonest === undefined || slot.heldUntil < soonest) soonest = slot.heldUntil
  }
  const known = fullUntil.get(slots) ?? new Map()
  fullUntil.set(slots, known.set(`${price} ${step}`, soonest))
  return refuse('no-free-amount')
}
