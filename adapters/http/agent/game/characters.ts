import { z } from 'zod'
import { characterOf, charactersOf } from '../../../../domain/use-cases/game/characters.ts'
import { endpoint } from '../../core/endpoint.ts'
import { CharacterIdText, linkOfCaller, ofLedger } from './of-game.ts'
import { Sheet, Short, sheetOf, shortOf } from './sheet.ts'

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
