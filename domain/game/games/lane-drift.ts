import { HUMAN_FLOOR_MS, rules } from './rules.ts'

/** Wrecks drift by in three lanes, and one lane is clear; the player steers into it, the sooner the better. */

export type Wave = {
  /** Time at which it comes into sight, in milliseconds after the start. */
  readonly at: number
  readonly clear: number
}

const LANES = 3
const WAVES = 10
/** Time between two waves, in milliseconds: the least, and how much more it may be. */
const GAP_MIN_MS = 700
const GAP_SPREAD_MS = 500
/** How long a wave can be steered through, in milliseconds. */
const SIGHT_MS = 600
const POINTS_CLEAR = 40
/** Milliseconds left for which there is one more point. */
const MS_PER_POINT = 10

export const laneDrift = rules<Wave>({
  deal(dice) {
    const waves: Wave[] = []
    let at = 0
    while (waves.length < WAVES) {
      at += GAP_MIN_MS + dice.below(GAP_SPREAD_MS + 1)
      waves.push({ at, clear: dice.below(LANES) })
    }
    return waves
  },
  shown: ({ at, clear }) => ({
    at_ms: at,
    lanes: Array.from({ length: LANES }, (_, lane) => (lane === clear ? 'clear' : 'wreck')),
  }),
  points({ at, clear }, input, t) {
    if (typeof input !== 'number' || !Number.isInteger(input) || input < 0 || input >= LANES) return undefined
    const left = at + SIGHT_MS - t
    if (left > SIGHT_MS - HUMAN_FLOOR_MS) return undefined
    return left < 0 || input !== clear ? 0 : POINTS_CLEAR + Math.floor(left / MS_PER_POINT)
  },
})
