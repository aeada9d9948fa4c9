import { FIAT_DECIMALS, mulDivRound, RATE_DECIMALS, toDecimal, type Units } from '../kernel/money.ts'

/** What coins are worth by the sale that they were paid for: at the rate of its price and its amount in coin. */

/** The price of a sale in millionths of its currency, and what was asked for it in the coin's smallest unit. */
export type SalePrice = {
  readonly amount: Units
  readonly currency: string
  readonly asked: Units
}

/** The worth of coins, in millionths of the currency of the sale. */
export const worthBySale = (units: Units, { amount, asked }: SalePrice): Units =>
  BigInt(asked) === 0n ? '0' : String(mulDivRound(BigInt(units), BigInt(amount), BigInt(asked)))

/** What one whole coin is worth in the currency of the sale, as a decimal. */
export const rateBySale = ({ amount, asked }: SalePrice, decimals: number): string => {
  if (BigInt(asked) === 0n) return '0'
  const scale = 10n ** BigInt(decimals + RATE_DECIMALS - FIAT_DECIMALS)
  return toDecimal(mulDivRound(BigInt(amount), scale, BigInt(asked)), RATE_DECIMALS)
}
