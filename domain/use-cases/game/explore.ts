import type { Character } from '../../game/characters/character-state.ts'
import { drawnAt, type ScanEvents } from '../../game/characters/exploration.ts'
import { diceOf, newSeed } from '../../game/world/chance.ts'
import { isNode } from '../../game/world/nodes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { doOnce } from './do-once.ts'

/** What a linked key explores with a member's character (G-EXP-02). */

/** Refuses what `startScan` refuses. */
export const beginScan = (flow: UseCaseContext, once: Once, character: Character, slug: string) => {
  if (!isNode(slug)) return refuse('not-found', 'There is no such node.')
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
