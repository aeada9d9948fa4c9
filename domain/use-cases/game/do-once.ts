import type { CallMark } from '../../game/characters/calls.ts'
import { type Character, type CharacterState, existingCharacter } from '../../game/characters/character-state.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Once } from '../once.ts'

/** What ids of calls begin with. */
export const CALL = 'gcl'

/**
 * What the event of a command to a character tells; of a call that was made before, what it told then (X-IDEM-01). A
 * key is of one character: with another one in the body it is another call, which that character has not seen. Refuses
 * `idempotency-conflict` when the key came with another body, or so long ago that what it brought is not kept any more.
 */
export const doOnce = async <Data extends object>(
  once: Once,
  character: Character,
  command: (called: CallMark) => Promise<{ state: CharacterState; events: readonly { data: object }[] }>,
): Promise<Data> => {
  const call = once.call(CALL)
  let newest = character
  const before = () => {
    const found = newest.calls.find(({ id }) => id === call?.id)
    return found && { request: found.request, data: found.data as Data }
  }
  const { data } = await once.make<{ data: Data }>(
    async () => before() ?? { status: 'none' },
    async () => {
      const { state, events } = await command(call ? { call } : {})
      const event = events.at(-1)
      if (event) return { data: event.data as Data }
      newest = existingCharacter(state)
      // The same call came at the same time and was first, or made what has the same id long ago.
      return refuse(before() ? 'id-taken' : 'idempotency-conflict', 'What this key brought is not kept any more.')
    },
  )
  return data
}
