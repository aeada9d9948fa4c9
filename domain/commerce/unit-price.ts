import { FIAT_DECIMALS, RATE_DECIMALS, toUnits } from '../kernel/money.ts'

export type PriceWish = {
  /** Millionths of the currency that the item is priced in. */
  readonly price: bigint
  /** US dollars per unit of that currency, as a decimal. */
  readonly from: string
  /** US dollars per unit of the session's currency, as a decimal. */
  readonly to: string
  /** Digits after the point of the session's currency. */
  readonly digits: number
  /** Whether both are one currency: then no rate is used. */
  readonly same: boolean
}

export type UnitPrice = {
  /** Smallest units of the session's currency. */
  readonly unit: bigint
  /** False where the price had to be rounded. */
  readonly exact: boolean
}

/**
 * What one item costs in the session's currency (C-SES-09, I-CUR-01), rounded half up to the smallest unit. A price
 * above zero is never rounded to zero.
 */
export const unitPrice = (wish: PriceWish): UnitPrice => {
  const { worth, divisor } = worthOf(wish)
  return { unit: rounded(worth, divisor), exact: worth % divisor === 0n }
}

/**
 * What a line of several such items costs: the price is multiplied first and rounded once, as above, so that a price
 * of a tenth of a cent is neither nothing nor ten times itself. Where the price of one had to be rounded, so many of
 * it may be more or less than that.
 */
export const linePrice = (wish: PriceWish, quantity: number): UnitPrice & { readonly subtotal: bigint } => {
  const { worth, divisor } = worthOf(wish)
  return { ...unitPrice(wish), subtotal: rounded(worth * BigInt(quantity), divisor) }
}

const worthOf = ({ price, from, to, digits, same }: PriceWish): { worth: bigint; divisor: bigint } => {
  const [fromRate, toRate] = same ? [1n, 1n] : [toUnits(from, RATE_DECIMALS), toUnits(to, RATE_DECIMALS)]
  return { worth: price * fromRate * 10n ** BigInt(digits), divisor: toRate * 10n ** BigInt(FIAT_DECIMALS) }
}

const rounded = (worth: bigint, divisor: bigint): bigint => {
  const units = (2n * worth + divisor) / (2n * divisor)
  return units === 0n && worth > 0n ? 1n : units
}
