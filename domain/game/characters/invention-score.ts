import type { Skill } from '../world/classes.ts'
import { type FragmentSlug, fragmentKinds } from '../world/fragments.ts'
import { inventionRules as rules } from '../world/invention-rules.ts'

/**
 * How good an invention is: it follows from its fragments, its skills and what was invented before, and from nothing
 * else.
 */
export type Score = {
  readonly state: 'accepted' | 'rejected'
  /** From 0 to 100: the sum of the three below. */
  readonly score: number
  readonly rarity: number
  readonly fit: number
  /** Percent; a fifth of it counts. */
  readonly novelty: number
  readonly reasons: readonly Reason[]
  /** What the house pays for it. */
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

/** Inventions of the same kinds after which one more is not novel at all: nobody counts further. */
export const WORN_OUT = Math.ceil(100 / rules.wornByEach)

/**
 * `usedBefore`: how many inventions of the same kinds were accepted before, in the whole world, and no more than wear
 * one out.
 */
export const scoreOf = (fragments: readonly FragmentSlug[], skills: readonly Skill[], usedBefore: number): Score => {
  const rarity = Math.min(sum([...new Set(fragments)].map(pointsOf)), rules.rarityMost)
  const wanted = fragments.map((slug): Skill => fragmentKinds[slug].skill)
  const matched = wanted.filter((skill) => skills.includes(skill)).length
  const used = skills.filter((skill) => wanted.includes(skill)).length
  const fit = Math.floor((rules.fitMost * matched * used) / (wanted.length * skills.length))
  const novelty = Math.max(0, 100 - rules.wornByEach * usedBefore)
  const score = rarity + fit + Math.floor((rules.noveltyMost * novelty) / 100)
  const isAccepted = score >= rules.acceptedFrom
  const above = rules.royalty.perPointAbove * (score - rules.acceptedFrom)
  return {
    state: isAccepted ? 'accepted' : 'rejected',
    score,
    rarity,
    fit,
    novelty,
    royaltyUnits: isAccepted ? rules.royalty.perRarityPoint * rarity + above : 0,
    reasons: [
      rarity * 2 >= rules.rarityMost ? 'rare-fragments' : 'plain-fragments',
      fit * 2 >= rules.fitMost ? 'skills-fit' : 'skills-do-not-fit',
      ...(used < skills.length ? (['idle-skill'] as const) : []),
      novelty >= 50 ? 'novel' : 'well-known',
    ],
  }
}

const pointsOf = (slug: FragmentSlug): number => rules.rarity[fragmentKinds[slug].rarity]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
