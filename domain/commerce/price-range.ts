import { FIAT_DECIMALS, RATE_DECIMALS, toUnits } from '../kernel/money.ts'
import type { PriceWish } from './unit-price.ts'

/**
 * A range of prices, in millionths of the currency that things are priced in: from `least` on, and less than `below`
 * where that is given.
 */
export type PriceRange = { readonly least: bigint; readonly below: bigint | undefined }

/**
 * The prices whose unit price lies between two amounts, both included, so that a search finds exactly the items that
 * show such a price (C-CAT-01). The inverse of `unitPrice`, and rounded as it is.
 */
export const pricesWithin = (
  { min, max }: { readonly min?: bigint | undefined; readonly max?: bigint | undefined },
  rates: Omit<PriceWish, 'price'>,
): PriceRange => ({
  least: min === undefined ? 0n : leastWorth(min, rates),
  below: max === undefined ? undefined : max < 1n ? 0n : leastWorth(max + 1n, rates),
})

/** The lowest price that is shown as `units` smallest units; every price is shown as one at least. */
const leastWorth = (units: bigint, { from, to, digits, same }: Omit<PriceWish, 'price'>): bigint => {
  if (units <= 1n) return 0n
  const [fromRate, toRate] = same ? [1n, 1n] : [toUnits(from, RATE_DECIMALS), toUnits(to, RATE_DECIMALS)]
  const above = (2n * units - 1n) * toRate * 10n ** BigInt(FIAT_DECIMALS)
  const each = 2n * fromRate * 10n ** BigInt(digits)
  return (above + each - 1n) / each
}
