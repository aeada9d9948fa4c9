import type { Sql } from 'postgres'
import { heldAs } from '../../domain/game/contests/tournaments.ts'
import { dayOf, weekOf } from '../../domain/kernel/calendar.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table, upsert } from '../engine/projection.ts'

/**
 * Tournaments that somebody has entered, their entrants, and what every character has scored best in each week and day
 * (G-TRN-01).
 */

const tournaments = {
  name: 'game_tournaments',
  columns: { slug: 'text', state: 'text', ends_at: 'text' },
  key: ['slug'],
  indexes: ['state, ends_at'],
} as const satisfies Table

const entries = {
  name: 'game_entries',
  columns: {
    slug: 'text',
    member: 'text',
    character_id: 'text',
    game: 'text',
    held: 'text',
    entry_units: 'integer',
    entered_at: 'text',
  },
  key: ['slug', 'member'],
} as const satisfies Table

const bests = {
  name: 'game_window_bests',
  columns: { character_id: 'text', game: 'text', held: 'text', score: 'integer', scored_at: 'text' },
  key: ['character_id', 'game', 'held'],
} as const satisfies Table

export const gameTournamentsProjection: Projection = {
  name: 'game-tournaments',
  version: 2,
  tables: [tournaments, entries, bests],
  on: {
    TournamentEntered: ({ data: { slug, member, characterId, entryUnits, enteredAt, held } }) => {
      // A tournament whose end nobody can tell any more is due at once, so that its stakes go back.
      const { game = '', window = '', endsAt = '' } = heldAs(slug, held) ?? {}
      return [
        upsert(tournaments, { slug, state: 'open', ends_at: endsAt }, (row) => row),
        put(entries, {
          slug,
          member,
          character_id: String(characterId),
          entry_units: entryUnits,
          entered_at: enteredAt,
          game,
          held: window,
        }),
      ]
    },
    TournamentClosed: ({ stream }) =>
      upsert(tournaments, { slug: idOf(stream), state: 'closed', ends_at: endOf(stream) }, () => ({ state: 'closed' })),
    TournamentSettled: ({ stream }) => patch(tournaments, [idOf(stream)], () => ({ state: 'settled' })),
    TournamentCanceled: ({ stream }) =>
      upsert(tournaments, { slug: idOf(stream), state: 'canceled', ends_at: endOf(stream) }, () => ({
        state: 'canceled',
      })),
    GameRunFinished: ({ stream, data: { slug: game, score, finishedAt } }) =>
      [weekOf(finishedAt), dayOf(finishedAt)].map((held) =>
        upsert(bests, { character_id: idOf(stream), game, held, score: -1, scored_at: finishedAt }, (before) =>
          Number(before.score) < score ? { score, scored_at: finishedAt } : {},
        ),
      ),
  },
}

const endOf = (stream: string) => heldAs(idOf(stream), undefined)?.endsAt ?? ''

export type TournamentRow = { slug: string; state: 'open' | 'closed' | 'settled' | 'canceled' }
export type EntryRow = {
  slug: string
  characterId: number
  name: string
  entryUnits: number
  /** The best score; null for an entrant who has not scored yet. */
  score: number | null
  at: string | null
}

export const gameTournamentQueries = (sql: Sql) => ({
  tournamentStates: (slugs: readonly string[]): Promise<TournamentRow[]> => sql<TournamentRow[]>`
    select slug, state from game_tournaments where slug in ${sql(slugs)}`,
  /** Entries, those with the best scores first; of the same score, the earlier one. */
  tournamentEntries: (slugs: readonly string[]): Promise<EntryRow[]> => sql<EntryRow[]>`
    select e.slug, e.character_id::float8 as "characterId", coalesce(l.name, '') as name, entry_units as "entryUnits",
      score, scored_at as at
    from game_entries e
    left join game_window_bests b on b.character_id = e.character_id and b.game = e.game and b.held = e.held
    left join game_ladder l on l.character_id = e.character_id
    where e.slug in ${sql(slugs)}
    order by e.slug, score desc nulls last, scored_at, entered_at, e.member`,
  async tournamentsDue(before: string, limit: number): Promise<string[]> {
    const rows = await sql<{ slug: string }[]>`
      select slug from game_tournaments where state in ('open', 'closed') and ends_at <= ${before} order by ends_at limit ${limit}`
    return rows.map(({ slug }) => slug)
  },
})
