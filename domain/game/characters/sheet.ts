import { type CharacterClass, classes, type Skill, type Stat, type Stats, skillsAt } from '../world/classes.ts'

/** How a character grows: experience, levels, and the points that it trains with. All are whole numbers. */

export const STAT_MAX = 100
const POINTS_PER_LEVEL = 3

/** Experience that a level begins at: 0, 100, 300, 600, … */
export const xpOf = (level: number): number => (100 * level * (level - 1)) / 2

/** The level that an amount of experience makes, from 1 on. */
export const levelOf = (xp: number): number => {
  let level = Math.max(1, Math.floor((1 + Math.sqrt(1 + xp / 12.5)) / 2))
  while (xpOf(level + 1) <= xp) level++
  while (level > 1 && xpOf(level) > xp) level--
  return level
}

/** Training points for the levels between two amounts of experience. */
export const pointsFor = (before: number, after: number): number =>
  POINTS_PER_LEVEL * (levelOf(after) - levelOf(before))

/** What it costs to raise a stat by one. */
export const trainingCost = (stat: number): number => 1 + Math.floor(stat / 10)

export const statsOf = (name: CharacterClass): Stats => classes[name].stats

export const raisedStats = (stats: Stats, stat: Stat): Stats => ({ ...stats, [stat]: stats[stat] + 1 })

export const skillsOf = (name: CharacterClass, xp: number): readonly Skill[] => skillsAt(name, levelOf(xp))
