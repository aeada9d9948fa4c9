import { decider } from '../../kernel/decider.ts'
import type { CharacterClass } from '../world/classes.ts'
import { FIRST_GALAXY } from '../world/galaxies.ts'
import { NEW_ARENA } from './arena.ts'
import { type CallMark, type GameCall, isRepeated, withCall } from './calls.ts'
import { type Character, type CharacterState, existingCharacter } from './character-state.ts'
import { type DayEvents, withDay } from './days.ts'
import { claimScan, type ScanCommands, type ScanEvents, scanAfter, startScan } from './exploration.ts'
import { type InventionCommands, type InventionEvents, inventionAfter, propose } from './inventions.ts'
import { claimMission, type MissionCommands, type MissionEvents, missionAfter, startMission } from './missions.ts'
import { finishRun, type PlayCommands, type PlayEvents, playAfter, startRun } from './play.ts'
import { countDuel, type RecordCommands, type RecordEvents, recordAfter } from './record.ts'
import { statsOf } from './sheet.ts'
import { type TrainingCommands, type TrainingEvents, train, trainingAfter, travel } from './training.ts'

/**
 * A character and all that it does alone: it grows, travels, goes on missions, explores, plays and invents. An action
 * that takes time is an event with the time at which it is ready; nothing runs in the background. Units that it earns
 * are sent to its member by the event that earned them. The stream is named by its number.
 */
export type CharacterEvents = DayEvents &
  Calls<TrainingEvents & MissionEvents & ScanEvents & PlayEvents & InventionEvents> &
  RecordEvents & {
    CharacterCreated: { member: string; characterId: number; name: string; class: CharacterClass; createdAt: string }
  }

export type CharacterCommands = Calls<
  TrainingCommands & MissionCommands & ScanCommands & PlayCommands & InventionCommands
> &
  RecordCommands & {
    /** Does nothing when it is there. */
    create: { member: string; characterId: number; name: string; class: CharacterClass }
  }

/** Shapes that may each come from a call with an Idempotency-Key. */
type Calls<Shapes> = { [T in keyof Shapes]: Shapes[T] & CallMark }

export const gameCharacter = decider<CharacterEvents, CharacterCommands, CharacterState>({
  category: 'gameCharacter',
  grows: true,
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    create: (state, data, now) =>
      state.status === 'made' ? [] : [{ type: 'CharacterCreated', data: { ...data, createdAt: now } }],
    train: calling(train),
    travel: calling(travel),
    startMission: calling(startMission),
    claimMission: calling(claimMission),
    startScan: calling(startScan),
    claimScan: calling(claimScan),
    startRun: calling(startRun),
    finishRun: calling(finishRun),
    countDuel: calling(countDuel),
    propose: calling(propose),
  },
  evolve: {
    CharacterCreated: (_, { member, characterId, name, class: chosen }) => ({
      status: 'made',
      member,
      characterId,
      name,
      class: chosen,
      stats: statsOf(chosen),
      galaxy: FIRST_GALAXY,
      xp: 0,
      trainingPoints: 0,
      busy: null,
      day: '',
      streak: 0,
      bestStreak: 0,
      mission: null,
      over: [],
      fragments: {},
      found: 0,
      calls: [],
      scan: null,
      nodes: {},
      plays: { day: '', begun: {} },
      runs: {},
      bests: {},
      tried: [],
      ...NEW_ARENA,
    }),
    GameDayBegun: of(withDay),
    StatTrained: of(trainingAfter.StatTrained),
    GameTravelBegun: of(trainingAfter.GameTravelBegun),
    GameMissionStarted: of(missionAfter.GameMissionStarted),
    GameMissionClaimed: of(missionAfter.GameMissionClaimed),
    GameScanStarted: of(scanAfter.GameScanStarted),
    GameScanClaimed: of(scanAfter.GameScanClaimed),
    GameRunStarted: of(playAfter.GameRunStarted),
    GameRunFinished: of(playAfter.GameRunFinished),
    GameRunFlagged: of(playAfter.GameRunFlagged),
    GameDuelCounted: of(recordAfter.GameDuelCounted),
    InventionProposed: of(inventionAfter.InventionProposed),
    InventionJudged: of(inventionAfter.InventionJudged),
  },
})

/** Carries out a command on an existing character, unless the same call was carried out before. */
function calling<C, E extends { readonly type: string; readonly data: object }>(
  decide: (character: Character, command: C, now: string) => readonly E[],
) {
  return (state: CharacterState, { call, ...command }: C & CallMark, now: string): readonly E[] => {
    const character = existingCharacter(state)
    if (isRepeated(character.calls, call)) return []
    const events = decide(character, command as C, now)
    return call ? events.map((event, i) => (i === events.length - 1 ? withCallIn(event, call) : event)) : events
  }
}

/** Marks the last event of a call, which tells what came of it. */
function withCallIn<E extends { readonly data: object }>(event: E, call: GameCall): E {
  return { ...event, data: { ...event.data, call } }
}

/** Folds an event into an existing character. */
function of<E extends object>(evolve: (character: Character, data: E) => Character) {
  return (state: CharacterState, data: E & CallMark): CharacterState => {
    if (state.status === 'none') return state
    const character = evolve(state, data)
    return data.call ? { ...character, calls: withCall(character.calls, data) } : character
  }
}
