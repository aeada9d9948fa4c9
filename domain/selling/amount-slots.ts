import type { Units } from '../kernel/money.ts'

/**
 * The amounts of a receive address, and an index that finds one of them fast. The state holds the amounts in buckets of
 * plain objects, so that a change copies one bucket. The index belongs to one version of the amounts, moves on to the
 * next with each added slot, and can be built again at any time.
 */

/** The challenge that an amount, or the whole address, stands for. Times are ISO 8601. */
export type Slot = {
  readonly challengeId: string
  readonly openedAt: string
  /** When the challenge ends. */
  readonly endsAt: string
  /** Time until which no other challenge gets the amount or the address. */
  readonly heldUntil: string
  /** A keyed hash of the network that the caller came from, when callers are told apart by it. */
  readonly network?: string
  /** What was missing of the price, when the amount is for the rest of a payment in parts. */
  readonly rest?: Units
  /** Set once the challenge was found paid. */
  readonly paid?: true
}
export type Amounts = { readonly [bucket: string]: { readonly [amount: Units]: Slot } }

/** A prime, so that amounts with zeros at the end are spread too. */
const BUCKETS = 61n
/** Number of tails. A tail is the last four digits that a payer types; no two held amounts share one, at any price. */
export const TAILS = 10_000

type AmountIndex = {
  /** The first amount of each challenge, keyed by its id. */
  readonly firsts: Map<string, Units>
  /** The newest amount for the rest of each challenge, and what was missing then, keyed by the id of the challenge. */
  readonly rests: Map<string, { readonly amount: Units; readonly missing: Units }>
  /**
   * The amounts that callers of one network got, and the ends of their challenges, keyed by the hash of the network.
   */
  readonly networks: Map<string, readonly { readonly amount: Units; readonly endsAt: string }[]>
  /** Times at which tails come free, in Unix milliseconds, keyed by step and then by tail. */
  readonly tails: Map<Units, Map<number, number>>
}

const indexes = new WeakMap<Amounts, AmountIndex>()

export const indexOf = (amounts: Amounts): AmountIndex => {
  const known = indexes.get(amounts)
  if (known) return known
  const index: AmountIndex = { firsts: new Map(), rests: new Map(), networks: new Map(), tails: new Map() }
  const slots = entriesOf(amounts).toSorted(([, a], [, b]) => (a.openedAt < b.openedAt ? -1 : 1))
  for (const [amount, slot] of slots) add(index, amount, slot)
  indexes.set(amounts, index)
  return index
}

/** Times until which tails are held, in Unix milliseconds, for digits that begin at this step. */
export const tailsOf = (amounts: Amounts, step: Units): ReadonlyMap<number, number> => {
  const { tails } = indexOf(amounts)
  const known = tails.get(step)
  if (known) return known
  const made = new Map<number, number>()
  for (const [amount, { heldUntil }] of entriesOf(amounts)) hold(made, step, amount, heldUntil)
  tails.set(step, made)
  return made
}

export const slotAt = (amounts: Amounts, amount: Units): Slot | undefined => amounts[bucketOf(amount)]?.[amount]

export const entriesOf = (amounts: Amounts): readonly [Units, Slot][] =>
  Object.values(amounts).flatMap((bucket) => Object.entries(bucket))

export const slotsOf = (amounts: Amounts): readonly Slot[] =>
  Object.values(amounts).flatMap((bucket) => Object.values(bucket))

/** Puts a slot at an amount, in place of any former one, and moves the index on. */
export const withSlot = (amounts: Amounts, amount: Units, slot: Slot): Amounts => {
  const after = changed(amounts, amount, slot)
  const index = indexes.get(amounts)
  if (!index) return after
  indexes.delete(amounts)
  const before = slotAt(amounts, amount)
  if (before) remove(index, amount, before)
  add(index, amount, slot)
  indexes.set(after, index)
  return after
}

/** Marks amounts as found paid. The index knows nothing of payment, so it stays as it is. */
export const withPaid = (amounts: Amounts, paid: readonly Units[] = []): Amounts => {
  let after = amounts
  for (const amount of paid) {
    const slot = slotAt(after, amount)
    if (slot) after = changed(after, amount, { ...slot, paid: true })
  }
  const index = after !== amounts && indexes.get(amounts)
  if (index) {
    indexes.delete(amounts)
    indexes.set(after, index)
  }
  return after
}

export const withoutSlots = (amounts: Amounts, gone: ReadonlySet<Units>): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).map(([bucket, slots]) => [
      bucket,
      Object.fromEntries(Object.entries(slots).filter(([amount]) => !gone.has(amount))),
    ]),
  )

const changed = (amounts: Amounts, amount: Units, slot: Slot): Amounts => {
  const bucket = bucketOf(amount)
  return { ...amounts, [bucket]: { ...amounts[bucket], [amount]: slot } }
}

const add = ({ firsts, rests, networks, tails }: AmountIndex, amount: Units, slot: Slot): void => {
  const { challengeId, openedAt, endsAt, network, rest, heldUntil } = slot
  if (rest !== undefined) rests.set(challengeId, { amount, missing: rest })
  else if (!firsts.has(challengeId)) firsts.set(challengeId, amount)
  if (network !== undefined) {
    const open = (networks.get(network) ?? []).filter((held) => held.endsAt > openedAt)
    networks.set(network, [...open, { amount, endsAt }])
  }
  for (const [step, held] of tails) hold(held, step, amount, heldUntil)
}

/** Takes a slot out of the index. Its tail stays, because the slot that replaces it holds the same tail for longer. */
const remove = ({ firsts, rests, networks }: AmountIndex, amount: Units, { challengeId, network }: Slot): void => {
  if (firsts.get(challengeId) === amount) firsts.delete(challengeId)
  if (rests.get(challengeId)?.amount === amount) rests.delete(challengeId)
  if (network === undefined) return
  const others = (networks.get(network) ?? []).filter((held) => held.amount !== amount)
  if (others.length > 0) networks.set(network, others)
  else networks.delete(network)
}

const hold = (tails: Map<number, number>, step: Units, amount: Units, heldUntil: string): void => {
  const tail = Number((BigInt(amount) / BigInt(step)) % BigInt(TAILS))
  const until = Date.parse(heldUntil)
  if (until > (tails.get(tail) ?? 0)) tails.set(tail, until)
}

const bucketOf = (amount: Units): string => String(BigInt(amount) % BUCKETS)
