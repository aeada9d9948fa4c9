import { dayOf } from '../../kernel/calendar.ts'
import type { Arena, DuelRecord } from './arena.ts'
import type { Character } from './character-state.ts'

/**
 * A character's wins and losses, and its rating, which only a few duels a day against the same character change
 * (G-PVP-02).
 */

export type RecordEvents = {
  /** `rating` is the one that it has from here on. */
  GameDuelCounted: {
    duelId: string
    opponent: number
    result: DuelResult
    rated: boolean
    rating: number
    foughtAt: string
    position: string
  }
}

export type RecordCommands = {
  /**
   * Comes from one ordered policy: a duel up to a counted position is not counted again. `change` is that of the
   * rating, for a duel that counts.
   */
  countDuel: {
    duelId: string
    opponent: number
    result: DuelResult
    change: number
    foughtAt: string
    position: string
  }
}

export type DuelResult = 'win' | 'loss' | 'draw'

/** Duels of one pair in one day (UTC) that change ratings. */
const RATED_PER_PAIR = 3
/** Opponents of one day that are told apart; a duel against yet another one changes no rating. */
const OPPONENTS_MAX = 100

/** Whether one more duel against this character, on the day of `now`, changes the rating. */
export const isRated = ({ rated }: Pick<Arena, 'rated'>, opponent: number, now: string): boolean => {
  const by = rated.day < dayOf(now) ? {} : rated.by
  const fought = by[opponent]
  return fought === undefined ? Object.keys(by).length < OPPONENTS_MAX : fought < RATED_PER_PAIR
}

export const countDuel = (character: Character, { change, ...duel }: RecordCommands['countDuel']) => {
  if (BigInt(duel.position) <= character.counted) return []
  const rated = isRated(character, duel.opponent, duel.foughtAt)
  const data = { ...duel, rated, rating: character.rating + (rated ? change : 0) }
  return [{ type: 'GameDuelCounted', data } as const]
}

export const recordAfter = {
  GameDuelCounted: (
    character: Character,
    { opponent, result, rated, rating, foughtAt, position }: RecordEvents['GameDuelCounted'],
  ): Character => ({
    ...character,
    rating,
    record: plusOne(character.record, result),
    rated: rated ? withRated(character.rated, opponent, dayOf(foughtAt)) : character.rated,
    counted: BigInt(position),
  }),
}

const plusOne = ({ wins, losses, draws }: DuelRecord, result: DuelResult): DuelRecord => ({
  wins: wins + (result === 'win' ? 1 : 0),
  losses: losses + (result === 'loss' ? 1 : 0),
  draws: draws + (result === 'draw' ? 1 : 0),
})

const withRated = (rated: Arena['rated'], opponent: number, day: string): Arena['rated'] => {
  const kept = rated.day < day ? { day, by: {} as Arena['rated']['by'] } : rated
  return { day: kept.day, by: { ...kept.by, [opponent]: (kept.by[opponent] ?? 0) + 1 } }
}
