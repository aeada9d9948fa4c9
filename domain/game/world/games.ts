/** The mini-games that there are, and what they bring. How each is played stands in `domain/game/games`. */

export const GAMES = ['signal-echo', 'lane-drift', 'salvage-sort', 'three-doors'] as const
export type GameSlug = (typeof GAMES)[number]

export const isGame = (slug: string): slug is GameSlug => GAMES.some((game) => game === slug)
