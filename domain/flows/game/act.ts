import { answeredBefore, type Call, type Called } from '../../game/calls.ts'
import { diceOf, newSeed } from '../../game/chance.ts'
import { type Character, made } from '../../game/character-state.ts'
import type { MissionEvents } from '../../game/missions.ts'
import { levelOf } from '../../game/sheet.ts'
import type { TrainingEvents } from '../../game/training.ts'
import type { Stat } from '../../game/world/classes.ts'
import { slugsOf } from '../../game/world/fragments.ts'
import type { Galaxy } from '../../game/world/galaxies.ts'
import { missions } from '../../game/world/missions.ts'
import { refuse } from '../../refusal.ts'
import type { Flow } from '../flow.ts'
import type { Once } from '../once.ts'

/** What a linked key does with a member's characters (G-ACT-01). A repeated call under one Idempotency-Key is answered as before. */

/**
 * Refuses `character-not-found` when it is not this member's, as when there is none (G-CHR-02). One that was begun and that its member does not
 * list, because others came first and it has its most by now, does nothing.
 */
export const characterOf = async (
  { ledger }: Pick<Flow, 'ledger'>,
  member: string,
  characterId: number,
): Promise<Character> => {
  const character = made(await ledger.gameCharacter.read(String(characterId)))
  const { characters } = await ledger.gameMember.read(member)
  return character.member === member && characters.includes(characterId) ? character : refuse('character-not-found')
}

/** A call under an Idempotency-Key; undefined without one. */
export const callOf = (once: Once): Call | undefined =>
  once.mark.request === undefined ? undefined : { id: once.id('gcl'), request: once.mark.request }

export const trainStat = (
  flow: Flow,
  once: Once,
  character: Character,
  stat: Stat,
): Promise<TrainingEvents['StatTrained']> =>
  doOnce(character, callOf(once), (called) =>
    flow.ledger.gameCharacter.train(String(character.characterId), { stat, ...called }),
  )

export const travelTo = (
  flow: Flow,
  once: Once,
  character: Character,
  to: Galaxy,
): Promise<TrainingEvents['GameTravelBegun']> =>
  doOnce(character, callOf(once), (called) =>
    flow.ledger.gameCharacter.travel(String(character.characterId), { to, ...called }),
  )

export const beginMission = (
  flow: Flow,
  once: Once,
  character: Character,
  missionId: string,
): Promise<MissionEvents['GameMissionStarted']> => {
  const { world, ledger } = flow
  const runId = once.id('grn')
  const { seed, commit } = newSeed(world)
  const dice = diceOf(world, seed, runId)
  const [roll, fragmentRoll] = [dice.below(100), dice.below(100)]
  const kinds = slugsOf(missions[missionId]?.fragment.rarity ?? 'common')
  const fragment = kinds[dice.below(kinds.length)]
  const command = { runId, missionId, seed, commit, roll, fragmentRoll, fragment }
  return doOnce(character, callOf(once), (called) =>
    ledger.gameCharacter.startMission(String(character.characterId), { ...command, ...called }),
  )
}

export const endMission = async (flow: Flow, once: Once, character: Character, runId: string) => {
  const claimed = await doOnce<MissionEvents['GameMissionClaimed']>(character, callOf(once), (called) =>
    flow.ledger.gameCharacter.claimMission(String(character.characterId), { runId, ...called }),
  )
  return { ...claimed, level: levelOf(claimed.xp) }
}

/** What the event of a command tells; of a call that was made before, what it told then. */
export const doOnce = async <Data extends object>(
  character: Character,
  call: Call | undefined,
  command: (called: Called) => Promise<{ state: unknown; events: readonly { data: object }[] }>,
): Promise<Data> => {
  const before = answeredBefore(character.calls, call)
  if (before) return before as Data
  const { state, events } = await command(call ? { call } : {})
  const data = events.at(-1)?.data ?? answeredBefore(made(state as never).calls, call)
  return (data as Data | undefined) ?? refuse('busy', 'This was done a moment ago.')
}
