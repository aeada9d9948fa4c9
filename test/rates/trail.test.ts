import test from 'ava'
import fc from 'fast-check'
import { COIN_RULE, CURRENCY_RULE } from '../../adapters/rates/quotes/median.ts'
import { createTrail, type PricePace } from '../../adapters/rates/quotes/trail.ts'

const HOUR = 3_600_000
const pace = fc.constantFrom(COIN_RULE.pace, CURRENCY_RULE.pace)
const voices = fc.constantFrom('all', 'some')
/** What sources say in turn: most is a small step, some are large. Times are in parts of a pace's period. */
const steps = fc.array(
  fc.record({
    basisPoints: fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -6_000, max: 20_000 })),
    wait: fc.oneof(fc.double({ min: 0, max: 0.1, noNaN: true }), fc.double({ min: 0, max: 5, noNaN: true })),
    voices,
  }),
  { minLength: 1, maxLength: 60 },
)

/** By how much one price is above the other, as a part of the lower one. */
const apart = (one: bigint, other: bigint) => {
  const [low, high] = one < other ? [one, other] : [other, one]
  return Number(((high - low) * 10n ** 12n) / low) / 1e12
}
const rate = ({ basisPoints, periodMs }: PricePace) => Number(basisPoints) / 10_000 / periodMs

test('N-23 a price moves by at most 10 % an hour, and a currency by 10 % a day, in one step or in a thousand', (t) => {
  fc.assert(
    fc.property(pace, steps, (kind, said) => {
      const trail = createTrail(kind)
      const believed: { usd: bigint; at: number }[] = []
      let [at, usd] = [0, 10n ** 15n]
      for (const step of said) {
        at += step.wait * kind.periodMs
        usd = (usd * BigInt(10_000 + step.basisPoints)) / 10_000n
        if (!trail.allows(usd, at, step.voices)) {
          usd = trail.last()?.usd ?? usd
          continue
        }
        trail.keep(usd, at)
        believed.push({ usd, at })
      }
      const [least, part] = [kind.leastAgeMs.all, kind.periodMs / 60]
      for (const [n, later] of believed.entries())
        for (const earlier of believed.slice(0, n)) {
          const age = later.at - earlier.at
          if (age > kind.periodMs) continue
          t.true(apart(later.usd, earlier.usd) <= rate(kind) * Math.max(least, age + part) + 1e-9)
        }
    }),
  )
})

test('N-23 what markets do in minutes passes: 2.5 % where somebody disagrees, 5 % where nobody does', (t) => {
  const within = (part: number) =>
    fc.array(fc.tuple(fc.double({ min: 0, max: part, noNaN: true }), fc.integer({ min: 0, max: 300_000 })))
  for (const [who, part] of [
    ['some', 0.025],
    ['all', 0.05],
  ] as const)
    fc.assert(
      fc.property(within(part), (moves) => {
        const trail = createTrail(COIN_RULE.pace)
        let at = 0
        for (const [above, wait] of moves) {
          at += wait
          const usd = 10n ** 15n + BigInt(Math.floor(above * 1e15))
          t.true(trail.allows(usd, at, who))
          trail.keep(usd, at)
        }
      }),
    )
  const trail = createTrail(COIN_RULE.pace)
  trail.keep(1_000_000n, 0)
  t.deepEqual(
    [1_025_000n, 1_025_001n, 1_050_000n, 1_050_001n].map((usd) => [
      trail.allows(usd, 60_000, 'some'),
      trail.allows(usd, 60_000, 'all'),
    ]),
    [
      [true, true],
      [false, true],
      [false, true],
      [false, false],
    ],
  )
})

test('N-23 a price that really moved is believed again by itself: 10 % away after an hour, twice as much after two', (t) => {
  const trail = createTrail(COIN_RULE.pace)
  trail.keep(1_000_000n, 0)
  for (const who of ['all', 'some'] as const) {
    t.false(trail.allows(1_100_000n, HOUR - 10_000, who))
    t.true(trail.allows(1_100_000n, HOUR, who))
    t.true(trail.allows(1_000_000n, HOUR, who))
    t.false(trail.allows(850_000n, 1.75 * HOUR, who), 'a fall of 15 %: the old price is 17.65 % above the new one')
    t.true(trail.allows(850_000n, 1.77 * HOUR, who))
    t.true(trail.allows(500_000n, 10 * HOUR, who), 'half')
    t.false(trail.allows(400_000n, 10 * HOUR, who), 'it never comes to mean that any price will do')
  }
  fc.assert(
    fc.property(pace, steps, fc.integer({ min: 1, max: 1_000 }), (kind, said, percent) => {
      const moved = createTrail(kind)
      let at = 0
      for (const { wait } of said) {
        at += wait * kind.periodMs
        moved.keep(10n ** 15n, at)
      }
      const usd = 10n ** 15n + BigInt(percent) * 10n ** 13n
      const hours = Math.max(1, percent / 10)
      t.true(moved.allows(usd, at + hours * kind.periodMs + 1, 'some'))
    }),
  )
})
