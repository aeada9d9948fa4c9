/** The kinds of entries in the feed of a member's game; quests and guilds count some of them (G-FED-01, G-QST-01). */

export const FEED_KINDS = [
  'character-created',
  'day-begun',
  'stat-trained',
  'travel-begun',
  'mission-started',
  'mission-succeeded',
  'mission-failed',
  'scan-started',
  'scan-claimed',
  'game-started',
  'game-finished',
  'game-burnt',
  'studio-ordered',
  'studio-done',
  'studio-refunded',
  'invention-accepted',
  'invention-rejected',
  'duel-offered',
  'duel-declined',
  'duel-canceled',
  'duel-expired',
  'duel-won',
  'duel-lost',
  'duel-drawn',
  'tournament-entered',
  'tournament-won',
  'tournament-placed',
  'tournament-lost',
  'units-staked',
  'units-received',
  'quest-claimed',
] as const

export type FeedKind = (typeof FEED_KINDS)[number]

/** The kinds that move units of the member. */
export const MOVEMENTS = ['units-staked', 'units-received', 'quest-claimed'] as const satisfies readonly FeedKind[]
