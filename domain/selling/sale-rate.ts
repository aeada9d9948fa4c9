import { FIAT_DECIMALS, mulDivRound, type OwnPrice, RATE_DECIMALS, toDecimal, type Units } from '../kernel/money.ts'

/** What coins are worth by the sale that they were paid for: at the rate of its price and its amount in coin. */

/** The price of a sale in millionths of its currency, and what was asked for it in the coin's smallest unit. */
export type SalePrice = {
  readonly amount: Units
  readonly currency: string
  readonly asked: Units
}

/** What the price of a sale came to when it was locked, beside US dollars; events of former releases say neither. */
export type LockedWorth = {
  /** Who said what the coin costs, or the currency of a payment by card. */
  readonly rateSource?: string
  /** The price in the currency of its seller's account. */
  readonly ownPrice?: OwnPrice
}

/** Those facts alone, of whatever has them. */
export const lockedWorth = ({ rateSource, ownPrice }: Loose<LockedWorth>): LockedWorth => ({
  ...(rateSource !== undefined && { rateSource }),
  ...(ownPrice && { ownPrice }),
})

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined }

/** The worth of some of what was priced: `units` of the `of` that the whole price is for. */
export const shareOfWorth = ({ ownPrice, rateSource }: LockedWorth, units: Units, of: Units): LockedWorth =>
  lockedWorth({ rateSource, ownPrice: ownPrice && { ...ownPrice, amount: shareOf(units, of, ownPrice.amount) } })

/** `units` of `of`, of an amount; rounded to the nearest whole. */
export const shareOf = (units: Units, of: Units, amount: Units): Units =>
  BigInt(of) === 0n ? '0' : String(mulDivRound(BigInt(units), BigInt(amount), BigInt(of)))

/** The worth of coins, in millionths of the currency of the sale. */
export const worthBySale = (units: Units, { amount, asked }: SalePrice): Units => shareOf(units, asked, amount)

/** What one whole coin is worth in the currency of the sale, as a decimal. */
export const rateBySale = ({ amount, asked }: SalePrice, decimals: number): string => {
  if (BigInt(asked) === 0n) return '0'
  const scale = 10n ** BigInt(decimals + RATE_DECIMALS - FIAT_DECIMALS)
  return toDecimal(mulDivRound(BigInt(amount), scale, BigInt(asked)), RATE_DECIMALS)
}
