import type { Skill } from '../world/classes.ts'
import { type FragmentSlug, fragmentKinds, type Rarity } from '../world/fragments.ts'

/** What makes an invention good, in points; a hundred is the best there is. */
const inventionRules = {
  /** Points for each kind of fragment in it, counted once. */
  rarity: { common: 7, uncommon: 13, rare: 22, mythic: 34 } satisfies Readonly<Record<Rarity, number>>,
  rarityMost: 50,
  /** Points when every fragment goes with a skill that was named, and every skill with a fragment. */
  fitMost: 30,
  /** Points when nobody in the world has made one of the same kinds before. */
  noveltyMost: 20,
  /** Percent of novelty that each one that was accepted before takes away. */
  wornByEach: 25,
  acceptedFrom: 60,
  royalty: { perRarityPoint: 1, perPointAbove: 2 },
} as const

/**
 * How good an invention is: it follows from its fragments, its skills and what was invented before, and from nothing
 * else.
 */
export type Score = {
  readonly state: 'accepted' | 'rejected'
  /** The sum of rarity, fit and a fifth of novelty, from 0 to 100. */
  readonly score: number
  readonly rarity: number
  readonly fit: number
  /** The novelty in percent; a fifth of it counts. */
  readonly novelty: number
  readonly reasons: readonly Reason[]
  /** Units that the house pays for it. */
  readonly royaltyUnits: number
}

type Reason =
  | 'rare-fragments'
  | 'plain-fragments'
  | 'skills-fit'
  | 'skills-do-not-fit'
  | 'idle-skill'
  | 'novel'
  | 'well-known'

/** The kinds in a set of fragments, each once and in one order: what novelty is counted by. */
export const kindsOf = (fragments: readonly FragmentSlug[]): string => [...new Set(fragments)].sort().join('+')

/** Number of inventions of the same kinds after which one more is not novel at all; nobody counts further. */
export const WORN_OUT = Math.ceil(100 / inventionRules.wornByEach)

/**
 * `usedBefore`: how many inventions of the same kinds were accepted before, in the whole world; counted up to
 * `WORN_OUT`.
 */
export const scoreOf = (fragments: readonly FragmentSlug[], skills: readonly Skill[], usedBefore: number): Score => {
  const rarity = Math.min(sum([...new Set(fragments)].map(pointsOf)), inventionRules.rarityMost)
  const wanted = fragments.map((slug): Skill => fragmentKinds[slug].skill)
  const matched = wanted.filter((skill) => skills.includes(skill)).length
  const used = skills.filter((skill) => wanted.includes(skill)).length
  const fit = Math.floor((inventionRules.fitMost * matched * used) / (wanted.length * skills.length))
  const novelty = Math.max(0, 100 - inventionRules.wornByEach * usedBefore)
  const score = rarity + fit + Math.floor((inventionRules.noveltyMost * novelty) / 100)
  const isAccepted = score >= inventionRules.acceptedFrom
  const above = inventionRules.royalty.perPointAbove * (score - inventionRules.acceptedFrom)
  return {
    state: isAccepted ? 'accepted' : 'rejected',
    score,
    rarity,
    fit,
    novelty,
    royaltyUnits: isAccepted ? inventionRules.royalty.perRarityPoint * rarity + above : 0,
    reasons: [
      rarity * 2 >= inventionRules.rarityMost ? 'rare-fragments' : 'plain-fragments',
      fit * 2 >= inventionRules.fitMost ? 'skills-fit' : 'skills-do-not-fit',
      ...(used < skills.length ? (['idle-skill'] as const) : []),
      novelty >= 50 ? 'novel' : 'well-known',
    ],
  }
}

const pointsOf = (slug: FragmentSlug): number => inventionRules.rarity[fragmentKinds[slug].rarity]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
