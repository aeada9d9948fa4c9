import { addMinutes } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Stat } from '../world/classes.ts'
import { type Galaxy, travelMinutes } from '../world/galaxies.ts'
import { type Character, idleCharacter } from './character-state.ts'
import { today } from './days.ts'
import { raisedStats, STAT_MAX, trainingCost } from './sheet.ts'

/** A character trains a stat by one for training points, and travels for time (G-ACT-01, G-ACT-02). */

export type TrainingEvents = {
  StatTrained: { stat: Stat; from: number; to: number; cost: number; trainingPoints: number }
  GameTravelBegun: { from: Galaxy; to: Galaxy; departedAt: string; arrivesAt: string }
}

export type TrainingCommands = {
  /** Refuses `insufficient-training-points`, `stat-at-most`, `character-busy`. */
  train: { stat: Stat }
  /** Refuses `character-busy`, `not-claimed`, `state-forbids` when it is there. */
  travel: { to: Galaxy }
}

export const train = (before: Character, { stat }: TrainingCommands['train'], now: string) => {
  const { character, begun } = today(idleCharacter(before, now), now)
  const from = character.stats[stat]
  if (from >= STAT_MAX) return refuse('stat-at-most', `No stat goes above ${STAT_MAX}. Train another one.`)
  const cost = trainingCost(from)
  if (cost > character.trainingPoints)
    return refuse(
      'insufficient-training-points',
      `This stat costs ${cost} training points, and there are ${character.trainingPoints}. Win some first.`,
    )
  const trainingPoints = character.trainingPoints - cost
  return [...begun, { type: 'StatTrained', data: { stat, from, to: from + 1, cost, trainingPoints } } as const]
}

export const travel = (before: Character, { to }: TrainingCommands['travel'], now: string) => {
  const { character, begun } = today(idleCharacter(before, now), now)
  if (character.galaxy === to)
    return refuse('state-forbids', 'The character is in that galaxy already. Choose another one.')
  const arrivesAt = addMinutes(now, travelMinutes(character.galaxy, to))
  return [
    ...begun,
    { type: 'GameTravelBegun', data: { from: character.galaxy, to, departedAt: now, arrivesAt } } as const,
  ]
}

export const trainingAfter = {
  StatTrained: (character: Character, { stat, trainingPoints }: TrainingEvents['StatTrained']): Character => ({
    ...character,
    stats: raisedStats(character.stats, stat),
    trainingPoints,
  }),
  GameTravelBegun: (character: Character, { to, arrivesAt }: TrainingEvents['GameTravelBegun']): Character => ({
    ...character,
    galaxy: to,
    busy: { status: 'travelling', until: arrivesAt },
  }),
}
