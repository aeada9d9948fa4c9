import type { Skill } from './classes.ts'

/** Fragments: they are found on missions and in exploration, and inventions are made of them. */

export const RARITIES = ['common', 'uncommon', 'rare', 'mythic'] as const
export type Rarity = (typeof RARITIES)[number]

export type FragmentKind = { readonly rarity: Rarity; readonly skill: Skill }

export const fragmentKinds = {
  'cracked-sextant': { rarity: 'common', skill: 'cartography' },
  'copper-coil': { rarity: 'common', skill: 'tinkering' },
  'seed-pod': { rarity: 'common', skill: 'botany' },
  'hull-plate': { rarity: 'common', skill: 'salvage' },
  'trade-seal': { rarity: 'common', skill: 'negotiation' },
  'ion-vane': { rarity: 'common', skill: 'piloting' },
  'prism-shard': { rarity: 'uncommon', skill: 'optics' },
  'echo-crystal': { rarity: 'uncommon', skill: 'signals' },
  'star-chart': { rarity: 'uncommon', skill: 'cartography' },
  'living-wire': { rarity: 'uncommon', skill: 'tinkering' },
  'night-orchid': { rarity: 'uncommon', skill: 'botany' },
  'gravity-knot': { rarity: 'rare', skill: 'piloting' },
  'ghost-lens': { rarity: 'rare', skill: 'optics' },
  'sunken-ledger': { rarity: 'rare', skill: 'negotiation' },
  'first-beacon': { rarity: 'mythic', skill: 'signals' },
  'harbour-heart': { rarity: 'mythic', skill: 'salvage' },
} as const satisfies Readonly<Record<string, FragmentKind>>

export type FragmentSlug = keyof typeof fragmentKinds

export const slugsOf = (rarity: Rarity): readonly FragmentSlug[] =>
  (Object.keys(fragmentKinds) as FragmentSlug[]).filter((slug) => fragmentKinds[slug].rarity === rarity)
