import { rules, times } from './rules.ts'

/**
 * One of three doors opens. The player is told each one's odds, out of twelve, and its prize, and chooses once; which
 * one opens was drawn by these odds before, and is told with the seed.
 */

export type Hall = { readonly odds: readonly number[]; readonly prizes: readonly number[]; readonly opens: number }

const ROUNDS = 8
const DOORS = 3
const ODDS_OF = 12
const PRIZE_MIN = 20
const PRIZE_MAX = 100

export const threeDoors = rules<Hall>({
  deal: (dice) =>
    times(ROUNDS, () => {
      // Each door gets one part in twelve; two cuts share out the rest.
      const cuts = times(DOORS - 1, () => dice.below(ODDS_OF - DOORS + 1))
      const [low, high] = [Math.min(...cuts), Math.max(...cuts)]
      const odds = [low + 1, high - low + 1, ODDS_OF - DOORS - high + 1]
      const prizes = times(DOORS, () => PRIZE_MIN + dice.below(PRIZE_MAX - PRIZE_MIN + 1))
      return { odds, prizes, opens: drawn(odds, dice.below(ODDS_OF)) }
    }),
  shown: ({ odds, prizes }) => ({ doors: odds.map((each, n) => ({ odds: each, prize: prizes[n] })) }),
  points({ prizes, opens }, input) {
    if (typeof input !== 'number' || !Number.isInteger(input)) return undefined
    const prize = prizes[input]
    return prize === undefined ? undefined : input === opens ? prize : 0
  },
})

/** The door whose part of the twelve a roll falls into. */
const drawn = ([first = 0, second = 0]: readonly number[], roll: number): number =>
  roll < first ? 0 : roll < first + second ? 1 : 2
