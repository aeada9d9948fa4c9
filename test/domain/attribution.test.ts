import test from 'ava'
import fc from 'fast-check'
import { runs } from '../support/depth.ts'
import { type Ask, openMarket } from './market.ts'

/**
 * Thousands of buyers at addresses that are shared: nobody is credited with the payment of somebody else (Q-55, N-21).
 */

const ADDRESS = (n: number) => `0x${String(n).padStart(40, '0')}`

/** What a buyer does with what it was asked for. */
const habits = {
  /** The exact amount, after so many minutes; nine of ten post no hash. */
  pays: 60,
  /** The round price, as it stands on the door: it belongs to nobody. */
  'types the price': 6,
  /** Off by one in the last place, as a wallet that rounds does. */
  'rounds it': 3,
  /** Cut off after some places. */
  'cuts it off': 4,
  /** An exchange takes a round fee from what was to be paid. */
  'loses a fee': 4,
  'pays more': 4,
  'pays twice': 4,
  /** After the challenge has expired, up to a day. */
  'pays late': 6,
  /** The round price before it ever asked, and posts that hash afterwards. */
  'paid before': 4,
  /** Posts the hash of whatever anybody has paid. */
  steals: 8,
  leaves: 4,
}
type Habit = keyof typeof habits
const habit = fc.oneof(
  ...Object.entries(habits).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Habit) })),
)

const buyer = fc.record({
  habit,
  product: fc.nat(2),
  wait: fc.nat(2),
  slow: fc.integer({ min: 0, max: 50 }),
  late: fc.integer({ min: 61, max: 1_440 }),
  anonymous: fc.boolean(),
  posts: fc.boolean(),
})

test('Q-55 N-21 X-REPLAY-01 J-CHL-03 of thousands of buyers, odd, equal, late, early and thieves, none is credited with another’s payment', async (t) => {
  let settled = 0
  let buyers = 0
  const { failed, seed, errorInstance } = await fc.check(
    fc.asyncProperty(
      fc.array(buyer, { minLength: 250, maxLength: 250 }),
      fc.integer({ min: 1, max: 6 }),
      fc.string({ minLength: 4, maxLength: 8 }),
      async (crowd, addresses, seed) => {
        const list = Array.from({ length: addresses }, (_, n) => ADDRESS(n + 1))
        const market = await openMarket(seed, list, ['10000000', '9000000', '10000000'])
        const plans = new Map<number, (() => Promise<unknown>)[]>()
        const at = (minute: number, act: () => Promise<unknown>) =>
          plans.set(minute, [...(plans.get(minute) ?? []), act])
        const paid: string[] = []
        let now = 0
        for (const [n, b] of crowd.entries()) {
          now += b.wait
          at(now, async () => {
            const ask = await market.ask(n, b.product, b.anonymous)
            if (ask) live(ask, b)
          })
        }
        /** The rest of a buyer's life, planned when it has been asked. */
        const live = (ask: Ask, b: (typeof crowd)[number]) => {
          const asked = BigInt(ask.entry.amount)
          const here = market.minutes()
          const pays = (minute: number, amount: bigint, mine = true) =>
            at(minute, async () => {
              const tx = market.pay(ask.entry.payTo, amount, mine ? ask.challengeId : undefined)
              paid.push(tx)
              if (b.posts) at(minute + 3, () => market.verify(ask.challengeId, tx))
            })
          const acts: Readonly<Record<Habit, () => void>> = {
            pays: () => pays(here + 1 + b.slow, asked),
            'types the price': () => pays(here + 1 + b.slow, asked - (asked % 1_000_000n)),
            'rounds it': () => pays(here + 1 + b.slow, b.posts ? asked - 1n : asked + 1n),
            'cuts it off': () => pays(here + 1 + b.slow, asked - (asked % 10n ** BigInt(1 + (b.slow % 4)))),
            'loses a fee': () => pays(here + 1 + b.slow, asked - 1_000_000n),
            'pays more': () => pays(here + 1 + b.slow, asked + 5_000n),
            'pays twice': () =>
              [b.slow, b.slow + 2].forEach((minute) => {
                pays(here + 1 + minute, asked)
              }),
            'pays late': () => pays(here + b.late, asked),
            'paid before': () => pays(here, 10_000_000n, false),
            steals: () =>
              [2, 5, 9].forEach((minute) => {
                at(here + minute, async () => {
                  for (const tx of paid.slice(-5)) await market.verify(ask.challengeId, tx)
                })
              }),
            leaves: () => {},
          }
          acts[b.habit]()
        }
        for (const last = () => Math.max(...plans.keys(), 0); market.minutes() <= last() + 5; ) {
          for (const act of plans.get(market.minutes()) ?? []) await act()
          plans.delete(market.minutes())
          await market.tick()
        }
        const [wrong] = await market.wrong()
        if (wrong) throw new Error(`credited by another: ${JSON.stringify(wrong)}`)
        settled += await market.count('ChallengeSettled')
        buyers += crowd.length
      },
    ),
    // A whole crowd says nothing to a reader, so it is not shrunk: the seed makes it again.
    { numRuns: runs({ quick: 10, deep: 60 }), endOnFailure: true },
  )
  t.false(failed, `seed ${seed}: ${String(errorInstance).slice(0, 500)}`)
  t.log(`${buyers} buyers, ${settled} settlements`)
  t.true(settled > buyers / 2)
})

test('Q-55 X-REPLAY-01 what somebody paid too little for something dearer settles nothing that is cheaper', async (t) => {
  const market = await openMarket('theft', [ADDRESS(1)], ['10000000', '9000000'])
  const [dear, cheap] = [await market.ask(1, 0, true), await market.ask(2, 1, true)]
  const tx = market.pay(ADDRESS(1), 9_500_000n, dear?.challengeId)
  for (let n = 0; n < 3; n++) await market.tick()
  t.is(await market.verify(cheap?.challengeId ?? '', tx), 'payment-not-matching')
  t.is(await market.count('ChallengeSettled'), 0)
})
