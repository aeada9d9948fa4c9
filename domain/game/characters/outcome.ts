import type { Rewards } from './character-state.ts'

/** What a character that was sent out comes home with; missions and scans go by the same rules. */

/** What a failure still teaches, out of a hundred. */
const FAILED_XP_PERCENT = 20
const CHANCE_MIN = 10
const CHANCE_MAX = 95

/** Nothing is certain, and nothing is hopeless: a chance out of a hundred. */
export const chance = (percent: number): number => Math.min(CHANCE_MAX, Math.max(CHANCE_MIN, percent))

/** All that there is, or what a failure leaves of it. */
export const outcome = (success: boolean, { xp, units, fragments }: Rewards): Rewards =>
  success ? { xp, units, fragments } : { xp: Math.floor((xp * FAILED_XP_PERCENT) / 100), units: 0, fragments: [] }
