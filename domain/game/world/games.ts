/** The mini-games that there are, and what they bring. How each is played stands in `domain/game/games`. */

export const GAMES = ['signal-echo', 'lane-drift', 'salvage-sort', 'three-doors'] as const
export type GameSlug = (typeof GAMES)[number]

export type Game = {
  readonly title: string
  readonly kind: 'memory' | 'reaction' | 'sorting' | 'chance'
  /** The most points that the rules allow. */
  readonly maxPlausible: number
  /** Runs of one character in a day (UTC); a run counts when it is begun. */
  readonly playsPerDay: number
  /** The score that brings all of the experience and units; less brings its share. */
  readonly fullAt: number
  readonly xp: number
  readonly units: number
}

export const games: Readonly<Record<GameSlug, Game>> = {
  'signal-echo': {
    title: 'Signal echo',
    kind: 'memory',
    maxPlausible: 520,
    playsPerDay: 5,
    fullAt: 520,
    xp: 30,
    units: 18,
  },
  'lane-drift': {
    title: 'Lane drift',
    kind: 'reaction',
    maxPlausible: 920,
    playsPerDay: 5,
    fullAt: 800,
    xp: 30,
    units: 18,
  },
  'salvage-sort': {
    title: 'Salvage sort',
    kind: 'sorting',
    maxPlausible: 600,
    playsPerDay: 5,
    fullAt: 600,
    xp: 30,
    units: 18,
  },
  // Nobody opens every door: half of the most is a very good run.
  'three-doors': {
    title: 'Three doors',
    kind: 'chance',
    maxPlausible: 800,
    playsPerDay: 5,
    fullAt: 400,
    xp: 30,
    units: 18,
  },
}

export const isGame = (slug: string): slug is GameSlug => GAMES.some((game) => game === slug)
