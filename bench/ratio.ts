/** The ratio of a figure of two versions over some rounds: its median, and the ends of the median's interval. */
export type Interval = {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Below this many values the 95 % interval of a median would have no ends. */
export const ROUNDS_MIN = 6
const COVERAGE = 0.95

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2
}

/**
 * The median with its 95 % interval by order statistics, whatever the values are distributed like. From the k-th value
 * to the k-th from the top is the sign test's interval; its coverage jumps from one k to the next (98.8 % and 93.5 %
 * for 11 values), so the ends lie between two of them, after Hettmansperger and Sheather (1986). It is the same each
 * time for the same values.
 */
export const medianInterval = (values: readonly number[]): Interval => {
  const n = values.length
  if (n < ROUNDS_MIN) throw new RangeError(`a 95 % interval takes ${ROUNDS_MIN} values or more, not ${n}`)
  const sorted = values.toSorted((a, b) => a - b)
  let k = 1
  while (coverage(n, k + 1) >= COVERAGE) k++
  const [wide, narrow] = [coverage(n, k), coverage(n, k + 1)]
  const share = (wide - COVERAGE) / (wide - narrow)
  const inward = ((n - k) * share) / (k + (n - 2 * k) * share)
  const between = (outer: number, inner: number) =>
    (1 - inward) * (sorted[outer] ?? Number.NaN) + inward * (sorted[inner] ?? Number.NaN)
  return { median: median(sorted), low: between(k - 1, k), high: between(n - k, n - k - 1) }
}

/**
 * The probability that the median of a distribution lies between the k-th lowest and the k-th highest of n values drawn
 * from it.
 */
const coverage = (n: number, k: number): number => {
  let below = 0
  let ways = 1
  for (let i = 0; i < k; i++) {
    below += ways
    ways = (ways * (n - i)) / (i + 1)
  }
  return 1 - (2 * below) / 2 ** n
}
