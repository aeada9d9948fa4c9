import type { CallMark } from '../../game/characters/calls.ts'
import { type Character, type CharacterState, existingCharacter } from '../../game/characters/character-state.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Once } from '../once.ts'

/** The prefix of the ids of calls. */
export const CALL = 'gcl'

/**
 * Runs a command on a character and answers the data of its event; a call that was made before is answered with the
 * data of then (X-IDEM-01). A key belongs to one character: with another character in the body it is another call,
 * which that character has not seen. Refuses `idempotency-conflict` when the key came with another body, or so long ago
 * that its answer is not kept any more.
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
      // The same call came at the same time and was first, or came so long ago that its answer is not kept any more.
      return before()
        ? refuse('id-taken')
        : refuse('idempotency-conflict', 'What this Idempotency-Key brought is not kept any more. Take a new one.')
    },
  )
  return data
}
