/** Makes one price out of the prices of several sources. */

import { areWithin, type PricePace } from './trail.ts'

export type Rule = {
  /** An older quote does not count. */
  readonly maxAgeMs: number
  /** Hundredths of a percent by which the highest quote that counts may be above the lowest one. */
  readonly spreadBasisPoints: bigint
  /** Number of sources that must agree; otherwise there is no price. */
  readonly least: number
  /** The pace at which the price may move. */
  readonly pace: PricePace
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Coins: two sources have to agree to 1.5 %, and no quote is older than a minute and a half. The price moves by at most
 * 10 % an hour: by 5 % at once where all of three or more say so, by 2.5 % where one says otherwise or only two say
 * anything.
 */
export const COIN_RULE: Rule = {
  maxAgeMs: 90_000,
  spreadBasisPoints: 150n,
  least: 2,
  pace: { basisPoints: 1_000n, periodMs: HOUR_MS, leastAgeMs: { all: 30 * MINUTE_MS, some: 15 * MINUTE_MS } },
}

/**
 * Currencies are fixed once a day by those who publish them, so one source of at most 26 hours will do; two that are
 * more than 10 % apart, as where a country has two rates, give no rate. For the same reason a rate may move by 10 % at
 * once, which is the move of a whole day.
 */
export const CURRENCY_RULE: Rule = {
  maxAgeMs: 26 * HOUR_MS,
  spreadBasisPoints: 1_000n,
  least: 1,
  pace: { basisPoints: 1_000n, periodMs: DAY_MS, leastAgeMs: { all: DAY_MS, some: DAY_MS } },
}

/**
 * The median of the prices that agree: the largest group whose highest price is not too far above its lowest. Undefined
 * when the group is too small, or not more than half of all. The order of the prices does not matter.
 */
export const agreedMedian = (
  prices: readonly bigint[],
  { spreadBasisPoints, least }: Pick<Rule, 'spreadBasisPoints' | 'least'>,
): { usd: bigint; sources: number } | undefined => {
  const kept = agreeing(prices, { spreadBasisPoints })
  const { length } = kept
  return length > 0 && length >= least && length * 2 > prices.length
    ? { usd: median(kept), sources: length }
    : undefined
}

/** The largest group of prices whose highest is not too far above its lowest, in order. */
export const agreeing = (
  prices: readonly bigint[],
  { spreadBasisPoints }: Pick<Rule, 'spreadBasisPoints'>,
): readonly bigint[] => {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const groups = sorted.map((lowest, n) =>
    sorted.slice(n).filter((price) => areWithin(lowest, price, spreadBasisPoints)),
  )
  return groups.reduce((best, group) => (isBetter(group, best) ? group : best), [])
}

/**
 * Prefers the larger group; of two as large, the one that is closer together; else the lower one, which comes first.
 */
const isBetter = (group: readonly bigint[], best: readonly bigint[]): boolean => {
  if (group.length !== best.length) return group.length > best.length
  const [low = 0n, high = 0n, bestLow = 0n, bestHigh = 0n] = [group[0], group.at(-1), best[0], best.at(-1)]
  return high * bestLow < bestHigh * low
}

/** The median of prices in order; for an even number of them, the mean of the two in the middle, rounded down. */
const median = (sorted: readonly bigint[]): bigint => {
  const upper = sorted.length >> 1
  const lower = sorted.length % 2 === 0 ? upper - 1 : upper
  return ((sorted[lower] ?? 0n) + (sorted[upper] ?? 0n)) / 2n
}
