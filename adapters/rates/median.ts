/** One price out of what several sources say. */

export type Rule = {
  /** An older quote does not count. */
  readonly maxAgeMs: number
  /** Hundredths of a percent off the median, beyond which a quote does not count. */
  readonly bandBasisPoints: bigint
  /** As many must be left, else there is no price. */
  readonly least: number
}

/** Coins: two who agree to 1.5 %, and no quote is older than a minute and a half. */
export const COIN_RULE: Rule = { maxAgeMs: 90_000, bandBasisPoints: 150n, least: 2 }

/**
 * Currencies are fixed once a day by those who publish them, so one source of at most 26 hours will do; two that are 10 % apart, as where a
 * country has two rates, are none.
 */
export const CURRENCY_RULE: Rule = { maxAgeMs: 26 * 3_600_000, bandBasisPoints: 500n, least: 1 }

/** The median of those who are near the median of all; undefined when too few are. The order of the prices does not matter. */
export const agreed = (
  prices: readonly bigint[],
  { bandBasisPoints, least }: Pick<Rule, 'bandBasisPoints' | 'least'>,
): { usd: bigint; sources: number } | undefined => {
  if (prices.length < least || prices.length === 0) return undefined
  const middle = median(prices)
  const kept = prices.filter((price) => isNear(price, middle, bandBasisPoints))
  return kept.length >= least && kept.length > 0 ? { usd: median(kept), sources: kept.length } : undefined
}

export const isNear = (price: bigint, middle: bigint, basisPoints: bigint): boolean =>
  (price > middle ? price - middle : middle - price) * 10_000n <= middle * basisPoints

/** Of an even number the mean of the two in the middle, rounded down. */
const median = (prices: readonly bigint[]): bigint => {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const upper = sorted.length >> 1
  const lower = sorted.length % 2 === 0 ? upper - 1 : upper
  return ((sorted[lower] ?? 0n) + (sorted[upper] ?? 0n)) / 2n
}
