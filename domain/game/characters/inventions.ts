import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Skill } from '../world/classes.ts'
import type { FragmentSlug } from '../world/fragments.ts'
import type { Character } from './character-state.ts'
import { today } from './days.ts'
import { kindsOf, type Score, scoreOf } from './invention-score.ts'
import { skillsOf } from './sheet.ts'

/**
 * A character makes something new of what it found (G-INV-02). An accepted invention costs its fragments and is paid
 * once.
 */

export type InventionEvents = {
  /** Name and thesis are people's own words, so they are sealed under the member and shown to nobody else. */
  InventionProposed: { inventionId: number; member: string; name: SealedText; thesis: SealedText; proposedAt: string }
  /** The verdict, with everything that the score follows from. The event sends the `royaltyUnits` to the member. */
  InventionJudged: Score & {
    inventionId: number
    member: string
    fragments: readonly { readonly id: number; readonly slug: FragmentSlug }[]
    skills: readonly Skill[]
    kinds: string
    usedBefore: number
    judgedAt: string
  }
}

export type InventionCommands = {
  /**
   * Refuses `invalid-request` for fragments or skills that the character does not have, `fragments-tried` for a set
   * that it proposed before.
   */
  propose: {
    inventionId: number
    name: SealedText
    thesis: SealedText
    fragmentIds: readonly number[]
    skills: readonly Skill[]
    usedBefore: number
  }
}

export const FRAGMENTS_LEAST = 2
export const INVENTION_FRAGMENTS_MAX = 8
export const INVENTION_SKILLS_MAX = 4
/** The most sets that a character remembers to have proposed. */
const TRIED_MAX = 200

export const propose = (before: Character, command: InventionCommands['propose'], now: string) => {
  const { inventionId, name, thesis, fragmentIds, skills, usedBefore } = command
  const { character, begun } = today(before, now)
  if (character.tried.includes(setOf(fragmentIds)))
    return refuse('fragments-tried', 'These fragments were proposed together before. Choose others.')
  const fragments = fragmentsNamed(character, fragmentIds)
  const slugs = fragments.map(({ slug }) => slug)
  const { member } = character
  const score = scoreOf(slugs, skillsNamed(character, skills), usedBefore)
  const judged = {
    inventionId,
    member,
    fragments,
    skills,
    kinds: kindsOf(slugs),
    usedBefore,
    ...score,
    judgedAt: now,
  }
  return [
    ...begun,
    { type: 'InventionProposed', data: { inventionId, member, name, thesis, proposedAt: now } } as const,
    { type: 'InventionJudged', data: judged } as const,
  ]
}

/** The fragments of these numbers. Refuses `invalid-request`. */
const fragmentsNamed = ({ fragments }: Character, ids: readonly number[]) => {
  if (new Set(ids).size !== ids.length || ids.length < FRAGMENTS_LEAST || ids.length > INVENTION_FRAGMENTS_MAX)
    return refuse(
      'invalid-request',
      `fragment_ids: has to name ${FRAGMENTS_LEAST} to ${INVENTION_FRAGMENTS_MAX} different fragments`,
    )
  return ids.map((id) => ({
    id,
    slug:
      fragments[id] ?? refuse('invalid-request', `The character has no fragment ${id}: take one that it has found.`),
  }))
}

export const inventionAfter = {
  InventionProposed: (character: Character): Character => character,
  InventionJudged: (character: Character, { state, fragments }: InventionEvents['InventionJudged']): Character => {
    const ids = fragments.map(({ id }) => id)
    const tried = [...character.tried, setOf(ids)].slice(-TRIED_MAX)
    if (state === 'rejected') return { ...character, tried }
    const spent = new Set(ids.map(String))
    const left = Object.entries(character.fragments).filter(([id]) => !spent.has(id))
    return { ...character, tried, fragments: Object.fromEntries(left) }
  },
}

/** A set of fragments as a text, whatever order they are named in. */
const setOf = (ids: readonly number[]): string => [...ids].sort((a, b) => a - b).join()

const skillsNamed = (character: Character, skills: readonly Skill[]): readonly Skill[] => {
  if (new Set(skills).size !== skills.length || skills.length < 1 || skills.length > INVENTION_SKILLS_MAX)
    return refuse('invalid-request', `skills: has to name 1 to ${INVENTION_SKILLS_MAX} different skills`)
  const own = skillsOf(character.class, character.xp)
  const missing = skills.find((skill) => !own.includes(skill))
  return missing === undefined
    ? skills
    : refuse('invalid-request', `The character has not learnt ${missing}: name a skill that it has, or train it first.`)
}
