import type { FeedKind } from './feed-kinds.ts'
import type { Every } from './periods.ts'

/** What a member can set itself to do in a day, a week or a season, and what it is given for it (G-QST-01). */
export type Quest = {
  readonly title: string
  readonly every: Every
  /** The feed entries that count; `target` of them have to be in the period. */
  readonly kinds: readonly FeedKind[]
  readonly target: number
  readonly units: number
}

const quest = (
  [title, every]: readonly [string, Every],
  kinds: readonly FeedKind[],
  [target, units]: readonly [number, number],
): Quest => ({ title, every, kinds, target, units })

export const quests: Readonly<Record<string, Quest>> = {
  'two-errands': quest(['Bring two missions home', 'day'], ['mission-succeeded'], [2, 10]),
  'a-bit-stronger': quest(['Train a stat', 'day'], ['stat-trained'], [1, 5]),
  'eyes-open': quest(['Scan two places', 'day'], ['scan-claimed'], [2, 10]),
  'warm-hands': quest(['Finish three games of skill', 'day'], ['game-finished'], [3, 10]),
  'steady-crew': quest(['Bring ten missions home', 'week'], ['mission-succeeded'], [10, 60]),
  'far-and-back': quest(['Travel five times', 'week'], ['travel-begun'], [5, 30]),
  'open-hand': quest(['Fight three duels to the end', 'week'], ['duel-won', 'duel-lost', 'duel-drawn'], [3, 40]),
  'one-bright-idea': quest(['Have an invention accepted', 'week'], ['invention-accepted'], [1, 50]),
  'long-voyage': quest(['Bring sixty missions home', 'season'], ['mission-succeeded'], [60, 400]),
  'every-light': quest(['Scan forty places', 'season'], ['scan-claimed'], [40, 300]),
  'on-the-boards': quest(['Enter five tournaments', 'season'], ['tournament-entered'], [5, 250]),
}

export const questOf = (slug: string): Quest | undefined => (Object.hasOwn(quests, slug) ? quests[slug] : undefined)

/** The points that each feed entry brings in a season. */
export const SEASON_POINTS: { readonly [K in FeedKind]?: number } = {
  'mission-succeeded': 10,
  'mission-failed': 2,
  'scan-claimed': 8,
  'game-finished': 5,
  'invention-accepted': 40,
  'duel-won': 20,
  'duel-drawn': 10,
  'duel-lost': 5,
  'tournament-entered': 10,
  'tournament-placed': 50,
  'tournament-won': 100,
  'quest-claimed': 15,
}

/** The least points of each tier of a season, the highest first; below the last there is none. */
export const SEASON_TIERS = [
  ['gold', 2_000],
  ['silver', 750],
  ['bronze', 200],
] as const

export type SeasonTier = (typeof SEASON_TIERS)[number][0]

export const seasonTier = (points: number): SeasonTier | undefined =>
  SEASON_TIERS.find(([, least]) => points >= least)?.[0]
