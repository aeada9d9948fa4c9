import { weekOf } from './bests.ts'
import { dayOf } from './stakes.ts'
import { type TournamentKind, tournamentKinds } from './world/tournaments.ts'

/** When each tournament is held, which its slug tells: `echo-cup-2026-w47`, `drift-sprint-2026-11-22` (G-TRN-01). */
export type Tournament = TournamentKind & {
  readonly slug: string
  /** Named as `bestIn` names it. */
  readonly window: string
  readonly startsAt: string
  /** The first moment that is not in it any more. */
  readonly endsAt: string
}

export type TournamentState = 'scheduled' | 'open' | 'closed' | 'settled' | 'canceled'

const DAY_MS = 86_400_000
const DAYS = { week: 7, day: 1 } as const

/** Undefined when no tournament is called so. */
export const tournamentOf = (slug: string): Tournament | undefined => {
  const kind = tournamentKinds.find(({ name }) => slug.startsWith(`${name}-`))
  if (!kind) return undefined
  const window = slug.slice(kind.name.length + 1)
  const found = heldOn(kind, firstDayOf(kind, window))
  return found?.window === window ? found : undefined
}

/** Of each kind the one that was held last, the one that is, and the next. */
export const tournamentsAround = (now: string): readonly Tournament[] =>
  [-1, 0, 1].flatMap((step) =>
    tournamentKinds.flatMap((kind) => heldOn(kind, Date.parse(now) + step * DAYS[kind.every] * DAY_MS) ?? []),
  )

/** As it stands by the clock, until it is settled or canceled. */
export const stateAt = ({ startsAt, endsAt }: Pick<Tournament, 'startsAt' | 'endsAt'>, now: string): TournamentState =>
  now < startsAt ? 'scheduled' : now < endsAt ? 'open' : 'closed'

/** The one that is held at a time. */
const heldOn = (kind: TournamentKind, at: number): Tournament | undefined => {
  if (Number.isNaN(at)) return undefined
  const day = Math.floor(at / DAY_MS) * DAY_MS
  const fromMonday = (new Date(day).getUTCDay() + 6) % 7
  const start = kind.every === 'week' ? day - fromMonday * DAY_MS : day
  const startsAt = new Date(start).toISOString()
  const window = kind.every === 'week' ? weekOf(startsAt) : dayOf(startsAt)
  const endsAt = new Date(start + DAYS[kind.every] * DAY_MS).toISOString()
  return { ...kind, slug: `${kind.name}-${window}`, window, startsAt, endsAt }
}

/** A time in the window, as milliseconds; NaN when it is not one. */
const firstDayOf = ({ every }: TournamentKind, window: string): number => {
  if (every === 'day') return /^\d{4}-\d\d-\d\d$/.test(window) ? Date.parse(window) : Number.NaN
  const [, year, week] = /^(\d{4})-w(\d\d)$/.exec(window) ?? []
  // The fourth of January is in the first week of its year.
  return year === undefined ? Number.NaN : Date.UTC(Number(year), 0, 4) + (Number(week) - 1) * 7 * DAY_MS
}
