import { addMinutes } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { FragmentSlug } from '../world/fragments.ts'
import { missions } from '../world/missions.ts'
import {
  type Character,
  idleCharacter,
  nextFragment,
  type Rewards,
  withOver,
  withReservedFragments,
  withRewards,
} from './character-state.ts'
import { today } from './days.ts'
import { chance, outcome } from './outcome.ts'
import { pointsFor } from './sheet.ts'

/** A character is sent on a mission. The outcome is decided when it leaves, and told when it is back (G-ACT-01). */

export type MissionEvents = {
  GameMissionStarted: {
    runId: string
    missionId: string
    startedAt: string
    readyAt: string
    /** The chance of success, out of 100. */
    successChance: number
    seed: string
    commit: string
    success: boolean
    rewards: Rewards
  }
  /** The event sends the `units` of the rewards to the member. */
  GameMissionClaimed: {
    runId: string
    missionId: string
    member: string
    success: boolean
    rewards: Rewards
    points: number
    /** The experience of the character with it. */
    xp: number
    /** The seed that was committed to. */
    seed: string
    claimedAt: string
  }
}

export type MissionCommands = {
  /**
   * The two rolls are thrown by the dice, each from 0 to 99. Refuses `not-found`, `character-busy`, `not-claimed`,
   * `wrong-galaxy`. Does nothing for a run that was begun.
   */
  startMission: {
    runId: string
    missionId: string
    seed: string
    commit: string
    roll: number
    fragmentRoll: number
    fragment: FragmentSlug | undefined
  }
  /** Refuses `not-ready`, `already-claimed`, `run-not-found`. */
  claimMission: { runId: string }
}

export const chanceOf = (stat: number, difficulty: number): number => chance(50 + stat - difficulty)

export const startMission = (before: Character, command: MissionCommands['startMission'], now: string) => {
  const { runId, missionId, seed, commit, roll, fragmentRoll, fragment } = command
  if (before.mission?.runId === runId || before.over.includes(runId)) return []
  const mission = Object.hasOwn(missions, missionId) ? missions[missionId] : undefined
  if (!mission) return refuse('not-found', `There is no such mission. Take one of ${Object.keys(missions).join(', ')}.`)
  if (before.mission) return refuse('not-claimed', `Claim ${before.mission.runId} first.`)
  const { character, begun } = today(idleCharacter(before, now), now)
  if (character.galaxy !== mission.galaxy)
    return refuse('wrong-galaxy', `This mission begins in ${mission.galaxy}. Travel there first.`)
  const successChance = chanceOf(character.stats[mission.stat], mission.difficulty)
  const success = roll < successChance
  const fragments = fragmentRoll < mission.fragment.percent ? nextFragment(character, fragment) : []
  const rewards = outcome(success, { xp: mission.xp, units: mission.units, fragments })
  const readyAt = addMinutes(now, mission.minutes)
  const data = { runId, missionId, startedAt: now, readyAt, successChance, seed, commit, success, rewards }
  return [...begun, { type: 'GameMissionStarted', data } as const]
}

export const claimMission = (character: Character, { runId }: MissionCommands['claimMission'], now: string) => {
  if (character.over.includes(runId)) return refuse('already-claimed', 'This mission was claimed. Begin another one.')
  const { mission } = character
  if (mission?.runId !== runId) return refuse('run-not-found')
  if (now < mission.readyAt) return refuse('not-ready', `This mission is ready at ${mission.readyAt}. Come back then.`)
  const { missionId, success, rewards, seed } = mission
  const points = pointsFor(character.xp, character.xp + rewards.xp)
  const data = {
    runId,
    missionId,
    member: character.member,
    success,
    rewards,
    points,
    seed,
    claimedAt: now,
    xp: character.xp + rewards.xp,
  }
  return [...today(character, now).begun, { type: 'GameMissionClaimed', data } as const]
}

export const missionAfter = {
  GameMissionStarted: (character: Character, data: MissionEvents['GameMissionStarted']): Character => ({
    ...withReservedFragments(character, data.rewards),
    busy: { status: 'on-mission', until: data.readyAt },
    mission: {
      runId: data.runId,
      missionId: data.missionId,
      readyAt: data.readyAt,
      success: data.success,
      rewards: data.rewards,
      seed: data.seed,
    },
  }),
  GameMissionClaimed: (
    character: Character,
    { runId, rewards, points }: MissionEvents['GameMissionClaimed'],
  ): Character => ({
    ...withRewards(character, rewards, points),
    mission: null,
    over: withOver(character.over, runId),
  }),
}
