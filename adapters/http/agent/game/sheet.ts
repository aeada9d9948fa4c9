import { z } from 'zod'
import { type Character, statusAt } from '../../../../domain/game/characters/character-state.ts'
import { today } from '../../../../domain/game/characters/days.ts'
import { levelOf, skillsOf, xpOf } from '../../../../domain/game/characters/sheet.ts'
import { fragmentKinds } from '../../../../domain/game/world/fragments.ts'

/** A character as it is told: in short in lists, and as its whole sheet. */

export const Short = z.object({
  id: z.int(),
  name: z.string(),
  class: z.string(),
  level: z.int(),
  xp: z.int(),
  galaxy: z.string(),
  status: z.enum(['idle', 'travelling', 'scanning', 'on-mission']),
  training_points: z.int(),
})

export const Fragment = z.object({ id: z.int(), slug: z.string(), rarity: z.string(), skill: z.string() })

/** A fragment that was found just now. */
export const Gained = z.object({ id: z.int(), slug: z.string() })

/** What something brought. */
export const Rewards = z.object({ xp: z.int(), units: z.int(), fragments: z.array(Gained) })

export const Sheet = Short.extend({
  xp_to_next: z.int(),
  stats: z.object({ power: z.int(), agility: z.int(), wit: z.int(), spirit: z.int(), luck: z.int() }),
  skills: z.array(z.string()),
  busy_until: z.string().nullable(),
  fragments: z.array(Fragment),
})

export const shortOf = (character: Character, now: string): z.input<typeof Short> => ({
  id: character.characterId,
  name: character.name,
  class: character.class,
  level: levelOf(character.xp),
  xp: character.xp,
  galaxy: character.galaxy,
  status: statusAt(character, now),
  // What an act would have: the first one of a day brings a point.
  training_points: today(character, now).character.trainingPoints,
})

export const sheetOf = (character: Character, now: string): z.input<typeof Sheet> => ({
  ...shortOf(character, now),
  xp_to_next: xpOf(levelOf(character.xp) + 1) - character.xp,
  stats: character.stats,
  skills: [...skillsOf(character.class, character.xp)],
  busy_until: character.busy && statusAt(character, now) !== 'idle' ? character.busy.until : null,
  fragments: fragmentsOf(character),
})

export const fragmentsOf = ({ fragments }: Character): z.input<typeof Fragment>[] =>
  Object.entries(fragments).map(([id, slug]) => ({ id: Number(id), slug, ...fragmentKinds[slug] }))
