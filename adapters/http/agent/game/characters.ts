import { z } from 'zod'
import { type Character, statusAt } from '../../../../domain/game/characters/character-state.ts'
import { today } from '../../../../domain/game/characters/days.ts'
import { levelOf, skillsOf, xpOf } from '../../../../domain/game/characters/sheet.ts'
import { fragmentKinds } from '../../../../domain/game/world/fragments.ts'
import { characterOf, charactersOf } from '../../../../domain/use-cases/game/characters.ts'
import { endpoint } from '../../core/endpoint.ts'
import { CharacterIdText, linkOfCaller, ofLedger } from './of-game.ts'

/** A character as it is told: in short in lists, and as its whole sheet. */

const Short = z.object({
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

/** What a mission or a run brought. */
export const Rewards = z.object({ xp: z.int(), units: z.int(), fragments: z.array(Gained) })

const Sheet = Short.extend({
  xp_to_next: z.int(),
  stats: z.object({ power: z.int(), agility: z.int(), wit: z.int(), spirit: z.int(), luck: z.int() }),
  skills: z.array(z.string()),
  busy_until: z.string().nullable(),
  fragments: z.array(Fragment),
})

const shortOf = (character: Character, now: string): z.input<typeof Short> => ({
  id: character.characterId,
  name: character.name,
  class: character.class,
  level: levelOf(character.xp),
  xp: character.xp,
  galaxy: character.galaxy,
  status: statusAt(character, now),
  // The points that an act would have now: the first act of a day brings a point.
  training_points: today(character, now).character.trainingPoints,
})

const sheetOf = (character: Character, now: string): z.input<typeof Sheet> => ({
  ...shortOf(character, now),
  xp_to_next: xpOf(levelOf(character.xp) + 1) - character.xp,
  stats: character.stats,
  skills: [...skillsOf(character.class, character.xp)],
  busy_until: character.busy && statusAt(character, now) !== 'idle' ? character.busy.until : null,
  fragments: fragmentsOf(character),
})

export const fragmentsOf = ({ fragments }: Character): z.input<typeof Fragment>[] =>
  Object.entries(fragments).map(([id, slug]) => ({ id: Number(id), slug, ...fragmentKinds[slug] }))

/** A linked member's characters (G-CHR-01, G-CHR-02). */
export const characterEndpoints = [
  endpoint({
    ...ofLedger,
    method: 'get',
    path: '/v1/game/characters',
    summary: 'The member’s characters',
    returns: z.object({ count: z.int(), characters: z.array(Short) }),
    async answer(request) {
      const { state } = await linkOfCaller(request, 'game.characters.read')
      const { flow } = request
      const all = await charactersOf(flow, state)
      const characters = all.map((character) => shortOf(character, flow.world.now().toISOString()))
      return { count: characters.length, characters }
    },
  }),
  endpoint({
    ...ofLedger,
    method: 'get',
    path: '/v1/game/character',
    summary: 'The sheet of one of the member’s characters',
    query: z.object({ id: CharacterIdText }),
    returns: Sheet,
    refusals: [...ofLedger.refusals, 'character-not-found'],
    async answer(request) {
      const by = await linkOfCaller(request, 'game.characters.read')
      const { flow, query } = request
      return sheetOf(await characterOf(flow, by, query.id), flow.world.now().toISOString())
    },
  }),
]
