import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The inventions of members (G-INV-01), with their kinds of fragments: novelty is counted from these. */

const inventions = {
  name: 'game_inventions',
  columns: {
    invention_id: 'text',
    member: 'text',
    character_id: 'text',
    name: 'text',
    thesis: 'text',
    state: 'text',
    score: 'integer',
    royalty_units: 'integer',
    kinds: 'text',
    proposed_at: 'text',
    // Its place in the ledger's own order.
    place: 'bigint',
  },
  key: ['invention_id'],
  indexes: ['member, place desc', 'kinds, state'],
} as const satisfies Table

export const gameInventionsProjection: Projection = {
  name: 'game-inventions',
  version: 1,
  tables: [inventions],
  on: {
    // The verdict follows in the same append.
    InventionProposed: ({ stream, order, data: { inventionId, member, name, thesis, proposedAt } }) =>
      put(inventions, {
        invention_id: String(inventionId),
        member,
        character_id: idOf(stream),
        name,
        thesis,
        state: 'rejected',
        score: 0,
        royalty_units: 0,
        kinds: '',
        proposed_at: proposedAt,
        place: String(order),
      }),
    InventionJudged: ({ data: { inventionId, state, score, royaltyUnits, kinds } }) =>
      patch(inventions, [String(inventionId)], () => ({ state, score, royalty_units: royaltyUnits, kinds })),
  },
}

export type InventionRow = {
  inventionId: string
  /** The name; it is sealed, and so is the thesis. */
  name: string
  thesis: string
  state: 'accepted' | 'rejected'
  score: number
  royaltyUnits: number
}

export const gameInventionQueries = (sql: Sql) => ({
  /** The inventions of a member, newest first. */
  inventionsOf: (member: string, limit: number): Promise<InventionRow[]> => sql<InventionRow[]>`
    select invention_id as "inventionId", name, thesis, state, score, royalty_units as "royaltyUnits"
    from game_inventions where member = ${member} order by place desc limit ${limit}`,
  /** How many inventions of exactly these kinds were accepted, counted up to a limit. */
  async inventionsAccepted(kinds: string, limit: number): Promise<number> {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from (
        select 1 from game_inventions where kinds = ${kinds} and state = 'accepted' limit ${limit}
      ) found`
    return row?.count ?? 0
  },
})
