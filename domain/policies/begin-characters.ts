import { idOf, type Policy } from '../policy.ts'

/** A character that its member has enlisted begins, also when whoever enlisted it broke off. */
export const beginCharacters: Policy = {
  name: 'begin-characters',
  on: {
    CharacterEnlisted: ({ stream, data: { characterId, name, class: chosen } }, { ledger }) =>
      ledger.gameCharacter.create(String(characterId), { member: idOf(stream), characterId, name, class: chosen }),
  },
}
