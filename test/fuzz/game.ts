/** What a linked key has in the game: a character, a duel that waits, and the names of all there is. */
import { GAME_SCOPES } from '../../domain/game/members/scopes.ts'
import { CLASSES, STATS } from '../../domain/game/world/classes.ts'
import { GALAXIES } from '../../domain/game/world/galaxies.ts'
import { missions } from '../../domain/game/world/missions.ts'
import type { Ids } from '../http/tenants/tenant.ts'
import type { TestApp } from '../support/app.ts'
import type { Balances } from '../support/balance-calls.ts'
import { claimed } from '../support/game-pages.ts'
import { person } from '../support/people.ts'
import { joined, listed } from './names.ts'

const GAME = '/v1/game'
const READS = ['me', 'quests', 'explore', 'games', 'pvp', 'tournaments', 'studio', 'inventions', 'feed']
const UNITS = { 'game.pvp.wager': '500', 'game.studio.spend': '500', 'game.tournament.entry': '500' }

/** Links both keys, to members of their own. */
export const gameOf = async (app: TestApp, balances: Balances, key: string, foreign: string): Promise<Ids> => {
  const [own, other] = [await played(app, balances, key), await played(app, balances, foreign)]
  const wish = { character_id: other, defender_character_id: own, wager_units: 0 }
  await app.call('POST', `${GAME}/pvp`, { key: foreign, body: { action: 'create', ...wish } })
  const read = async (part: string): Promise<Ids> => {
    const { json } = await app.call('GET', `${GAME}/${part}?character_id=${own}`, { key })
    return Object.fromEntries(
      Object.entries(namesIn(json)).map(([name, values]) => [`${GAME}/${part} ${name}`, values]),
    )
  }
  const reads = await Promise.all(READS.map(read))
  const character = String(own)
  const named = { character_id: character, defender_character_id: String(other), '/v1/game/character id': character }
  return joined([
    ...reads,
    listed({ ...named, mission_id: Object.keys(missions), galaxy: GALAXIES, class: CLASSES, stat: STATS }),
  ])
}

const played = async (app: TestApp, { operator }: Balances, key: string): Promise<number> => {
  const user = await operator.user()
  const member = person(app, (await operator.session(user.sub)).cookie)
  await member.send('/account/game', { name: `Ada ${key.slice(-6)}`, class: 'envoy' })
  return (await claimed(app, member, key, user.password, GAME_SCOPES, UNITS)).characterId
}

/** Every text and number that an answer has under a name. */
const namesIn = (value: unknown, found: Record<string, string[]> = {}): Record<string, string[]> => {
  if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      if (['string', 'number'].includes(typeof item)) found[name] = [...new Set([...(found[name] ?? []), String(item)])]
      else namesIn(item, found)
    }
  return found
}
