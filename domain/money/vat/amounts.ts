import { millionthsOf, minorDigits } from '../../kernel/currencies.ts'
import { byLargestRemainder, mulDivRound, sum } from '../../kernel/money.ts'
import { WHOLE } from './rates.ts'

/** The sums of VAT, exact to the smallest unit: integers alone, in millionths of a currency (M-VAT-01). */

export type VatRule = {
  /** The rate of VAT, in millionths of the price. */
  readonly rate: bigint
  /** Whether VAT is in the amounts already. */
  readonly inclusive: boolean
  /** The smallest unit in millionths of the currency; no VAT has a fraction of it. */
  readonly step: bigint
}

export type VatSum = { readonly net: bigint; readonly vat: bigint; readonly total: bigint }

/**
 * The VAT of one sale's lines. The VAT of the whole is rounded, a half up, and handed out to the lines by their largest
 * remainders: so the lines add up to it, and one line alone is simply rounded. Amounts are not negative.
 */
export const vatOfLines = (amounts: readonly bigint[], { rate, inclusive, step }: VatRule): readonly VatSum[] => {
  const divisor = (inclusive ? WHOLE + rate : WHOLE) * step
  const whole = mulDivRound(sum(amounts), rate, divisor)
  const parts = byLargestRemainder(
    amounts.map((amount) => amount * rate),
    divisor,
    whole,
  )
  return amounts.map((amount, index) => {
    const vat = (parts[index] as bigint) * step
    return inclusive ? { net: amount - vat, vat, total: amount } : { net: amount, vat, total: amount + vat }
  })
}

export const vatOf = (amount: bigint, rule: VatRule): VatSum => vatOfLines([amount], rule)[0] as VatSum

/**
 * What VAT on an amount is rounded to: a cent, or what the currency has for it (ISO 4217). An amount that is finer than
 * that is a price of machines, whose VAT would be lost in cents: it is rounded to the millionth that all amounts here
 * are kept in.
 */
export const stepFor = (currency: string, amount: bigint): bigint => {
  const step = millionthsOf(1n, minorDigits(currency) ?? USUAL_DIGITS)
  return amount % step === 0n ? step : 1n
}

/** Decimal digits of most currencies, for a code that is not in the table. */
const USUAL_DIGITS = 2
