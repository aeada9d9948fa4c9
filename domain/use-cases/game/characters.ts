import { type Character, existingCharacter } from '../../game/characters/character-state.ts'
import type { MemberState } from '../../game/members/member.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/** Characters as their member's newest state lists them. */

type Lists = Pick<MemberState, 'characters'>

/**
 * Refuses `character-not-found` when it is not this member's, as when there is none (G-CHR-02). One that was begun and
 * that its member does not list, because others came first and it has its most by now, does nothing.
 */
export const characterOf = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { member, state }: { readonly member: string; readonly state: Lists },
  characterId: number,
): Promise<Character> => {
  if (!state.characters.includes(characterId)) return refuse('character-not-found')
  const character = existingCharacter(await ledger.gameCharacter.read(String(characterId)))
  return character.member === member ? character : refuse('character-not-found')
}

/** All of them, of which there are few, each from its own newest state. */
export const charactersOf = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { characters }: Lists,
): Promise<readonly Character[]> => {
  const all = await Promise.all(characters.map((id) => ledger.gameCharacter.read(String(id))))
  return all.filter((character) => character.status === 'made')
}
