/** What a character is trained in from the start, and what it can do. */

export const STATS = ['power', 'agility', 'wit', 'spirit', 'luck'] as const
export type Stat = (typeof STATS)[number]
export type Stats = { readonly [S in Stat]: number }

export const SKILLS = [
  'piloting',
  'salvage',
  'cartography',
  'tinkering',
  'negotiation',
  'signals',
  'botany',
  'optics',
] as const
export type Skill = (typeof SKILLS)[number]

export const CLASSES = ['pathfinder', 'engineer', 'envoy', 'vanguard'] as const
export type CharacterClass = (typeof CLASSES)[number]

/** All classes have 60 points in all and two skills; a third comes at level 5, a fourth at level 10. */
export const classes: Readonly<Record<CharacterClass, { stats: Stats; skills: readonly Skill[] }>> = {
  pathfinder: {
    stats: { power: 8, agility: 18, wit: 12, spirit: 10, luck: 12 },
    skills: ['piloting', 'cartography', 'signals', 'botany'],
  },
  engineer: {
    stats: { power: 12, agility: 8, wit: 20, spirit: 10, luck: 10 },
    skills: ['tinkering', 'salvage', 'optics', 'signals'],
  },
  envoy: {
    stats: { power: 8, agility: 10, wit: 14, spirit: 18, luck: 10 },
    skills: ['negotiation', 'botany', 'cartography', 'optics'],
  },
  vanguard: {
    stats: { power: 20, agility: 14, wit: 8, spirit: 10, luck: 8 },
    skills: ['piloting', 'salvage', 'negotiation', 'tinkering'],
  },
}

/** How many skills of its class a character of this level has. */
export const skillsAt = (name: CharacterClass, level: number): readonly Skill[] =>
  classes[name].skills.slice(0, level >= 10 ? 4 : level >= 5 ? 3 : 2)
