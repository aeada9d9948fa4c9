/** Days, weeks and seasons of the game, all in UTC. Their names sort as they follow each other. */

export const EVERY = ['day', 'week', 'season'] as const
export type Every = (typeof EVERY)[number]

/** From `startsAt` on, up to but not including `endsAt`. */
export type Period = { readonly slug: string; readonly startsAt: string; readonly endsAt: string }

const DAY_MS = 86_400_000
const WEEK_DAYS = 7
const SEASON_MONTHS = 3

/** The period that a time is in: a day as `2026-03-02`, a week by its Monday as `week-2026-03-02`, a quarter of the year as `2026-q1`. */
export const periodOf = (every: Every, time: string): Period => {
  const day = Date.parse(time.slice(0, 10))
  if (every === 'day') return period(isoDay(day), day, day + DAY_MS)
  if (every === 'week') {
    const monday = day - ((new Date(day).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS) * DAY_MS
    return period(`week-${isoDay(monday)}`, monday, monday + WEEK_DAYS * DAY_MS)
  }
  const year = Number(time.slice(0, 4))
  const quarter = Math.floor((Number(time.slice(5, 7)) - 1) / SEASON_MONTHS)
  const [from, to] = [quarter, quarter + 1].map((each) => Date.UTC(year, each * SEASON_MONTHS)) as [number, number]
  return period(`${time.slice(0, 4)}-q${quarter + 1}`, from, to)
}

const period = (slug: string, from: number, to: number): Period => ({
  slug,
  startsAt: new Date(from).toISOString(),
  endsAt: new Date(to).toISOString(),
})

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
