import type { FeedKind } from './feed-kinds.ts'

/**
 * A guild takes in members who do what it cares about, and has three tiers (G-ME-01). Nobody applies: what was done
 * counts.
 */
export type Guild = {
  readonly title: string
  readonly kinds: readonly FeedKind[]
  /** The number of such feed entries that each tier takes. */
  readonly tiers: Readonly<Record<Tier, number>>
}

/** The tiers, the lowest first. */
export const TIERS = ['bronze', 'silver', 'gold'] as const
export type Tier = (typeof TIERS)[number]

const guild = (
  title: string,
  kinds: readonly FeedKind[],
  [bronze, silver, gold]: readonly [number, number, number],
) => ({
  title,
  kinds,
  tiers: { bronze, silver, gold },
})

export const guilds: Readonly<Record<string, Guild>> = {
  'the-couriers': guild('The Couriers', ['mission-succeeded'], [5, 40, 200]),
  'the-lamplighters': guild('The Lamplighters', ['scan-claimed'], [5, 30, 150]),
  'the-tinkers': guild('The Tinkers', ['invention-accepted'], [1, 8, 30]),
  'the-steady-hands': guild('The Steady Hands', ['game-finished'], [10, 80, 400]),
  'the-open-court': guild('The Open Court', ['duel-won'], [3, 20, 100]),
  'the-long-table': guild('The Long Table', ['tournament-won', 'tournament-placed'], [1, 5, 20]),
}

/** The highest of several tiers. */
export const highestOf = (reached: readonly Tier[]): Tier | undefined =>
  TIERS.findLast((tier) => reached.includes(tier))
