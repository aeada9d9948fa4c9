import type { PendingQuery, Row, Sql } from 'postgres'
import { FIRST_RATING } from '../../domain/game/characters/arena.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Duels as their two members list them, and the ladder of all characters (G-PVP-01). */

const duels = {
  name: 'game_duels',
  columns: {
    duel_id: 'text',
    challenger: 'text',
    defender: 'text',
    challenger_member: 'text',
    defender_member: 'text',
    wager_units: 'integer',
    commit: 'text',
    state: 'text',
    challenged_at: 'text',
    expires_at: 'text',
    /** The seed of its dice, told when it is over. */
    seed: 'text',
    request_id: 'text',
    winner: 'text',
  },
  key: ['duel_id'],
  indexes: [
    'challenger_member, challenged_at desc',
    'defender_member, challenged_at desc',
    'challenger_member, state, challenged_at desc',
    'defender_member, state, challenged_at desc',
    'state, expires_at',
  ],
} as const satisfies Table

const ladder = {
  name: 'game_ladder',
  columns: {
    character_id: 'text',
    name: 'text',
    rating: 'integer',
    wins: 'integer',
    losses: 'integer',
    fought: 'boolean',
  },
  key: ['character_id'],
  indexes: ['fought desc, rating desc, wins desc, character_id'],
} as const satisfies Table

export const gameDuelsProjection: Projection = {
  name: 'game-duels',
  version: 2,
  tables: [duels, ladder],
  on: {
    CharacterCreated: ({ data: { characterId, name } }) =>
      put(ladder, {
        character_id: String(characterId),
        name,
        rating: FIRST_RATING,
        wins: 0,
        losses: 0,
        fought: false,
      }),
    GameDuelCounted: ({ stream, data: { result, rating } }) =>
      patch(ladder, [idOf(stream)], ({ wins, losses }) => ({
        rating,
        wins: Number(wins) + (result === 'win' ? 1 : 0),
        losses: Number(losses) + (result === 'loss' ? 1 : 0),
        fought: true,
      })),
    DuelChallenged: ({ stream, data }) =>
      put(duels, {
        duel_id: idOf(stream),
        challenger: String(data.challenger),
        defender: String(data.defender),
        challenger_member: data.challengerMember,
        defender_member: data.defenderMember,
        wager_units: data.wagerUnits,
        commit: data.commit,
        state: 'open',
        challenged_at: data.challengedAt,
        expires_at: data.expiresAt,
        seed: data.seed,
        request_id: null,
        winner: null,
      }),
    DuelResolved: ({ stream, data: { requestId, winner } }) =>
      patch(duels, [idOf(stream)], () => ({
        state: 'resolved',
        request_id: requestId,
        winner: winner && String(winner),
      })),
    DuelDeclined: ({ stream }) => patch(duels, [idOf(stream)], () => ({ state: 'declined' })),
    DuelCanceled: ({ stream }) => patch(duels, [idOf(stream)], () => ({ state: 'canceled' })),
    DuelExpired: ({ stream }) => patch(duels, [idOf(stream)], () => ({ state: 'expired' })),
  },
}

export type DuelRow = {
  duelId: string
  challenger: number
  challengerName: string
  defender: number
  defenderName: string
  challengerMember: string
  wagerUnits: number
  commit: string
  status: 'open' | 'resolved' | 'declined' | 'canceled' | 'expired'
  expiresAt: string
  /** The seed of its dice; null unless the duel was fought. */
  seed: string | null
  requestId: string | null
  winner: number | null
}

export type LadderRow = {
  rank: number
  characterId: number
  name: string
  rating: number
  wins: number
  losses: number
}

export const gameDuelQueries = (sql: Sql) => {
  /** The newest duels of one side, read by an index of their own, so that a long past costs nothing. */
  const newest = (which: PendingQuery<Row[]>, limit: number) =>
    sql`select * from game_duels where ${which} order by challenged_at desc, duel_id limit ${limit}`
  return {
    /**
     * The characters that have fought, the best first; then those that have not, so that everybody finds somebody to
     * challenge.
     */
    duelLadder: (limit: number): Promise<LadderRow[]> => sql<LadderRow[]>`
    select row_number() over (order by fought desc, rating desc, wins desc, character_id)::integer as rank,
      character_id::float8 as "characterId", name, rating, wins, losses
    from game_ladder order by fought desc, rating desc, wins desc, character_id limit ${limit}`,
    /** The duels of one member, made by it or aimed at it: open ones first, then the newest. */
    duelsOf: (member: string, limit: number): Promise<DuelRow[]> => sql<DuelRow[]>`
    with listed as (
      (${newest(sql`challenger_member = ${member} and state = 'open'`, limit)})
      union (${newest(sql`defender_member = ${member} and state = 'open'`, limit)})
      union (${newest(sql`challenger_member = ${member}`, limit)})
      union (${newest(sql`defender_member = ${member}`, limit)})
    )
    select duel_id as "duelId", challenger::float8, defender::float8, c.name as "challengerName", d.name as "defenderName",
      challenger_member as "challengerMember", wager_units as "wagerUnits", commit, state as status, expires_at as "expiresAt",
      case when state = 'resolved' then seed end as seed, request_id as "requestId", winner::float8
    from listed
    join game_ladder c on c.character_id = challenger join game_ladder d on d.character_id = defender
    order by state = 'open' desc, challenged_at desc, duel_id limit ${limit}`,
    /** Number of duels that a member has offered and that wait for an answer, counted up to a limit. */
    async openDuelsBy(member: string, now: string, limit: number): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from (
        select 1 from game_duels
        where challenger_member = ${member} and state = 'open' and expires_at > ${now}
        order by challenged_at desc limit ${limit}
      ) waiting`
      return row?.count ?? 0
    },
    async duelsDue(now: string, limit: number): Promise<string[]> {
      const rows = await sql<{ duelId: string }[]>`
      select duel_id as "duelId" from game_duels where state = 'open' and expires_at <= ${now}
      order by expires_at limit ${limit}`
      return rows.map(({ duelId }) => duelId)
    },
  }
}
