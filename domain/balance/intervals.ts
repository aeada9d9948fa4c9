/** Calendar intervals in UTC. */

export type Interval = 'monthly' | 'weekly'

const WEEK_MS = 7 * 86_400_000

/** So many intervals after a time. A month that is too short gives its last day: the 31st of January and one month is the end of February. */
export const addIntervals = (from: string, interval: Interval, count: number): string =>
  interval === 'weekly' ? new Date(Date.parse(from) + count * WEEK_MS).toISOString() : addMonths(from, count)

export const addMonths = (from: string, count: number): string => {
  const at = new Date(from)
  const day = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + count)
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
  at.setUTCDate(Math.min(day, last))
  return at.toISOString()
}
