import type { Rarity } from './fragments.ts'

/** What makes an invention good, in points; a hundred is the best there is. */
export const inventionRules = {
  /** For each kind of fragment in it, once. */
  rarity: { common: 7, uncommon: 13, rare: 22, mythic: 34 } satisfies Readonly<Record<Rarity, number>>,
  rarityMost: 50,
  /** When every fragment goes with a skill that was named, and every skill with a fragment. */
  fitMost: 30,
  /** When nobody in the world has made one of the same kinds before. */
  noveltyMost: 20,
  /** Percent of novelty that each one that was accepted before takes away. */
  wornByEach: 25,
  acceptedFrom: 60,
  royalty: { perRarityPoint: 1, perPointAbove: 2 },
} as const
