import test from 'ava'
import { medianInterval } from '../../bench/ratio.ts'

/** Of 11 values the interval lies between the 2nd and 3rd from each end, 92 % of the way towards the 3rd. */
const INWARD = 0.9178

test('the interval of a median is that of the literature, whatever the order of the values', (t) => {
  const { median, low, high } = medianInterval([11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6])
  t.is(median, 6)
  t.true(Math.abs(low - (2 + INWARD)) < 1e-4, String(low))
  t.true(Math.abs(high - (10 - INWARD)) < 1e-4, String(high))
})

test('one wild round moves neither the median nor its interval', (t) => {
  const calm = medianInterval([1.01, 0.99, 1, 1.02, 0.98, 1, 1.01, 0.99, 1, 1.03, 0.97])
  const wild = medianInterval([1.01, 0.99, 1, 1.02, 0.98, 1, 1.01, 0.99, 1, 50, 0.97])
  t.deepEqual(wild, calm)
})

test('the interval covers the true median in about 95 of 100 runs, and is not much wider than that takes', (t) => {
  const random = randomOf(7)
  for (const rounds of [6, 11, 20]) {
    let covered = 0
    const RUNS = 4_000
    for (let run = 0; run < RUNS; run++) {
      // Skewed as times are, with the median 1.
      const { low, high } = medianInterval(Array.from({ length: rounds }, () => 2 * random() ** 2 + 0.5))
      if (low <= 1 && high >= 1) covered++
    }
    t.true(covered > 0.94 * RUNS && covered < 0.97 * RUNS, `${covered} of ${RUNS} with ${rounds} rounds`)
  }
})

test('fewer values than an interval takes are refused', (t) => {
  t.throws(() => medianInterval([1, 1, 1, 1, 1]), { instanceOf: RangeError, message: /6 values or more, not 5/ })
})

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
