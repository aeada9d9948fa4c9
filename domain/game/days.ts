import type { Character } from './character-state.ts'
import { dayOf } from './stakes.ts'

/** The first thing that a character does on a day (UTC) brings a training point; days in a row are its streak. */

export type DayEvents = { GameDayBegun: { day: string; streak: number } }

const DAY_MS = 86_400_000
const POINTS_PER_DAY = 1

/** The event of a new day, if it is one, and the character as it is then. */
export const today = (character: Character, now: string) => {
  const day = dayOf(now)
  if (day <= character.day) return { character, begun: [] }
  const yesterday = dayOf(new Date(Date.parse(day) - DAY_MS).toISOString())
  const data = { day, streak: character.day === yesterday ? character.streak + 1 : 1 }
  return { character: withDay(character, data), begun: [{ type: 'GameDayBegun', data } as const] }
}

export const withDay = (character: Character, { day, streak }: DayEvents['GameDayBegun']): Character => ({
  ...character,
  day,
  streak,
  bestStreak: Math.max(character.bestStreak, streak),
  trainingPoints: character.trainingPoints + POINTS_PER_DAY,
})
