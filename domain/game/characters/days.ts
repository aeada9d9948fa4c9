import { dayBefore, dayOf } from '../../kernel/calendar.ts'
import type { Character } from './character-state.ts'

/** The first thing that a character does on a day (UTC) brings a training point; days in a row are its streak. */

export type DayEvents = { GameDayBegun: { day: string; streak: number } }

const POINTS_PER_DAY = 1

/** The event of a new day, if it is one, and the character as it is then. */
export const today = (character: Character, now: string) => {
  const day = dayOf(now)
  if (day <= character.day) return { character, begun: [] }
  const data = { day, streak: character.day === dayBefore(now) ? character.streak + 1 : 1 }
  return { character: withDay(character, data), begun: [{ type: 'GameDayBegun', data } as const] }
}

/** A member's streak is its best character's; a row that missed a whole day is over. */
export const streaksOf = (characters: readonly Character[], now: string) => {
  const going = characters.filter(({ day }) => day >= dayBefore(now))
  return {
    current: Math.max(0, ...going.map(({ streak }) => streak)),
    best: Math.max(0, ...characters.map(({ bestStreak }) => bestStreak)),
    lastDay: characters.map(({ day }) => day).reduce((a, b) => (a > b ? a : b), '') || undefined,
  }
}

export const withDay = (character: Character, { day, streak }: DayEvents['GameDayBegun']): Character => ({
  ...character,
  day,
  streak,
  bestStreak: Math.max(character.bestStreak, streak),
  trainingPoints: character.trainingPoints + POINTS_PER_DAY,
})
