import { addDays, dayOf, weekOf } from '../../kernel/calendar.ts'
import { periodOf } from '../world/periods.ts'
import { type TournamentKind, tournamentKinds } from '../world/tournaments.ts'

/** When each tournament is held, which its slug tells: `echo-cup-2026-w47`, `drift-sprint-2026-11-22` (G-TRN-01). */
export type Tournament = TournamentKind & {
  readonly slug: string
  /** Named as `bestIn` names it. */
  readonly window: string
  readonly startsAt: string
  /** The first moment that is not in it any more. */
  readonly endsAt: string
}

/** What of it has to be known at its end, whatever the world has become meanwhile. */
export type TournamentTerms = Pick<Tournament, 'game' | 'window' | 'endsAt'>

export type TournamentState = 'scheduled' | 'open' | 'closed' | 'settled' | 'canceled'

const DAYS = { week: 7, day: 1 } as const

/** Undefined when no tournament is called so. */
export const tournamentOf = (slug: string): Tournament | undefined => {
  const kind = tournamentKinds.find(({ name }) => slug.startsWith(`${name}-`))
  if (!kind) return undefined
  const window = slug.slice(kind.name.length + 1)
  const time = timeIn(kind, window)
  const found = time === undefined ? undefined : heldAt(kind, time)
  return found?.window === window ? found : undefined
}

/** As its events keep it, or else as the world has it now. */
export const heldAs = (slug: string, kept: TournamentTerms | undefined): TournamentTerms | undefined => {
  const { game, window, endsAt } = tournamentOf(slug) ?? {}
  return kept ?? (game && window && endsAt ? { game, window, endsAt } : undefined)
}

/** Of each kind the one that was held last, the one that is, and the next. */
export const tournamentsAround = (now: string): readonly Tournament[] =>
  [-1, 0, 1].flatMap((step) => tournamentKinds.map((kind) => heldAt(kind, addDays(now, step * DAYS[kind.every]))))

/** As it stands by the clock, until it is settled or canceled. */
export const stateAt = ({ startsAt, endsAt }: Pick<Tournament, 'startsAt' | 'endsAt'>, now: string): TournamentState =>
  now < startsAt ? 'scheduled' : now < endsAt ? 'open' : 'closed'

/** The one that is held at a time. */
const heldAt = (kind: TournamentKind, time: string): Tournament => {
  const window = kind.every === 'week' ? weekOf(time) : dayOf(time)
  const { startsAt, endsAt } = periodOf(kind.every, time)
  return { ...kind, slug: `${kind.name}-${window}`, window, startsAt, endsAt }
}

/**
 * A time in the window, if it is written as one of this millennium; the 31st of February is one in March, and so in
 * another window.
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
