import { addDays, addMonths, dayOf, mondayOf } from '../../kernel/calendar.ts'

/** Days, weeks and seasons of the game, all in UTC. Their names sort as they follow each other. */

export const EVERY = ['day', 'week', 'season'] as const
export type Every = (typeof EVERY)[number]

/** A time from `startsAt` on, up to but not including `endsAt`. */
export type Period = { readonly slug: string; readonly startsAt: string; readonly endsAt: string }

const SEASON_MONTHS = 3

/**
 * The period that a time is in: a day as `2026-03-02`, a week by its Monday as `week-2026-03-02`, a quarter of the year
 * as `2026-q1`.
 */
export const periodOf = (every: Every, time: string): Period => {
  const day = dayOf(time)
  if (every === 'day') return { slug: day, startsAt: addDays(day, 0), endsAt: addDays(day, 1) }
  const monday = mondayOf(time)
  if (every === 'week') return { slug: `week-${monday}`, startsAt: addDays(monday, 0), endsAt: addDays(monday, 7) }
  const year = time.slice(0, 4)
  const quarter = Math.floor((Number(time.slice(5, 7)) - 1) / SEASON_MONTHS)
  const startsAt = addMonths(year, quarter * SEASON_MONTHS)
  return { slug: `${year}-q${quarter + 1}`, startsAt, endsAt: addMonths(startsAt, SEASON_MONTHS) }
}
