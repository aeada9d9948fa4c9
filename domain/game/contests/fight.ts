import type { Dice } from '../world/chance.ts'
import { STATS, type Stat, type Stats } from '../world/classes.ts'

/**
 * How two characters fight (G-PVP-02): at most three rounds, each about one stat that the dice name, and the first
 * round that anybody wins decides. So nobody's chance is below 20 or above 80 in 100, whatever they have trained. Three
 * rounds that nobody wins are a draw.
 */
export type Round = {
  readonly stat: Stat
  /** The challenger's chance, out of 100. */
  readonly chance: number
  /** The roll, from 0 on: below `chance` the challenger wins it, from there to 99 the defender, above that nobody. */
  readonly roll: number
  readonly winner: Side | null
}

export type Side = 'challenger' | 'defender'

/**
 * The change of both ratings, as they were when it was fought; it counts only for the first few duels of a pair in a
 * day.
 */
export type RatingChange = { readonly [S in Side]: { readonly before: number; readonly after: number } }

const ROUNDS_MAX = 3
/** Rolls of a round, out of 120, that nobody wins. */
const EVEN = 20
const LEAST_CHANCE = 20
const MOST_CHANCE = 80
/** Points of a stat by which a chance of one half becomes one of 73 in 100. */
const SLOPE = 20
const RATING_STEP = 24
const RATING_SLOPE = 400

export const fight = (dice: Dice, stats: Readonly<Record<Side, Stats>>): readonly Round[] => {
  const rounds: Round[] = []
  while (rounds.length < ROUNDS_MAX && winnerOf(rounds) === null) {
    const stat = STATS[dice.below(STATS.length)] ?? 'luck'
    const chance = winChance(stats.challenger[stat] - stats.defender[stat])
    const roll = dice.below(100 + EVEN)
    rounds.push({ stat, chance, roll, winner: roll < chance ? 'challenger' : roll < 100 ? 'defender' : null })
  }
  return rounds
}

/** The winner of a duel; null for a draw. */
export const winnerOf = (rounds: readonly Round[]): Side | null => rounds.at(-1)?.winner ?? null

/** The chance that a difference of stats gives the challenger, out of 100. */
export const winChance = (difference: number): number =>
  Math.min(MOST_CHANCE, Math.max(LEAST_CHANCE, Math.round(100 / (1 + Math.exp(-difference / SLOPE)))))

/** The change of both ratings: what one side wins, the other loses. */
export const ratingChange = (before: Readonly<Record<Side, number>>, winner: Side | null): RatingChange => {
  const { challenger, defender } = before
  const expected = 1 / (1 + 10 ** ((defender - challenger) / RATING_SLOPE))
  const score = winner === null ? 0.5 : winner === 'challenger' ? 1 : 0
  const change = Math.round(RATING_STEP * (score - expected))
  return {
    challenger: { before: challenger, after: challenger + change },
    defender: { before: defender, after: defender - change },
  }
}

/** The ratings after a duel that does not count. */
export const ratingKept = ({ challenger, defender }: Readonly<Record<Side, number>>): RatingChange => ({
  challenger: { before: challenger, after: challenger },
  defender: { before: defender, after: defender },
})
