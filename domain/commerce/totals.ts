import { millionthsOf } from '../kernel/currencies.ts'
import { byLargestRemainder, mulDivRound, sum, toUnits } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import { vatOfLines } from '../money/vat/amounts.ts'

/**
 * The sums of a cart, exact to the smallest unit of its one currency (C-SES-09, I-CUR-01). All amounts here are such
 * units.
 */

type CartLine = { readonly id: string; readonly subtotal: bigint }

export type CartDiscount = {
  readonly code: string
  readonly title: string
  /** A decimal: "0.8" is 20 % off (I-DSC-01). */
  readonly multiplier: string
}

export type CartTax = {
  /** The rate in millionths: 190000n is 19 %. */
  readonly rate: bigint
  /** Whether the prices contain it. */
  readonly inclusive: boolean
  /** The name of the tax as a buyer reads it: "VAT 19% DE". */
  readonly label: string
}

/** The sums of a line or of the whole cart. `tax` is a part of `total`, on top of the prices or contained in them. */
export type Sums = {
  readonly subtotal: bigint
  /** What was taken off; not negative. */
  readonly discount: bigint
  readonly tax: bigint
  readonly total: bigint
}

type LineSums = Sums & { readonly id: string }

export type AppliedDiscount = {
  readonly code: string
  readonly title: string
  readonly amount: bigint
  /** The lines that it was taken off, by their JSON path, without those that it left as they were. */
  readonly allocations: readonly { readonly path: string; readonly amount: bigint }[]
}

export type CartSums = Sums & { readonly lines: readonly LineSums[]; readonly applied: readonly AppliedDiscount[] }

export type Cart = {
  readonly lines: readonly CartLine[]
  /** Applied one after the other, each to what the one before has left. */
  readonly discounts: readonly CartDiscount[]
  readonly tax: CartTax | undefined
}

/**
 * Takes off the discounts first, then works out the tax on what is left. Every sum of the cart is that of its lines.
 */
export const sumCart = ({ lines, discounts, tax }: Cart): CartSums => {
  const subtotals = lines.map(({ subtotal }) => subtotal)
  let left: readonly bigint[] = subtotals
  const applied = discounts.map(({ code, title, multiplier }): AppliedDiscount => {
    const shares = discountOf(left, multiplier)
    left = left.map((amount, index) => amount - at(shares, index))
    return { code, title, amount: sum(shares), allocations: allocationsOf(shares) }
  })
  const taxed = tax
    ? vatOfLines(left, { rate: tax.rate, inclusive: tax.inclusive, step: 1n })
    : left.map((amount) => ({ vat: 0n, total: amount }))
  const summed = lines.map(({ id }, index): LineSums => {
    const [subtotal, { vat, total }] = [at(subtotals, index), at(taxed, index)]
    return { id, subtotal, discount: subtotal - at(left, index), tax: vat, total }
  })
  return { lines: summed, ...sumsOf(summed), applied }
}

/**
 * The most a cart may come to, in millionths of its currency: what a payment may be asked for. In smallest units it is
 * a safe integer.
 */
export const CART_TOTAL_MAX = 999_999_999_999_999n

/** Refuses `invalid-request` for a cart whose sums could be neither asked for nor told as JSON numbers. */
export const refuseTooDear = ({ subtotal, total }: Sums, digits: number): void => {
  const most = subtotal > total ? subtotal : total
  if (millionthsOf(most, digits) > CART_TOTAL_MAX)
    refuse('invalid-request', 'line_items: the cart costs too much; make several sessions')
}

/**
 * What a multiplier takes off each line. Together this is exactly the subtotal minus its rounded part, shared by the
 * worth of the lines, with the largest remainders rounded up. A cart that costs something still does afterwards,
 * because a free cart cannot be paid; and no multiplier makes it dearer.
 */
const discountOf = (amounts: readonly bigint[], multiplier: string): readonly bigint[] => {
  const whole = sum(amounts)
  if (whole === 0n) return amounts
  const decimals = multiplier.split('.')[1]?.length ?? 0
  const rest = mulDivRound(whole, toUnits(multiplier, decimals), 10n ** BigInt(decimals))
  const shareable = whole - clamp(rest, 1n, whole)
  return byLargestRemainder(
    amounts.map((amount) => amount * shareable),
    whole,
    shareable,
  )
}

const allocationsOf = (shares: readonly bigint[]): AppliedDiscount['allocations'] =>
  shares.flatMap((amount, index) => (amount > 0n ? [{ path: `$.line_items[${index}]`, amount }] : []))

const sumsOf = (lines: readonly LineSums[]): Sums => ({
  subtotal: sum(lines.map((line) => line.subtotal)),
  discount: sum(lines.map((line) => line.discount)),
  tax: sum(lines.map((line) => line.tax)),
  total: sum(lines.map((line) => line.total)),
})

const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value

const at = <T>(values: readonly T[], index: number): T => values[index] as T
