import { isRefusal } from '../../kernel/refusal.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A character that has begun is listed by its member, also when whoever made it broke off; by one that has its most by now it is not (G-CHR-02). */
export const enlistCharacters: Policy = {
  name: 'enlist-characters',
  on: {
    async CharacterCreated({ data: { member, characterId, name, class: chosen } }, { ledger }) {
      try {
        await ledger.gameMember.enlist(member, { characterId, name, class: chosen })
      } catch (error) {
        if (!isRefusal(error, 'too-many-characters')) throw error
      }
    },
  },
}
