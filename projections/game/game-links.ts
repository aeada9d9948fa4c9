import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/**
 * The member and the link of each code that a key claims a link by. What a link may do is read from the ledger
 * itself.
 */

const links = {
  name: 'game_links',
  columns: {
    link_id: 'text',
    member: 'text',
    code_hash: 'text',
    state: 'text',
    expires_at: 'text',
  },
  key: ['link_id'],
  indexes: ['code_hash'],
} as const satisfies Table

export const gameLinksProjection: Projection = {
  name: 'game_links',
  version: 1,
  tables: [links],
  on: {
    GameLinkCodeMade: ({ stream, data: { linkId, codeHash, expiresAt } }) =>
      put(links, {
        link_id: linkId,
        member: idOf(stream),
        code_hash: codeHash,
        state: 'offered',
        expires_at: expiresAt,
      }),
    GameLinkClaimed: ({ data }) => patch(links, [data.linkId], () => ({ state: 'claimed' })),
    GameLinkRevoked: ({ data }) => patch(links, [data.linkId], () => ({ state: 'revoked' })),
  },
}

export type GameLinkRow = {
  linkId: string
  /** The member's sub. */
  member: string
  state: 'offered' | 'claimed' | 'revoked'
  expiresAt: string
}

export const gameLinkQueries = (sql: Sql) => ({
  gameLinkByCode: async (codeHash: string): Promise<GameLinkRow | undefined> => {
    const [row] = await sql<GameLinkRow[]>`
      select link_id as "linkId", member, state, expires_at as "expiresAt" from game_links where code_hash = ${codeHash}`
    return row
  },
})
