import { addMinutes, dayOf } from '../../kernel/calendar.ts'
import type { Of } from '../../kernel/decider.ts'
import { ownEntry } from '../../kernel/plain-data.ts'
import { refuse } from '../../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../../kernel/refusals/limits.ts'
import { type Move, runVerdict } from '../games/judge.ts'
import { type GameSlug, games } from '../world/games.ts'
import { periodOf } from '../world/periods.ts'
import { bestEver, withScore } from './bests.ts'
import { type Character, type Plays, type Rewards, type Run, withOver, withRewards } from './character-state.ts'
import { type DayEvents, today } from './days.ts'
import { pointsFor } from './sheet.ts'

/**
 * A character's runs of mini-games. The rounds are dealt when a run begins, and from then on it counts against the day.
 * The moves that are sent in are judged once, and the run is over, whatever the verdict (G-GAM-02).
 */

export type PlayEvents = {
  GameRunStarted: { runId: string } & Run
  /** The event sends the `units` of the rewards to the member. */
  GameRunFinished: {
    runId: string
    slug: GameSlug
    member: string
    moves: readonly Move[]
    score: number
    /** The character's best ever, with this run. */
    best: number
    rewards: Rewards
    points: number
    /** The seed that the rounds were dealt from. */
    seed: string
    finishedAt: string
  }
  /** No person can have played like this: the run is over and brought nothing. */
  GameRunFlagged: { runId: string; slug: GameSlug; moves: readonly Move[]; reason: string; flaggedAt: string }
}

export type PlayCommands = {
  /** Refuses `no-plays-left`. Does nothing for a run that was begun. */
  startRun: Omit<PlayEvents['GameRunStarted'], 'startedAt' | 'expiresAt'>
  /** Refuses `run-used`, `run-elsewhere`, `run-expired`. */
  finishRun: { runId: string; linkId: string; moves: readonly Move[] }
}

const RUN_MINUTES = 10

export const playsLeft = ({ plays }: Character, slug: GameSlug, now: string): number =>
  Math.max(games[slug].playsPerDay - (playsOn(plays, now).begun[slug] ?? 0), 0)

export const startRun = (character: Character, command: PlayCommands['startRun'], now: string) => {
  const { runId, slug } = command
  if (ownEntry(character.runs, runId) || character.over.includes(runId)) return []
  if (playsLeft(character, slug, now) === 0) {
    const waitS = secondsUntil(periodOf('day', now).endsAt, now)
    const words = `${games[slug].playsPerDay} runs a day, and those of today are used. Come back after midnight UTC.`
    throw new LimitReached('game.plays', waitS, words, 'no-plays-left')
  }
  const data = { ...command, startedAt: now, expiresAt: addMinutes(now, RUN_MINUTES) }
  return [...today(character, now).begun, { type: 'GameRunStarted', data } as const]
}

export const finishRun = (
  character: Character,
  { runId, linkId, moves }: PlayCommands['finishRun'],
  now: string,
): readonly Of<PlayEvents & DayEvents>[] => {
  // A run that is neither open nor over has expired.
  const gone = character.over.includes(runId) ? 'run-used' : 'run-expired'
  const run = ownEntry(character.runs, runId) ?? refuse(gone)
  if (run.linkId !== linkId) return refuse('run-elsewhere')
  if (now >= run.expiresAt)
    return refuse('run-expired', `This run could be finished until ${run.expiresAt}. Start a new one.`)
  const { begun } = today(character, now)
  const { slug, seed } = run
  const verdict = runVerdict(slug, run.deal, moves, Date.parse(now) - Date.parse(run.startedAt))
  if ('implausible' in verdict)
    return [
      ...begun,
      { type: 'GameRunFlagged', data: { runId, slug, moves, reason: verdict.implausible, flaggedAt: now } },
    ]
  const { score } = verdict
  const rewards = rewardsOf(slug, score)
  const points = pointsFor(character.xp, character.xp + rewards.xp)
  const best = Math.max(score, bestEver(character, slug) ?? 0)
  const { member } = character
  const data = { runId, slug, member, moves, score, best, rewards, points, seed, finishedAt: now }
  return [...begun, { type: 'GameRunFinished', data }]
}

export const playAfter = {
  GameRunStarted: (character: Character, { runId, ...run }: PlayEvents['GameRunStarted']): Character => {
    const { day, begun } = playsOn(character.plays, run.startedAt)
    const open = Object.entries(character.runs).filter(([, { expiresAt }]) => expiresAt > run.startedAt)
    return {
      ...character,
      plays: { day, begun: { ...begun, [run.slug]: (begun[run.slug] ?? 0) + 1 } },
      runs: { ...Object.fromEntries(open), [runId]: run },
    }
  },
  GameRunFinished: (
    character: Character,
    { runId, slug, score, rewards, points, finishedAt }: PlayEvents['GameRunFinished'],
  ): Character => ({
    ...withRewards(withoutRun(character, runId), rewards, points),
    bests: withScore(character.bests, slug, { score, at: finishedAt }),
  }),
  GameRunFlagged: (character: Character, { runId }: PlayEvents['GameRunFlagged']): Character =>
    withoutRun(character, runId),
}

/** The score's share of what the game brings, rounded down. */
const rewardsOf = (slug: GameSlug, score: number): Rewards => {
  const { fullAt, xp, units } = games[slug]
  const counted = Math.min(score, fullAt)
  return { xp: Math.floor((xp * counted) / fullAt), units: Math.floor((units * counted) / fullAt), fragments: [] }
}

/** The runs of today. A clock that has gone back does not give a day's runs twice. */
const playsOn = (plays: Plays, now: string): Plays => (dayOf(now) <= plays.day ? plays : { day: dayOf(now), begun: {} })

const withoutRun = (character: Character, runId: string): Character => {
  const { [runId]: _, ...runs } = character.runs
  return { ...character, runs, over: withOver(character.over, runId) }
}
