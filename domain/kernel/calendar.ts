/** Times and days as ISO 8601 text in UTC. */

export type Interval = 'monthly' | 'weekly'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/**
 * The time that is so many intervals after another. A month that is too short gives its last day: the 31st of January
 * and one month is the end of February.
 */
export const addIntervals = (from: string, interval: Interval, count: number): string =>
  interval === 'weekly' ? addDays(from, WEEK_DAYS * count) : addMonths(from, count)

export const addMinutes = (from: string, count: number): string =>
  new Date(Date.parse(from) + count * MINUTE_MS).toISOString()

export const addDays = (from: string, count: number): string =>
  new Date(Date.parse(from) + count * DAY_MS).toISOString()

export const addMonths = (from: string, count: number): string => {
  const at = new Date(from)
  const day = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + count)
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
  at.setUTCDate(Math.min(day, last))
  return at.toISOString()
}

/** The day that a time is in: `2026-11-22`. */
export const dayOf = (time: string): string => time.slice(0, 10)

export const dayBefore = (time: string): string => dayOf(addDays(dayOf(time), -1))

/** The Monday of the week that a time is in, as a day. */
export const mondayOf = (time: string): string => {
  const day = dayOf(time)
  return dayOf(addDays(day, -((new Date(day).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS)))
}

/** The ISO week of a time, `2026-w47`: the week, from Monday, that has its Thursday in the year. */
export const weekOf = (time: string): string => {
  const thursday = addDays(mondayOf(time), 3)
  const year = thursday.slice(0, 4)
  const week = 1 + Math.floor((Date.parse(thursday) - Date.parse(year)) / (WEEK_DAYS * DAY_MS))
  return `${year}-w${String(week).padStart(2, '0')}`
}
