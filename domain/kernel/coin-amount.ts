import { toDecimal, toUnits } from './money.ts'
import { refuse } from './refusal.ts'

/**
 * An amount of a coin that somebody has written as a decimal, in the coin's smallest unit. Nothing is rounded: refuses
 * `invalid-request` for less than the smallest unit, for more places than the coin has, and for nothing at all.
 */
export const coinUnits = (text: string, coin: { code: string; decimals: number }, field: string): bigint => {
  const { code, decimals } = coin
  const places = text.split('.')[1]?.replace(/0+$/, '').length ?? 0
  if (places > decimals)
    return refuse('invalid-request', `${field}: the smallest amount of ${code} is ${toDecimal(1n, decimals)}`)
  const units = toUnits(text, decimals)
  return units > 0n ? units : refuse('invalid-request', `${field}: more than nothing`)
}

/** A JSON number as a plain decimal, digit by digit: 1e-7 is 0.0000001. */
export const plainDecimal = (value: number): string => {
  const [, whole = '', fraction = '', exponent] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const by = Number(exponent)
  if (by > 0) return `${whole}${fraction.padEnd(by, '0')}`
  return `0.${'0'.repeat(-by - 1)}${whole}${fraction}`
}
