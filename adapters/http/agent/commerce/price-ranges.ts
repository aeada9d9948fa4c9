import { pricesWithin } from '../../../../domain/commerce/price-range.ts'
import { minorDigits } from '../../../../domain/kernel/currencies.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { mustAnswer, thoseAvailable, type UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ProductSearch } from '../../../../projections/commerce/product-queries.ts'

export type PriceFilter = { readonly min?: number | undefined; readonly max?: number | undefined }

type Ranges = { readonly prices: ProductSearch['prices']; readonly incomplete: boolean }

/**
 * Which prices of each currency a filter lets through (C-CAT-01). Its amounts are of the caller's currency, which
 * prices are converted to, or of each price's own where the caller names none. `incomplete`: a rate cannot be told
 * right now, and what it is needed for is left out.
 */
export const rangesOf = async (
  flow: UseCaseContext,
  currencies: readonly string[],
  filter: PriceFilter | undefined,
  target: string | undefined,
): Promise<Ranges> => {
  const known = currencies.filter((currency) => minorDigits(currency) !== undefined)
  if (filter?.min === undefined && filter?.max === undefined)
    return { prices: known.map((currency) => ({ currency, least: 0n, below: undefined })), incomplete: false }
  const bounds = { min: bigintOf(filter.min), max: bigintOf(filter.max) }
  const ranges = known.map(async (currency) => {
    const to = target ?? currency
    const digits = minorDigits(to) ?? refuse('invalid-request', 'context.currency: not a currency of ISO 4217')
    const same = to === currency
    const [fromRate, toRate] = same ? ['1', '1'] : await Promise.all([usdPer(flow, currency), usdPer(flow, to)])
    return { currency, ...pricesWithin(bounds, { from: fromRate, to: toRate, digits, same }) }
  })
  const { there, incomplete } = await thoseAvailable(ranges)
  return { prices: there, incomplete }
}

const usdPer = ({ rates }: UseCaseContext, currency: string): Promise<string> =>
  mustAnswer('the rate source', rates.usdPer(currency))

const bigintOf = (amount: number | undefined): bigint | undefined => (amount === undefined ? undefined : BigInt(amount))
