import { z } from 'zod'
import { stateAt, type Tournament, tournamentsAround } from '../../../../domain/game/contests/tournaments.ts'
import { enterTournament } from '../../../../domain/use-cases/game/tournaments.ts'
import type { EntryRow, TournamentRow } from '../../../../projections/game/game-tournaments.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { CharacterId, linkOfCaller, ofGame, Slug } from './of-game.ts'

/** Weekly and daily tournaments in the mini-games (G-TRN-01, G-TRN-02). */

const Shown = z.object({
  slug: z.string(),
  game: z.string(),
  entry_units: z.int(),
  state: z.enum(['scheduled', 'open', 'closed', 'settled', 'canceled']),
  starts_at: z.string(),
  ends_at: z.string(),
  max_entries: z.int(),
  entries: z.int(),
  prize_pool: z.int(),
  board: z
    .array(z.object({ rank: z.int(), character_id: z.int(), name: z.string(), score: z.int(), at: z.string() }))
    .describe('Entrants who have a score in the window, the best first'),
})

const list = endpoint({
  ...ofGame,
  method: 'get',
  path: '/v1/game/tournaments',
  summary: 'Of each tournament the last, the present and the next one',
  returns: z.object({ tournaments: z.array(Shown) }),
  async answer(request) {
    await linkOfCaller(request, 'game.read')
    const { queries, flow } = request
    const now = flow.world.now().toISOString()
    const around = tournamentsAround(now)
    const slugs = around.map(({ slug }) => slug)
    const [states, entries] = await Promise.all([queries.tournamentStates(slugs), queries.tournamentEntries(slugs)])
    return { tournaments: around.map((tournament) => shown(tournament, { states, entries }, now)) }
  },
})

const enter = endpoint({
  ...ofGame,
  method: 'post',
  path: '/v1/game/tournaments',
  when: { action: 'enter' },
  idempotent: true,
  summary: 'Enter a tournament that is open; the entry lies in escrow until it is settled',
  body: z.object({ action: z.literal('enter'), slug: Slug, character_id: CharacterId }),
  returns: z.object({ escrow_id: z.string(), entry_units: z.int() }),
  refusals: [
    ...ofGame.refusals,
    ...(['character-not-found', 'tournament-not-found', 'tournament-closed', 'tournament-full'] as const),
    ...(['already-entered', 'entry-grant-ceiling', 'insufficient-units', 'busy'] as const),
  ],
  async answer(request) {
    const { flow, once, body } = request
    const player = await linkOfCaller(request, 'game.tournaments.act')
    const { slug, character_id: characterId } = body
    const { entryUnits } = await enterTournament(flow, once, player, { slug, characterId })
    return { escrow_id: `escrow:tournament:${slug}`, entry_units: entryUnits }
  },
})

export const tournamentEndpoints: readonly Endpoint[] = [list, enter]

type Rows = { readonly states: readonly TournamentRow[]; readonly entries: readonly EntryRow[] }

const shown = (tournament: Tournament, rows: Rows, now: string): z.input<typeof Shown> => {
  const { slug, game, entryUnits, startsAt, endsAt, maxEntries } = tournament
  const own = rows.entries.filter((entry) => entry.slug === slug)
  const scored = own.flatMap(({ characterId, name, score, at }) =>
    score === null || at === null ? [] : [{ character_id: characterId, name, score, at }],
  )
  return {
    slug,
    game,
    entry_units: entryUnits,
    state: told(tournament, rows, own.length, now),
    starts_at: startsAt,
    ends_at: endsAt,
    max_entries: maxEntries,
    entries: own.length,
    prize_pool: own.reduce((sum, entry) => sum + entry.entryUnits, 0),
    board: scored.map((each, place) => ({ rank: place + 1, ...each })),
  }
}

/** The state of a tournament. One that has closed without an entry counts as canceled, although nobody canceled it. */
const told = ({ slug, ...tournament }: Tournament, { states }: Rows, entries: number, now: string) => {
  const written = states.find((row) => row.slug === slug)?.state
  if (written === 'settled' || written === 'canceled') return written
  const state = stateAt(tournament, now)
  return state === 'closed' && entries === 0 ? 'canceled' : state
}
