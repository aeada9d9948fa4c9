import type { Rarity } from './fragments.ts'
import type { Galaxy } from './galaxies.ts'

/**
 * The nodes that there are to explore. A scan takes its time, whether it fails or not, and the node then rests; a
 * failed one still brings a fifth of the experience.
 */
export type Node = {
  readonly name: string
  readonly galaxy: Galaxy
  readonly danger: number
  readonly scanMinutes: number
  /** Minutes that the node rests, counted from the end of a scan. */
  readonly cooldownMinutes: number
  readonly xp: number
  readonly units: number
  /** The chance, out of 100, of a fragment of each rarity; a scan never finds more than one. */
  readonly finds: { readonly [R in Rarity]?: number }
  /** The level that opens it to a character, and the nodes that the character has to find first. */
  readonly opensAt: { readonly level: number; readonly after: readonly string[] }
}

const node = (
  [name, galaxy, danger]: readonly [string, Galaxy, number],
  [scanMinutes, cooldownMinutes, xp, units]: readonly [number, number, number, number],
  finds: Node['finds'],
  level = 1,
  ...after: readonly string[]
): Node => ({ name, galaxy, danger, scanMinutes, cooldownMinutes, xp, units, finds, opensAt: { level, after } })

export const nodes = {
  'tidal-shelf': node(['The tidal shelf', 'lantern', 4], [5, 45, 15, 6], { common: 40 }),
  'lamp-graveyard': node(['The lamp graveyard', 'lantern', 10], [8, 75, 25, 10], { common: 45, uncommon: 5 }),
  'hollow-buoy': node(['The hollow buoy', 'lantern', 16], [12, 120, 40, 16], { common: 40, uncommon: 12 }),
  'keepers-stair': node(["The keeper's stair", 'lantern', 24], [15, 180, 60, 22], { uncommon: 30 }, 2, 'hollow-buoy'),
  'noon-mirror': node(['The noon mirror', 'meridian', 14], [8, 75, 30, 10], { common: 40, uncommon: 10 }),
  'glass-orchard': node(['The glass orchard', 'meridian', 20], [12, 120, 45, 17], { common: 25, uncommon: 22 }),
  'brass-ravine': node(['The brass ravine', 'meridian', 28], [20, 180, 75, 28], { uncommon: 30, rare: 4 }, 3),
  'quiet-sundial': node(
    ['The quiet sundial', 'meridian', 36],
    [20, 240, 90, 31],
    { uncommon: 25, rare: 10 },
    ...([4, 'glass-orchard'] as const),
  ),
  'drowned-cranes': node(['The drowned cranes', 'old-harbour', 24], [15, 120, 55, 26], { common: 30, uncommon: 20 }),
  'salt-archive': node(['The salt archive', 'old-harbour', 34], [20, 180, 80, 38], { uncommon: 30, rare: 8 }, 3),
  'sealed-dock': node(
    ['The sealed dock', 'old-harbour', 44],
    [30, 300, 130, 58],
    { uncommon: 25, rare: 15, mythic: 1 },
    ...([5, 'drowned-cranes', 'salt-archive'] as const),
  ),
  'verge-marker': node(['The last marker', 'the-verge', 36], [20, 150, 85, 36], { uncommon: 30, rare: 8 }, 4),
  'silent-choir': node(
    ['The silent choir', 'the-verge', 48],
    [30, 300, 140, 60],
    { uncommon: 20, rare: 18, mythic: 2 },
    ...([6, 'verge-marker'] as const),
  ),
  'unlit-door': node(
    ['The unlit door', 'the-verge', 60],
    [45, 480, 220, 95],
    { rare: 28, mythic: 6 },
    ...([8, 'silent-choir', 'sealed-dock'] as const),
  ),
} as const satisfies Readonly<Record<string, Node>>

export type NodeSlug = keyof typeof nodes

export const NODES = Object.keys(nodes) as readonly NodeSlug[]

export const isNode = (slug: string): slug is NodeSlug => Object.hasOwn(nodes, slug)
