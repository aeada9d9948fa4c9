import type { Character } from '../../game/character-state.ts'
import type { MemberState } from '../../game/member.ts'
import type { Flow } from '../flow.ts'

/** The characters of a member, of which there are few, each from its own newest state. */
export const charactersOf = async (
  { ledger }: Pick<Flow, 'ledger'>,
  { characters }: Pick<MemberState, 'characters'>,
): Promise<readonly Character[]> => {
  const all = await Promise.all(characters.map((id) => ledger.gameCharacter.read(String(id))))
  return all.filter((character) => character.status === 'made')
}
