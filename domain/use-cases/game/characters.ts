import { type Character, existingCharacter } from '../../game/characters/character-state.ts'
import { CHARACTERS_MAX, type MemberState } from '../../game/members/member.ts'
import type { CharacterClass } from '../../game/world/classes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/** Characters as their member's newest state lists them. */

type Lists = Pick<MemberState, 'characters'>

/**
 * Finds a member's character. Refuses `character-not-found` for another member's, as when there is none (G-CHR-02), and
 * for a character that was begun but never listed, because the member had reached its limit first.
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

/** All characters of a member, each from its own newest state; a member has few. */
export const charactersOf = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { characters }: Lists,
): Promise<readonly Character[]> => {
  const all = await Promise.all(characters.map((id) => ledger.gameCharacter.read(String(id))))
  return all.filter((character) => character.status === 'made')
}

/** A member makes a character. Its name is seen by all players and belongs to nobody else (G-CHR-01, N-50). */

const NAME_MIN = 2
export const NAME_MAX = 24
/** Letters of any script and digits; between them single spaces, hyphens, dots and apostrophes. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[ .'’-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u

/**
 * Makes a character. Its name makes its number, and so its stream: the member who begins it first gets the name. It
 * begins before its member lists it, so that two members who want one name at once are told apart. Refuses
 * `invalid-request`, `state-forbids` when the name is somebody else's, `too-many-characters`.
 */
export const newCharacter = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  member: string,
  wish: { readonly name: string; readonly class: CharacterClass },
): Promise<{ characterId: number }> => {
  const name = wish.name.normalize('NFC').trim()
  const length = [...name].length
  if (length < NAME_MIN || length > NAME_MAX || !NAME.test(name))
    return refuse(
      'invalid-request',
      `name: has to have ${NAME_MIN} to ${NAME_MAX} letters, digits and single spaces between.`,
    )
  const characterId = world.numberFrom('game-character', alike(name))
  const { characters } = await ledger.gameMember.read(member)
  if (characters.length >= CHARACTERS_MAX && !characters.includes(characterId))
    return refuse(
      'too-many-characters',
      `You have ${CHARACTERS_MAX} characters, which is the most there can be. Play with one of them.`,
    )
  const born = { member, characterId, name, class: wish.class }
  const { state } = await ledger.gameCharacter.create(String(characterId), born)
  if (state.status === 'none' || state.member !== member || state.class !== wish.class)
    return refuse('state-forbids', 'There is a character of this name. Please choose another.')
  await ledger.gameMember.enlist(member, { characterId, name: state.name, class: state.class })
  return { characterId }
}

/** A form that is equal for names which people would take for the same one. */
const alike = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
