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

/** The zone whose days are those of UTC. */
export const UTC = 'UTC'

/** A day of a time zone, and the instant at which it begins. */
export type ZoneDay = { readonly day: string; readonly start: string }

/** So many days up to the one that a time is in, as the clocks of a zone show them, the oldest first. */
export const daysUpTo = (clock: ZoneClock, time: string, count: number): readonly ZoneDay[] => {
  const today = dayOf(clock.text(time))
  return Array.from({ length: count }, (_, n) => {
    const day = dayOf(addDays(today, n + 1 - count))
    return { day, start: clock.instantOf(`${day}T00:00:00.000`) }
  })
}

/** The name of a time zone of IANA's database; undefined when nobody knows such a zone. */
export const zoneNamed = (name: string): string | undefined => {
  // An offset such as +01:00 is no zone: it knows no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === UTC ? UTC : name
  } catch {
    return undefined
  }
}

/** A stretch of time in which the clocks of a zone keep one distance from UTC; both in milliseconds. */
type ZoneSpan = { readonly from: number; readonly offset: number }

/** The clocks of one time zone, with daylight saving. */
export type ZoneClock = {
  readonly zone: string
  /** The time as the zone's clocks show it, with its distance from UTC; in UTC it is the same text. */
  text(time: string): string
  /** The first instant at which the zone's clocks show this time or a later one. */
  instantOf(wall: string): string
  /** The spans of all times from one to another, in order; the first one begins at or before `from`. */
  spans(from: string, to: string): readonly ZoneSpan[]
}

export const zoneClock = (zone: string): ZoneClock => {
  if (zone === UTC) return UTC_CLOCK
  const offsetAt = offsetsOf(zone)
  const months = new Map<number, readonly ZoneSpan[]>()

  const spansOf = (month: number): readonly ZoneSpan[] => {
    const known = months.get(month)
    if (known) return known
    if (months.size >= MONTHS_KEPT_MAX) months.clear()
    const found = spansBetween(offsetAt, monthStart(month), monthStart(month + 1))
    months.set(month, found)
    return found
  }
  const spansIn = (from: number, to: number): readonly ZoneSpan[] => {
    const all: ZoneSpan[] = []
    for (let month = monthOf(from); month <= monthOf(to); month++)
      all.push(...spansOf(month).filter(({ offset }, n) => n > 0 || offset !== all.at(-1)?.offset))
    return all.filter((span, n) => span.from <= to && (all[n + 1]?.from ?? Infinity) > from)
  }
  return {
    zone,
    text(time) {
      const at = Date.parse(time)
      return wallText(at, spansIn(at, at)[0]?.offset ?? 0)
    },
    instantOf(wall) {
      const shown = Date.parse(`${wall}Z`)
      const spans = spansIn(shown - OFFSET_MAX_MS, shown + OFFSET_MAX_MS)
      for (const [n, { from, offset }] of spans.entries()) {
        const first = Math.max(from, shown - offset)
        if (first < (spans[n + 1]?.from ?? Infinity)) return new Date(first).toISOString()
      }
      throw new RangeError(`${zone} has no ${wall}`)
    },
    spans: (from, to) => spansIn(Date.parse(from), Date.parse(to)),
  }
}

/** The clocks that events are dated by. */
export const UTC_CLOCK: ZoneClock = {
  zone: UTC,
  text: (time) => time,
  instantOf: (wall) => `${wall}Z`,
  spans: (from) => [{ from: Date.parse(from), offset: 0 }],
}

/** The first and the last millisecond of a day, `2026-11-22`, by the clocks of a zone. */
export const spanOfDay = (clock: ZoneClock, day: string): { readonly from: string; readonly to: string } => {
  const midnight = (of: string) => clock.instantOf(`${of}T00:00:00.000`)
  const to = new Date(Date.parse(midnight(dayOf(addDays(day, 1)))) - 1).toISOString()
  return { from: midnight(day), to }
}

/** A time as clocks show it that are so far from UTC. */
const wallText = (at: number, offset: number): string =>
  `${new Date(at + offset).toISOString().slice(0, -1)}${offsetText(offset)}`

/** `+05:30`; of times before there were zones also seconds. */
export const offsetText = (offset: number): string => {
  const size = new Date(Math.abs(offset)).toISOString().slice(11, 19)
  return `${offset < 0 ? '-' : '+'}${size.replace(/:00$/, '')}`
}

/** No clock is further from UTC, and none was ever turned further at once. */
const OFFSET_MAX_MS = 2 * DAY_MS
/** Between two looks at a clock it is not turned twice. */
const LOOK_MS = DAY_MS
/** Months whose spans are kept: some fifty years. */
const MONTHS_KEPT_MAX = 600

/** Months since the year 0. */
const monthOf = (at: number): number => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth()

const monthStart = (month: number): number => {
  const start = new Date(0)
  start.setUTCFullYear(Math.floor(month / 12), month % 12, 1)
  return start.getTime()
}

/** The spans of a month. */
const spansBetween = (offsetAt: (at: number) => number, from: number, to: number): readonly ZoneSpan[] => {
  const spans = [{ from, offset: offsetAt(from) }]
  for (let at = from; at < to; ) {
    const next = Math.min(at + LOOK_MS, to - 1)
    const offset = offsetAt(next)
    if (offset !== spans.at(-1)?.offset) spans.push({ from: turnBetween(offsetAt, at, next), offset })
    at = next === to - 1 ? to : next
  }
  return spans
}

/** The first millisecond at which the clocks show what they show at `after`. */
const turnBetween = (offsetAt: (at: number) => number, before: number, after: number): number => {
  const offset = offsetAt(after)
  let [early, late] = [before, after]
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(middle) === offset) late = middle
    else early = middle
  }
  return late
}

/** How far the clocks of a zone are from UTC, in milliseconds. */
const offsetsOf = (zone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const year = part.era === 'BC' ? 1 - Number(part.year) : Number(part.year)
    const shown = new Date(0)
    shown.setUTCFullYear(year, Number(part.month) - 1, Number(part.day))
    shown.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second))
    return shown.getTime() - Math.floor(at / 1_000) * 1_000
  }
}
