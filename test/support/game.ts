import { GAME_SCOPES, type GameScope, type Grants } from '../../domain/game/members/scopes.ts'
import type { CharacterClass } from '../../domain/game/world/classes.ts'
import type { FragmentSlug } from '../../domain/game/world/fragments.ts'
import { type World, WrongRevision } from '../../domain/kernel/ports.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { openBooks } from '../../src/books/books.ts'
import type { Answer } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { readConfig } from '../../src/settings/config.ts'
import type { TestApp } from './app.ts'
import { giveUnits } from './given-units.ts'
import { noSnapshots } from './ledger.ts'
import { openOperator } from './operator.ts'
import { activeSeller } from './seller.ts'

/** Members of the game and the sellers' keys that act for them, over HTTP. */

export type Member = { readonly sub: string; readonly characterId: number }
export type Linked = Member & {
  readonly key: string
  readonly linkId: string
  /** A call of `/v1/game<path>` by the linked key. */
  call(method: string, path: string, body?: object): Promise<Answer>
}

type MemberWish = {
  name?: string
  class?: CharacterClass
  /** Game units that it has, from the house. */
  units?: number
  /**
   * Fragments that its character has found, from 1 on. Each comes with the experience and the units of a small mission.
   */
  fragments?: readonly FragmentSlug[]
}
/** Without scopes it may do all; without grants it may spend nothing. Without a key a new seller's. */
type LinkWish = { scopes?: readonly GameScope[]; grants?: Grants; key?: string }

const DAY_MS = 86_400_000
const MISSION_MS = 6 * 60_000
const CODE = 'pl-'

/** `own` is what the service's world has of its own, such as another time. */
export const openGame = async (
  app: Pick<TestApp, 'env' | 'databaseUrl' | 'served' | 'call'>,
  own: Partial<World> = {},
) => {
  const operator = await openOperator(app, own)
  const { ledger, flow } = operator
  const { world } = flow
  const past = await openPast(app, world)

  const fund = (sub: string, units: number) =>
    eventually('units for a member', async () => {
      try {
        await giveUnits({ store: past.store, ledger, world }, sub, units)
        return true
      } catch (error) {
        // What its missions brought came at the same time.
        if (error instanceof WrongRevision) return undefined
        throw error
      }
    })

  const member = async ({ name = 'Ada', class: chosen = 'pathfinder', units = 0, fragments = [] }: MemberWish = {}) => {
    const { sub } = await operator.user()
    const characterId = world.numberFrom('character', world.id('test'))
    await past.enlist(sub, { characterId, name, class: chosen }, fragments)
    if (units > 0) await fund(sub, units)
    return { sub, characterId }
  }

  const link = async (of: Member, { scopes = GAME_SCOPES, grants = {}, key }: LinkWish = {}): Promise<Linked> => {
    const [linkId, code] = [world.id('gln'), `${CODE}${world.id('x').slice(2)}`]
    const terms = { scopes, grants, label: 'A test' }
    await ledger.gameMember.makeCode(of.sub, { linkId, codeHash: world.digest(code), minutes: 10, ...terms })
    const own = key ?? (await activeSeller(app)).key
    const call: Linked['call'] = (method, path, body) =>
      app.call(method, `/v1/game${path}`, { key: own, ...(body && { body }) })
    // The code was made beside the service, which hears of it a moment later.
    await eventually('the link', async () => (await call('POST', '/link', { code })).status === 200)
    return { ...of, key: own, linkId, call }
  }

  return {
    operator,
    ledger,
    flow,
    fund,
    member,
    link,
    /** A new member and a new seller's key that acts for it. */
    player: async (wish: MemberWish & LinkWish = {}): Promise<Linked> => link(await member(wish), wish),
    /** What a member has once all that was sent to it has arrived. */
    balanceOf: async (sub: string) => (await ledger.gameMember.read(sub)).balance,
    async stop() {
      await past.stop()
      await operator.stop()
    },
  }
}

/** The same log a month ago, with a clock of its own: what takes time is over by now. */
const openPast = async (app: Pick<TestApp, 'env'>, world: World) => {
  let at = world.now().getTime() - 30 * DAY_MS
  const books = openBooks(readConfig(app.env))
  const then = { ...world, now: () => new Date(at) }
  const store = await books.store()
  const { ledger } = createLedger(store, then, noSnapshots).open({ actor: 'member', correlationId: 'test' })
  return {
    store,
    async enlist(
      sub: string,
      character: { characterId: number; name: string; class: CharacterClass },
      fragments: readonly FragmentSlug[],
    ) {
      const id = String(character.characterId)
      await ledger.gameCharacter.create(id, { ...character, member: sub })
      await ledger.gameMember.enlist(sub, character)
      for (const fragment of fragments) {
        const runId = world.id('grn')
        const seed = world.secret(32)
        await ledger.gameCharacter.startMission(id, {
          runId,
          missionId: 'light-the-buoys',
          seed,
          commit: world.digest(seed),
          roll: 0,
          fragmentRoll: 0,
          fragment,
        })
        at += MISSION_MS
        await ledger.gameCharacter.claimMission(id, { runId })
      }
    },
    stop: () => books.close(),
  }
}
