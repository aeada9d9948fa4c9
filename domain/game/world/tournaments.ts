import type { GameSlug } from './games.ts'

/**
 * The tournaments that there are: each is held anew in every week or on every day (UTC), and goes by the best score of
 * one mini-game in it.
 */
export type TournamentKind = {
  readonly name: string
  readonly game: GameSlug
  readonly every: 'week' | 'day'
  /** Units to stake for an entry. A tournament of 0 is open to everybody, and has no prize. */
  readonly entryUnits: number
  readonly maxEntries: number
}

export const tournamentKinds: readonly TournamentKind[] = [
  { name: 'echo-cup', game: 'signal-echo', every: 'week', entryUnits: 25, maxEntries: 64 },
  { name: 'salvage-cup', game: 'salvage-sort', every: 'week', entryUnits: 10, maxEntries: 64 },
  { name: 'drift-sprint', game: 'lane-drift', every: 'day', entryUnits: 5, maxEntries: 32 },
  { name: 'doors-sprint', game: 'three-doors', every: 'day', entryUnits: 0, maxEntries: 32 },
]
