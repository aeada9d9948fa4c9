import type { Character } from '../../game/characters/character-state.ts'
import { drawnAt, type ScanEvents } from '../../game/characters/exploration.ts'
import type { MissionEvents } from '../../game/characters/missions.ts'
import { levelOf } from '../../game/characters/sheet.ts'
import type { TrainingEvents } from '../../game/characters/training.ts'
import { diceOf, newSeed } from '../../game/world/chance.ts'
import type { Stat } from '../../game/world/classes.ts'
import { slugsOf } from '../../game/world/fragments.ts'
import type { Galaxy } from '../../game/world/galaxies.ts'
import { missions } from '../../game/world/missions.ts'
import { isNode } from '../../game/world/nodes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { doOnce } from './do-once.ts'

/**
 * What a linked key does with a member's characters (G-ACT-01). A repeated call under one Idempotency-Key is answered
 * as before.
 */

export const trainStat = (
  flow: UseCaseContext,
  once: Once,
  character: Character,
  stat: Stat,
): Promise<TrainingEvents['StatTrained']> =>
  doOnce(once, character, (called) =>
    flow.ledger.gameCharacter.train(String(character.characterId), { stat, ...called }),
  )

export const travelTo = (
  flow: UseCaseContext,
  once: Once,
  character: Character,
  to: Galaxy,
): Promise<TrainingEvents['GameTravelBegun']> =>
  doOnce(once, character, (called) =>
    flow.ledger.gameCharacter.travel(String(character.characterId), { to, ...called }),
  )

export const beginMission = (
  flow: UseCaseContext,
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
  return doOnce(once, character, (called) =>
    ledger.gameCharacter.startMission(String(character.characterId), { ...command, ...called }),
  )
}

export const endMission = async (flow: UseCaseContext, once: Once, character: Character, runId: string) => {
  const claimed = await doOnce<MissionEvents['GameMissionClaimed']>(once, character, (called) =>
    flow.ledger.gameCharacter.claimMission(String(character.characterId), { runId, ...called }),
  )
  return { ...claimed, level: levelOf(claimed.xp) }
}

/** How a linked key explores with a member's character (G-EXP-02). */

/** Refuses what `startScan` refuses. */
export const beginScan = (flow: UseCaseContext, once: Once, character: Character, slug: string) => {
  if (!isNode(slug)) return refuse('not-found', 'There is no such node. Look for it in GET /v1/game/explore.')
  const { world, ledger } = flow
  const scanId = once.id('gsc')
  const { seed, commit } = newSeed(world)
  const command = { scanId, slug, seed, commit, ...drawnAt(slug, diceOf(world, seed, scanId)) }
  return doOnce<ScanEvents['GameScanStarted']>(once, character, (called) =>
    ledger.gameCharacter.startScan(String(character.characterId), { ...command, ...called }),
  )
}

/** Refuses what `claimScan` refuses. */
export const endScan = (flow: UseCaseContext, once: Once, character: Character, slug: string) =>
  doOnce<ScanEvents['GameScanClaimed']>(once, character, (called) =>
    flow.ledger.gameCharacter.claimScan(String(character.characterId), { slug, ...called }),
  )
