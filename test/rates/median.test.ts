import test from 'ava'
import fc from 'fast-check'
import { agreedMedian, COIN_RULE, CURRENCY_RULE } from '../../adapters/rates/quotes/median.ts'

const price = fc.bigInt({ min: 1n, max: 10n ** 27n })
/** Prices near each other, as those of exchanges are, with now and then a wild one. */
const prices = fc
  .tuple(price, fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 6 }), fc.array(price, { maxLength: 2 }))
  .map(([middle, near, wild]) => [
    ...near.map((basisPoints) => (middle * BigInt(10_000 + basisPoints)) / 10_000n),
    ...wild,
  ])
  .map((all) => all.filter((usd) => usd > 0n))
const rule = fc.constantFrom(COIN_RULE, CURRENCY_RULE)

test('N-23 the price does not depend on the order of the sources', (t) => {
  fc.assert(
    fc.property(prices, rule, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (all, kind, chance) => {
      const mixed = all
        .map((usd) => ({ usd, key: chance.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ usd }) => usd)
      t.deepEqual(agreedMedian(mixed, kind), agreedMedian(all, kind))
    }),
  )
})

test('N-23 those who agree on a price are more than half of all, and the highest of them is near the lowest', (t) => {
  fc.assert(
    fc.property(prices, rule, (all, kind) => {
      const found = agreedMedian(all, kind)
      if (!found) return
      const { usd, sources } = found
      t.true(sources >= kind.least && sources <= all.length && sources * 2 > all.length)
      const percent = 10_000n + kind.spreadBasisPoints
      const groups = all.map((lowest) => all.filter((each) => each >= lowest && each * 10_000n <= lowest * percent))
      t.is(Math.max(...groups.map(({ length }) => length)), sources)
      t.true(
        groups.some(
          (group) => group.length === sources && group.some((each) => each <= usd) && group.some((each) => each >= usd),
        ),
      )
    }),
  )
})

test('N-23 what all sources say is the price, to the last of any number of digits', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 60n }), fc.integer({ min: 2, max: 9 }), (usd, count) => {
      t.deepEqual(agreedMedian(Array<bigint>(count).fill(usd), COIN_RULE), { usd, sources: count })
    }),
  )
})

test('N-23 one who is far off is left out, and two who are far apart are no price', (t) => {
  t.deepEqual(agreedMedian([1_000n, 1_010n, 2_000n], COIN_RULE), { usd: 1_005n, sources: 2 })
  t.deepEqual(agreedMedian([1_000n, 1_014n, 1_015n, 1n], COIN_RULE), { usd: 1_014n, sources: 3 })
  t.deepEqual(agreedMedian([984n, 1_000n, 1_016n], COIN_RULE), undefined)
  t.deepEqual(agreedMedian([1_000n, 1_040n], COIN_RULE), undefined)
  t.deepEqual(agreedMedian([1_000n, 1_000n, 1_100n, 1_100n], COIN_RULE), undefined)
  for (const few of [[], [1_000n]]) t.is(agreedMedian(few, COIN_RULE), undefined)
  t.deepEqual(agreedMedian([1_000n], CURRENCY_RULE), { usd: 1_000n, sources: 1 })
  t.deepEqual(agreedMedian([1_000n, 1_100n], CURRENCY_RULE), { usd: 1_050n, sources: 2 })
  t.is(agreedMedian([1_000n, 1_120n], CURRENCY_RULE), undefined)
  t.is(agreedMedian([], CURRENCY_RULE), undefined)
})

test('N-23 all who agree lie within 1.5 %: two whose prices are 3 % apart do not agree because a third is between them', (t) => {
  t.deepEqual(agreedMedian([985n, 1_000n, 1_015n], COIN_RULE), { usd: 1_007n, sources: 2 }, 'the two that are closer')
  t.deepEqual(agreedMedian([985n, 985n, 1_015n, 1_015n, 1_000n], COIN_RULE), { usd: 1_015n, sources: 3 })
  t.is(agreedMedian([985n, 985n, 1_015n, 1_015n], COIN_RULE), undefined)
  t.deepEqual(agreedMedian([1_000n, 1_015n], COIN_RULE), { usd: 1_007n, sources: 2 })
  t.is(agreedMedian([1_000n, 1_016n], COIN_RULE), undefined)
})

test('N-23 two who agree are no price where as many or more say otherwise', (t) => {
  t.deepEqual(agreedMedian([1_000n, 1_000n, 2_000n], COIN_RULE), { usd: 1_000n, sources: 2 })
  t.is(agreedMedian([1_000n, 1_000n, 2_000n, 3_000n], COIN_RULE), undefined)
  t.is(agreedMedian([1_000n, 1_000n, 2_000n, 3_000n, 4_000n], COIN_RULE), undefined)
})
