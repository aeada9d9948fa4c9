/**
 * Numbers as others write them, read without a float: 0.1 stays a tenth, and 123456789012.123456789012 keeps its digits
 * (N-23).
 */

import { RATE_DECIMALS } from '../../domain/kernel/money.ts'

/** A sum of dollars from here on is no price. */
const BEYOND = 10n ** BigInt(15 + RATE_DECIMALS)

/**
 * "1.2e-7" is 120000n, in 10⁻¹² dollars. What is below the twelfth place is cut off, which asks a payer for more and
 * never for less.
 */
export const usdIn = (text: string): bigint | undefined => {
  const number = numberIn(text)
  return number && within(scaled(number.digits, RATE_DECIMALS - number.places))
}

/**
 * The same for a number that tells how much a dollar buys; undefined when it has fewer significant digits than
 * `digitsMin`.
 */
export const usdInverse = (text: string, digitsMin = 1): bigint | undefined => {
  const number = numberIn(text)
  if (!number || String(number.digits).length < digitsMin) return undefined
  const { digits, places } = number
  return within(places + RATE_DECIMALS < 0 ? 0n : (10n ** BigInt(places + RATE_DECIMALS) * 2n + digits) / (2n * digits))
}

/** A number above zero as it is written: `digits` × 10^-`places`. */
const numberIn = (text: string): { digits: bigint; places: number } | undefined => {
  const [match, whole = '', fraction = '', exponent = '0'] =
    /^(\d{1,40})(?:\.(\d{1,80}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text) ?? []
  const digits = BigInt(`${whole}${fraction}`)
  return match === undefined || digits === 0n ? undefined : { digits, places: fraction.length - Number(exponent) }
}

const scaled = (digits: bigint, by: number): bigint =>
  by < 0 ? digits / 10n ** BigInt(-by) : digits * 10n ** BigInt(by)

const within = (usd: bigint): bigint | undefined => (usd > 0n && usd < BEYOND ? usd : undefined)
