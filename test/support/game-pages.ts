import type { TestApp } from './app.ts'
import type { Person } from './people.ts'
import { ok } from './seller.ts'

/** Short ways to a linked member of the game, through the member's own pages. */

type Fields = Readonly<Record<string, string>>

/** Makes a link code as its member does; the proof is the password. `units`: a day, by scope. */
export const linkCode = async (who: Person, password: string, wish: Fields, units: Fields = {}): Promise<string> => {
  const path = '/account/game/links/new'
  const grants = Object.fromEntries(Object.entries(units).map(([scope, each]) => [`${scope}.units`, each]))
  const { text } = await who.send(path, { ...wish, ...grants, agreed: '1', password })
  const [code] = /pl-[a-z2-7]{26}/.exec(text) ?? []
  if (code === undefined) throw new Error(`no code was made: ${text}`)
  return code
}

/** Links a key to a member, who has a character. */
export const claimed = async (
  app: Pick<TestApp, 'call'>,
  who: Person,
  key: string,
  password: string,
  scopes: readonly string[],
  units: Fields = {},
): Promise<{ linkId: string; characterId: number }> => {
  const wish = { label: 'Agent', ...Object.fromEntries(scopes.map((scope) => [scope, '1'])) }
  const code = await linkCode(who, password, wish, units)
  const { json } = await ok(app.call('POST', '/v1/game/link', { key, body: { code } }))
  const me = await ok(app.call('GET', '/v1/game/me', { key }))
  return { linkId: json.link_id, characterId: me.json.roster[0]?.id }
}
