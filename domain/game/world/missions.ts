import type { Stat } from './classes.ts'
import type { Rarity } from './fragments.ts'
import type { Galaxy } from './galaxies.ts'

/**
 * The missions that a character can be sent on. A mission takes its minutes, whether it fails or not; a failed one
 * still brings a fifth of the experience.
 */
export type Mission = {
  readonly title: string
  readonly galaxy: Galaxy
  readonly stat: Stat
  readonly difficulty: number
  readonly minutes: number
  readonly xp: number
  readonly units: number
  /** The chance, out of 100, of finding a fragment of this rarity as well. */
  readonly fragment: { readonly rarity: Rarity; readonly percent: number }
}

const mission = (
  [title, galaxy, stat]: readonly [string, Galaxy, Stat],
  [difficulty, minutes, xp, units]: readonly [number, number, number, number],
  [rarity, percent]: readonly [Rarity, number],
): Mission => ({ title, galaxy, stat, difficulty, minutes, xp, units, fragment: { rarity, percent } })

export const missions: Readonly<Record<string, Mission>> = {
  'light-the-buoys': mission(['Light the buoys', 'lantern', 'agility'], [8, 5, 20, 5], ['common', 20]),
  'sort-the-wreckage': mission(['Sort the wreckage', 'lantern', 'power'], [10, 10, 35, 9], ['common', 35]),
  'calm-the-quay': mission(['Calm the quay', 'lantern', 'spirit'], [14, 15, 50, 14], ['common', 30]),
  'chart-the-drift': mission(['Chart the drift', 'meridian', 'wit'], [18, 20, 70, 20], ['uncommon', 20]),
  'race-the-noon-line': mission(['Race the noon line', 'meridian', 'agility'], [24, 20, 85, 24], ['uncommon', 22]),
  'tend-the-glass-garden': mission(
    ['Tend the glass garden', 'meridian', 'spirit'],
    [28, 30, 110, 32],
    ['uncommon', 28],
  ),
  'raise-the-dredger': mission(['Raise the dredger', 'old-harbour', 'power'], [32, 40, 140, 42], ['uncommon', 35]),
  'read-the-tide-books': mission(['Read the tide books', 'old-harbour', 'wit'], [38, 45, 170, 50], ['rare', 12]),
  'bargain-with-salt': mission(['Bargain with salt', 'old-harbour', 'luck'], [34, 40, 150, 45], ['rare', 10]),
  'hold-the-far-gate': mission(['Hold the far gate', 'the-verge', 'power'], [48, 60, 240, 75], ['rare', 20]),
  'follow-the-echo': mission(['Follow the echo', 'the-verge', 'spirit'], [56, 90, 330, 105], ['rare', 28]),
  'map-the-unlit': mission(['Map the unlit', 'the-verge', 'luck'], [64, 120, 450, 150], ['mythic', 8]),
}
