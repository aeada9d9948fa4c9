import { addDays, dayOf, weekOf } from '../../kernel/calendar.ts'
import { periodOf } from '../world/periods.ts'
import { type TournamentKind, tournamentKinds } from '../world/tournaments.ts'

/** When each tournament is held, which its slug tells: `echo-cup-2026-w47`, `drift-sprint-2026-11-22` (G-TRN-01). */
export type Tournament = TournamentKind & {
  readonly slug: string
  /** The window of the scores that count, as `bestIn` names it. */
  readonly window: string
  readonly startsAt: string
  /** The first moment after it. */
  readonly endsAt: string
}

/** The terms that have to be known at its end, even when the list of tournaments has changed by then. */
export type TournamentTerms = Pick<Tournament, 'game' | 'window' | 'endsAt'>

export type TournamentState = 'scheduled' | 'open' | 'closed' | 'settled' | 'canceled'

const DAYS = { week: 7, day: 1 } as const

/** The tournament of a slug; undefined when there is none. */
export const tournamentOf = (slug: string): Tournament | undefined => {
  const kind = tournamentKinds.find(({ name }) => slug.startsWith(`${name}-`))
  if (!kind) return undefined
  const window = slug.slice(kind.name.length + 1)
  const time = timeIn(kind, window)
  const found = time === undefined ? undefined : heldAt(kind, time)
  return found?.window === window ? found : undefined
}

/** The terms that its events keep, or else those of today. */
export const heldAs = (slug: string, kept: TournamentTerms | undefined): TournamentTerms | undefined => {
  const { game, window, endsAt } = tournamentOf(slug) ?? {}
  return kept ?? (game && window && endsAt ? { game, window, endsAt } : undefined)
}

/** The last, the present and the next tournament of each kind. */
export const tournamentsAround = (now: string): readonly Tournament[] =>
  [-1, 0, 1].flatMap((step) => tournamentKinds.map((kind) => heldAt(kind, addDays(now, step * DAYS[kind.every]))))

/** Its state by the clock, until it is settled or canceled. */
export const stateAt = ({ startsAt, endsAt }: Pick<Tournament, 'startsAt' | 'endsAt'>, now: string): TournamentState =>
  now < startsAt ? 'scheduled' : now < endsAt ? 'open' : 'closed'

/** The tournament of a kind that is held at a time. */
const heldAt = (kind: TournamentKind, time: string): Tournament => {
  const window = kind.every === 'week' ? weekOf(time) : dayOf(time)
  const { startsAt, endsAt } = periodOf(kind.every, time)
  return { ...kind, slug: `${kind.name}-${window}`, window, startsAt, endsAt }
}

/**
 * A time in a window, if its name has the form of one in this millennium. The 31st of February is read as a day in
 * March, and so lies in another window.
 */
const timeIn = ({ every }: TournamentKind, window: string): string | undefined => {
  if (every === 'day') {
    const isDay = /^2\d{3}-\d\d-\d\d$/.test(window) && !Number.isNaN(Date.parse(window))
    return isDay ? addDays(window, 0) : undefined
  }
  const [, year, week] = /^(2\d{3})-w(\d\d)$/.exec(window) ?? []
  // The fourth of January is in the first week of its year.
  return year === undefined ? undefined : addDays(`${year}-01-04`, (Number(week) - 1) * DAYS.week)
}
