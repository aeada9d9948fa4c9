import type { Character } from '../../game/characters/character-state.ts'
import { kindsOf, WORN_OUT } from '../../game/characters/invention-score.ts'
import type { InventionEvents } from '../../game/characters/inventions.ts'
import type { Skill } from '../../game/world/classes.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { doOnce } from './do-once.ts'

/** An invention in its member's own words. */
export type Proposal = {
  readonly name: string
  readonly thesis: string
  readonly fragmentIds: readonly number[]
  readonly skills: readonly Skill[]
}

/**
 * Has an invention judged (G-INV-02). `acceptedOf` tells how many of these kinds were accepted before, in the whole
 * world, up to a limit.
 */
export const proposeInvention = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world' | 'vault'>,
  once: Once,
  character: Character,
  { name, thesis, fragmentIds, skills }: Proposal,
  acceptedOf: (kinds: string, limit: number) => Promise<number>,
): Promise<InventionEvents['InventionJudged']> => {
  const { ledger, world, vault } = flow
  const { member, characterId, fragments } = character
  // One Idempotency-Key may come with several characters, and again with other fragments when it is long forgotten:
  // none takes another's place.
  const about = [String(characterId), [...fragmentIds].sort((a, b) => a - b).join()]
  const inventionId = world.numberFrom('invention', once.id('inv'), ...about)
  const slugs = fragmentIds.flatMap((id) => fragments[id] ?? [])
  const [usedBefore, sealedName, sealedThesis] = await Promise.all([
    acceptedOf(kindsOf(slugs), WORN_OUT),
    vault.seal(member, name),
    vault.seal(member, thesis),
  ])
  const command = { inventionId, name: sealedName, thesis: sealedThesis, fragmentIds, skills, usedBefore }
  return doOnce(once, character, (called) =>
    ledger.gameCharacter.propose(String(characterId), { ...command, ...called }),
  )
}
