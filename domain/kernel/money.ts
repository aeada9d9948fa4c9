import { refuse } from './refusal.ts'

/**
 * Exact money. In events an amount is a decimal string of whole smallest units; in code it is a bigint; a float is
 * never involved.
 */

/** A whole number of an asset's smallest unit, as a decimal string: "4800000" is 4.80 USD. */
export type Units = string

/**
 * What something is worth in the currency that its seller counts in, in millionths. `source` said the rate by which it
 * was converted, and is absent where it was not.
 */
export type OwnPrice = { readonly currency: string; readonly amount: Units; readonly source?: string }

/** Fiat amounts of every currency, US dollars among them, are kept in millionths. */
export const FIAT_DECIMALS = 6

/** Rates are kept in 10⁻¹² dollars, so that a coin of a millionth of a cent still has six digits. */
export const RATE_DECIMALS = 12

/**
 * "12.5" with 6 decimals is 12500000n. Throws a TypeError on anything that is not a plain decimal or has more places
 * than fit.
 */
export const toUnits = (decimal: string, decimals: number): bigint => {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal)
  if (!match) throw new TypeError(`not a decimal: ${decimal}`)
  const [, sign, whole, fraction = ''] = match
  if (fraction.slice(decimals).replaceAll('0', '') !== '')
    throw new TypeError(`more than ${decimals} places: ${decimal}`)
  const units = BigInt(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}`)
  return sign ? -units : units
}

/** 12500000n with 6 decimals is "12.5": no trailing zeros, no exponent. */
export const toDecimal = (units: bigint, decimals: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, cut)}${fraction && `.${fraction}`}`
}

/** a × b ÷ c, rounded towards minus infinity. */
export const mulDivFloor = (a: bigint, b: bigint, c: bigint): bigint => {
  const product = a * b
  const quotient = product / c
  return product % c !== 0n && product < 0n !== c < 0n ? quotient - 1n : quotient
}

/** a × b ÷ c, rounded up: what is asked of a payer never falls short of the price. */
export const mulDivCeil = (a: bigint, b: bigint, c: bigint): bigint => -mulDivFloor(-a, b, c)

/** a × b ÷ c, rounded to the nearest whole, a half up; none of them is negative. */
export const mulDivRound = (a: bigint, b: bigint, c: bigint): bigint => mulDivFloor(2n * a * b + c, 1n, 2n * c)

/**
 * The parts dividend ÷ divisor as whole numbers that add up to `whole`: each is rounded down, then those with the
 * largest remainders are raised by one, the earlier of equals first. Dividends are not negative; `whole` is the sum of
 * the parts rounded either way.
 */
export const byLargestRemainder = (dividends: readonly bigint[], divisor: bigint, whole: bigint): readonly bigint[] => {
  const floors = dividends.map((dividend) => dividend / divisor)
  const rest = (index: number) => (dividends[index] as bigint) % divisor
  const largestFirst = [...dividends.keys()].sort((a, b) => (rest(a) === rest(b) ? a - b : rest(a) > rest(b) ? -1 : 1))
  const raised = new Set(largestFirst.slice(0, Number(whole - sum(floors))))
  return floors.map((floor, index) => (raised.has(index) ? floor + 1n : floor))
}

export const sum = (values: readonly bigint[]): bigint => values.reduce((a, b) => a + b, 0n)

/**
 * An amount of a coin that somebody has written as a decimal, in the coin's smallest unit. Nothing is rounded: refuses
 * `invalid-request` for less than the smallest unit, for more places than the coin has, and for nothing at all.
 */
export const coinUnits = (text: string, coin: { code: string; decimals: number }, field: string): bigint => {
  const { code, decimals } = coin
  const places = text.split('.')[1]?.replace(/0+$/, '').length ?? 0
  if (places > decimals)
    return refuse(
      'invalid-request',
      `${field}: has to be ${toDecimal(1n, decimals)} at least, the smallest amount of ${code}`,
    )
  const units = toUnits(text, decimals)
  return units > 0n ? units : refuse('invalid-request', `${field}: has to be more than nothing`)
}

/** A JSON number as a plain decimal, digit by digit: 1e-7 is 0.0000001. */
export const plainDecimal = (value: number): string => {
  const [, whole = '', fraction = '', exponent] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const by = Number(exponent)
  if (by > 0) return `${whole}${fraction.padEnd(by, '0')}`
  return `0.${'0'.repeat(-by - 1)}${whole}${fraction}`
}
