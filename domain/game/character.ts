import { decider } from '../decider.ts'
import { type Character, type CharacterState, made } from './character-state.ts'
import { type DayEvents, withDay } from './days.ts'
import { claimMission, type MissionCommands, type MissionEvents, missionAfter, startMission } from './missions.ts'
import { statsOf } from './sheet.ts'
import { type TrainingCommands, type TrainingEvents, train, trainingAfter, travel } from './training.ts'
import type { CharacterClass } from './world/classes.ts'
import { FIRST_GALAXY } from './world/galaxies.ts'

/**
 * A character and all that it does alone: it grows, travels, goes on missions. What takes time is an event with the time at which it is ready;
 * nothing runs in the background. What it earns is sent to its member by the event that earned it. The stream is named by its number.
 */
export type CharacterEvents = DayEvents &
  TrainingEvents &
  MissionEvents & {
    CharacterCreated: { member: string; characterId: number; name: string; class: CharacterClass; createdAt: string }
  }

export type CharacterCommands = TrainingCommands &
  MissionCommands & {
    /** Quiet when it is there. */
    create: { member: string; characterId: number; name: string; class: CharacterClass }
  }

export const gameCharacter = decider<CharacterEvents, CharacterCommands, CharacterState>({
  category: 'gameCharacter',
  grows: true,
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    create: (state, data, now) =>
      state.status === 'made' ? [] : [{ type: 'CharacterCreated', data: { ...data, createdAt: now } }],
    train: (state, command, now) => train(made(state), command, now),
    travel: (state, command, now) => travel(made(state), command, now),
    startMission: (state, command, now) => startMission(made(state), command, now),
    claimMission: (state, command, now) => claimMission(made(state), command, now),
  },
  evolve: {
    CharacterCreated: (_, { member, characterId, name, class: chosen }) => ({
      ...{ status: 'made', member, characterId, name, class: chosen, stats: statsOf(chosen), galaxy: FIRST_GALAXY },
      ...{ xp: 0, trainingPoints: 0, busy: null, day: '', streak: 0, bestStreak: 0 },
      ...{ mission: null, over: [], fragments: {}, found: 0 },
    }),
    GameDayBegun: of(withDay),
    StatTrained: of(trainingAfter.StatTrained),
    GameTravelBegun: of(trainingAfter.GameTravelBegun),
    GameMissionStarted: of(missionAfter.GameMissionStarted),
    GameMissionClaimed: of(missionAfter.GameMissionClaimed),
  },
})

/** An event of a character that is there. */
function of<E>(evolve: (character: Character, data: E) => Character) {
  return (state: CharacterState, data: E): CharacterState => evolve(made(state), data)
}
