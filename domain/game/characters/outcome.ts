import type { Rewards } from './character-state.ts'

/** What a character that was sent out comes home with; missions and scans go by the same rules. */

/** The part of the experience that a failure still brings, in percent. */
const FAILED_XP_PERCENT = 20
const CHANCE_MIN = 10
const CHANCE_MAX = 95

/** A chance out of a hundred, kept within bounds: nothing is certain, and nothing is hopeless. */
export const chance = (percent: number): number => Math.min(CHANCE_MAX, Math.max(CHANCE_MIN, percent))

/** The rewards in full, or what a failure leaves of them. */
export const outcome = (success: boolean, { xp, units, fragments }: Rewards): Rewards =>
  success ? { xp, units, fragments } : { xp: Math.floor((xp * FAILED_XP_PERCENT) / 100), units: 0, fragments: [] }
