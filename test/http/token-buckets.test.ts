import test from 'ava'
import fc from 'fast-check'
import { createBuckets } from '../../adapters/http/core/bounds/token-buckets.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'

/** Takes a token at a time; answers the seconds to wait, 0 when there was one. */
const setUp = (perSecond: number, burst: number) => {
  const clock = { ms: 0 }
  const buckets = createBuckets('calls.key', { perSecond, burst }, () => clock.ms)
  const take = (caller = 'a'): number => {
    try {
      buckets.take(caller)
      return 0
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate-limited') return error.retryAfterS ?? -1
      throw error
    }
  }
  return { clock, take }
}

test('a caller may call as often as its bucket holds at once, then as fast as it fills', (t) => {
  const { clock, take } = setUp(2, 3)
  t.deepEqual([take(), take(), take(), take()], [0, 0, 0, 1])
  clock.ms = 499
  t.is(take(), 1)
  clock.ms = 500
  t.deepEqual([take(), take()], [0, 1])
  clock.ms = 3_600_000
  t.deepEqual([take(), take(), take(), take()], [0, 0, 0, 1])
})

test('whoever waits as long as it was told gets through', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), (perSecond, burst) => {
      const { clock, take } = setUp(perSecond, burst)
      for (let n = 0; n < burst; n++) t.is(take(), 0)
      const wait = take()
      t.true(wait >= 1)
      clock.ms += wait * 1_000
      t.is(take(), 0)
    }),
  )
})

test('over any time no more calls pass than the burst and what has flowed in since', (t) => {
  const pauses = fc.array(fc.nat({ max: 400 }), { maxLength: 200 })
  fc.assert(
    fc.property(pauses, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (gaps, perSecond, burst) => {
      const { clock, take } = setUp(perSecond, burst)
      let passed = 0
      for (const gap of gaps) {
        clock.ms += gap
        if (take() === 0) passed++
        t.true(passed <= burst + (clock.ms / 1_000) * perSecond + 1e-6)
      }
    }),
  )
})

test('one caller at its limit takes nothing from another', (t) => {
  const { take } = setUp(1, 1)
  t.deepEqual([take('a'), take('a'), take('b'), take('b')], [0, 1, 0, 1])
})

test('N-09 what is owed or given back changes how long its caller waits, and the refusal has the words of its limit', (t) => {
  const clock = { ms: 0 }
  const buckets = createBuckets('calls.key', { perSecond: 2, burst: 5 }, () => clock.ms, 'Slower, please.')
  const wait = (tokens?: number) => {
    try {
      buckets.take('a', tokens)
      return 0
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      t.is(error.detail, 'Slower, please.')
      return error.retryAfterS
    }
  }
  // One whole token is enough to begin what takes nine: four are owed then.
  t.deepEqual([wait(9), wait()], [0, 3])
  buckets.charge('a', 6)
  t.is(wait(), 6)
  buckets.charge('a', -11)
  t.deepEqual([wait(), wait()], [0, 1])
  // No more than the burst is ever there.
  buckets.charge('a', -50)
  clock.ms = 1
  t.deepEqual([wait(5), wait()], [0, 1])
})
