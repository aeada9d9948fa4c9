/** Calendar intervals in UTC. */

export type Interval = 'monthly' | 'weekly'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** So many intervals after a time. A month that is too short gives its last day: the 31st of January and one month is the end of February. */
export const addIntervals = (from: string, interval: Interval, count: number): string =>
  interval === 'weekly' ? addDays(from, 7 * count) : addMonths(from, count)

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
