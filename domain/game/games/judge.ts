import type { Dice } from '../world/chance.ts'
import { type GameSlug, games } from '../world/games.ts'
import { laneDrift, type Wave } from './lane-drift.ts'
import { HUMAN_FLOOR_MS, type Input, type Rules } from './rules.ts'
import { type Haul, salvageSort } from './salvage-sort.ts'
import { signalEcho } from './signal-echo.ts'
import { type Hall, threeDoors } from './three-doors.ts'

/**
 * A run of a mini-game is dealt from its seed and judged from what the player did: the score is counted here and never
 * taken from anybody. What no person can have done is not plausible and earns nothing (G-GAM-02).
 */

/** The rounds of a run, in order. */
export type Deal = readonly Dealt[]
type Dealt = string | Wave | Haul | Hall

/** `t`: milliseconds after the start; `round` is counted from 1. */
export type Move = { readonly t: number; readonly round: number; readonly input: Input }

type Verdict = { readonly score: number } | { readonly implausible: string }

/** Milliseconds that a player's clock may be ahead of ours. */
const CLOCK_MS = 2_000
/**
 * Milliseconds after the input before, within which an input is at the floor. A person reaches that now and then, but
 * not often.
 */
const AT_FLOOR_MS = 100
const AT_FLOOR_MAX = 3

const rulesOf: { readonly [G in GameSlug]: Rules<Dealt> } = {
  'signal-echo': signalEcho as Rules<Dealt>,
  'lane-drift': laneDrift as Rules<Dealt>,
  'salvage-sort': salvageSort as Rules<Dealt>,
  'three-doors': threeDoors as Rules<Dealt>,
}

export const dealRounds = (game: GameSlug, dice: Dice): Deal => rulesOf[game].deal(dice)

/** What the player is told of the rounds. */
export const shownOf = (
  game: GameSlug,
  deal: Deal,
): readonly (Readonly<Record<string, unknown>> & { round: number })[] =>
  deal.map((each, n) => ({ round: n + 1, ...rulesOf[game].shown(each) }))

/** `elapsedMs`: since the start, by our own clock. A round without an answer brings nothing. */
export const runVerdict = (game: GameSlug, deal: Deal, moves: readonly Move[], elapsedMs: number): Verdict => {
  const untimely = untimelyIn(moves, elapsedMs)
  if (untimely !== undefined) return { implausible: untimely }
  let score = 0
  let last = 0
  for (const { round, input, t } of moves) {
    const each = deal[round - 1]
    if (each === undefined || round <= last) return { implausible: 'Each round is answered once, in order.' }
    const points = rulesOf[game].points(each, input, t)
    if (points === undefined) return { implausible: `Round ${round} cannot be answered so.` }
    score += points
    last = round
  }
  return score > games[game].maxPlausible ? { implausible: 'That is more than the game has.' } : { score }
}

const untimelyIn = (moves: readonly Move[], elapsedMs: number): string | undefined => {
  let before = 0
  let atFloor = 0
  for (const { t } of moves) {
    if (!Number.isSafeInteger(t) || t > elapsedMs + CLOCK_MS) return 'A time is later than now.'
    if (t - before < HUMAN_FLOOR_MS) return `Two inputs are less than ${HUMAN_FLOOR_MS} ms apart.`
    if (t - before < AT_FLOOR_MS) atFloor++
    before = t
  }
  return atFloor > AT_FLOOR_MAX
    ? `More than ${AT_FLOOR_MAX} inputs are at the floor of ${HUMAN_FLOOR_MS} ms.`
    : undefined
}
