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
export const unitPrice = ({ price, from, to, digits, same }: PriceWish): UnitPrice => {
  const [fromRate, toRate] = same ? [1n, 1n] : [toUnits(from, RATE_DECIMALS), toUnits(to, RATE_DECIMALS)]
  const worth = price * fromRate * 10n ** BigInt(digits)
  const divisor = toRate * 10n ** BigInt(FIAT_DECIMALS)
  const unit = (2n * worth + divisor) / (2n * divisor)
  return { unit: unit === 0n && price > 0n ? 1n : unit, exact: worth % divisor === 0n }
}
