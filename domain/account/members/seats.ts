import type { Units } from '../../kernel/money.ts'

/**
 * The seats of an account, on which sub-keys and members sit alike. A seat that was paid for stays the account's;
 * whoever leaves it makes room for the next (I-CRD-04).
 */

/** Seats that come with an account: so many sub-keys and members cost nothing. */
export const SEATS_INCLUDED = 1

/** Sub-keys and members that one account may have at once. */
export const SEATED_MAX = 200

/**
 * A payment from the account's credit, by its number there: each is used once, whoever brings it, and however often.
 */
export type SeatPayment = { number: number; fee: Units }

type Seat = { readonly slot: number }

/** `bought`: seats beyond those included. `used`: payments up to this number, and further ones that came early. */
export type Seats = {
  readonly bought: number
  readonly agents: { readonly [number: number]: Seat }
  readonly members: { readonly [number: number]: Seat }
  readonly used: { readonly upTo: number; readonly beyond: readonly number[] }
}

/** How many sit there. */
export const seatedCount = ({ agents, members }: Seats): number =>
  Object.keys(agents).length + Object.keys(members).length

/** Seats that nobody sits on. */
export const slotsFree = (seats: Seats): number => Math.max(0, SEATS_INCLUDED + seats.bought - seatedCount(seats))

export const freeSlot = ({ agents, members }: Seats): number => {
  const taken = new Set([...Object.values(agents), ...Object.values(members)].map(({ slot }) => slot))
  let slot = 1
  while (taken.has(slot)) slot++
  return slot
}

/**
 * What the seat costs more for a role of another price, in millionths of a US dollar; nothing for a cheaper one.
 * `paidFor` is the price of the dearest role that it was taken for: going back there costs nothing.
 */
export const upgradeFee = ({ paidFor }: { readonly paidFor: Units }, price: bigint): bigint => {
  const more = price - BigInt(paidFor)
  return more > 0n ? more : 0n
}

/** The price of the dearest role that a seat was taken for, once it is taken for one of this price. */
export const dearestOf = (paidFor: Units, price: bigint): Units => (price > BigInt(paidFor) ? String(price) : paidFor)

export const isUsed = ({ used: { upTo, beyond } }: Pick<Seats, 'used'>, paid: SeatPayment | undefined): boolean =>
  paid !== undefined && (paid.number <= upTo || beyond.includes(paid.number))

export const using = ({ used }: Pick<Seats, 'used'>, paid: SeatPayment | undefined): Seats['used'] => {
  if (!paid || isUsed({ used }, paid)) return used
  let { upTo } = used
  const beyond = new Set([...used.beyond, paid.number])
  while (beyond.delete(upTo + 1)) upTo++
  return { upTo, beyond: [...beyond] }
}

/** So much of a payment is not needed after all. */
export const unusedPayment = (paid: SeatPayment, unused: Units) =>
  ({ type: 'SeatPaymentUnused', data: { paid, unused } }) as const
