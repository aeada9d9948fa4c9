import { type CharacterCommands, gameCharacter } from '../../domain/game/characters/character.ts'
import { type CharacterState, existingCharacter } from '../../domain/game/characters/character-state.ts'
import type { CharacterClass } from '../../domain/game/world/classes.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'

/** A character of nobody's store: its commands are decided and taken up at once, at a time that the test steps on. */
export const characterOn = (start: string, as: CharacterClass = 'pathfinder') => {
  let at = Date.parse(start)
  let state: CharacterState = gameCharacter.initial
  const now = () => new Date(at).toISOString()

  const does = <C extends keyof CharacterCommands>(command: C, data: CharacterCommands[C]) => {
    const events = gameCharacter.decide[command](state, data, now())
    state = fold(gameCharacter, events, state)
    return events
  }
  const thrown = <C extends keyof CharacterCommands>(command: C, data: CharacterCommands[C]): Refusal | undefined => {
    try {
      does(command, data)
      return undefined
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
  does('create', { member: 'usr_a', characterId: 7, name: 'Ada', class: as })
  return {
    does,
    thrown,
    now,
    refusal: <C extends keyof CharacterCommands>(command: C, data: CharacterCommands[C]) => thrown(command, data)?.code,
    state: () => existingCharacter(state),
    step(ms: number) {
      at += ms
    },
  }
}
