import type { Sql } from 'postgres'
import type { GameSlug } from '../../domain/game/world/games.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, put, type Table } from '../engine/projection.ts'

/** The best that each character has scored in each mini-game, so that a player learns its place among all. */

const bests = {
  name: 'game_bests',
  columns: { game: 'text', character_id: 'text', score: 'integer' },
  key: ['game', 'character_id'],
  indexes: ['game, score'],
} as const satisfies Table

export const gameBestsProjection: Projection = {
  name: 'game_bests',
  version: 1,
  tables: [bests],
  on: {
    GameRunFinished: ({ stream, data: { slug, best } }) =>
      put(bests, { game: slug, character_id: idOf(stream), score: best }),
  },
}

export const gameBestQueries = (sql: Sql) => ({
  /** How many characters have scored more, counted up to a limit. */
  gameBetterThan: async (game: GameSlug, score: number, limit: number): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from (
        select 1 from game_bests where game = ${game} and score > ${score} limit ${limit}
      ) better`
    return row?.count ?? 0
  },
})
