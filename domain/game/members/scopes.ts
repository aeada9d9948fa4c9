/**
 * What a member may let a seller's key do in the game (G-GEN-02), and which scopes spend game units and so need a grant
 * as well (G-GEN-03).
 */

export const GAME_SCOPES = [
  'game.read',
  'game.characters.read',
  'game.characters.act',
  'game.explore.act',
  'game.games.act',
  'game.pvp.act',
  'game.pvp.wager',
  'game.tournaments.act',
  'game.tournament.entry',
  'game.inventions.propose',
  'game.studio.spend',
  'game.feed.read',
] as const

export const SPEND_SCOPES = ['game.studio.spend', 'game.pvp.wager', 'game.tournament.entry'] as const

export type GameScope = (typeof GAME_SCOPES)[number]
export type SpendScope = (typeof SPEND_SCOPES)[number]

/** Units a day, for each scope that spends; one that is not there is a grant of nothing. */
export type Grants = { readonly [S in SpendScope]?: number }

/** The most that a member can grant for a day, in units. */
export const GRANT_MAX_UNITS = 1_000_000
