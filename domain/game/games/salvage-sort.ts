import { rules, times } from './rules.ts'

/**
 * Crates drift out of a wreck, and the hold takes half of their mass; the player takes those that are worth most
 * together.
 */

export type Haul = { readonly hold: number; readonly crates: readonly Crate[] }
type Crate = { readonly mass: number; readonly worth: number }

const ROUNDS = 6
const CRATES = 5
const MASS_MAX = 9
const WORTH_MAX = 20
const POINTS_BEST = 100

export const salvageSort = rules<Haul>({
  deal: (dice) =>
    times(ROUNDS, () => {
      const crates = times(CRATES, () => ({ mass: 1 + dice.below(MASS_MAX), worth: 1 + dice.below(WORTH_MAX) }))
      return { hold: Math.max(Math.floor(sum(crates, 'mass') / 2), lightest(crates)), crates }
    }),
  shown: ({ hold, crates }) => ({ hold, crates: crates.map((crate, n) => ({ crate: letter(n), ...crate })) }),
  points(haul, input) {
    if (typeof input !== 'string' || !/^[a-e]+$/.test(input) || new Set(input).size !== input.length) return undefined
    const worth = worthOf(haul, (n) => input.includes(letter(n)))
    return Math.floor((POINTS_BEST * worth) / best(haul))
  },
})

/** The worth of the crates that were taken; nothing when they are too heavy together. */
const worthOf = ({ hold, crates }: Haul, taken: (n: number) => boolean): number => {
  const load = crates.filter((_, n) => taken(n))
  return sum(load, 'mass') > hold ? 0 : sum(load, 'worth')
}

/** The most that crates in the hold can be worth: five crates can be taken in 32 ways. */
const best = (haul: Haul): number =>
  Math.max(...times(2 ** CRATES, (ways) => worthOf(haul, (n) => Math.floor(ways / 2 ** n) % 2 === 1)))

const sum = (crates: readonly Crate[], field: keyof Crate): number =>
  crates.reduce((total, crate) => total + crate[field], 0)

const lightest = (crates: readonly Crate[]): number => Math.min(...crates.map(({ mass }) => mass))

const letter = (n: number): string => 'abcde'.charAt(n)
