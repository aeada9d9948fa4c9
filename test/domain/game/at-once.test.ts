/** Calls of members that come at once, or again under the same key: each means what it asked for, and no more. */
import test from 'ava'
import { dayOf } from '../../../domain/calendar.ts'
import { characterOf } from '../../../domain/flows/game/act.ts'
import { challengeDuel } from '../../../domain/flows/game/duels.ts'
import { proposeInvention } from '../../../domain/flows/game/inventions.ts'
import { newCharacter } from '../../../domain/flows/game/new-character.ts'
import { enterTournament } from '../../../domain/flows/game/tournaments.ts'
import { CHARACTERS_MAX } from '../../../domain/game/member.ts'
import { skillsAt } from '../../../domain/game/world/classes.ts'
import { type FragmentSlug, slugsOf } from '../../../domain/game/world/fragments.ts'
import type { Ledger } from '../../../domain/ledger.ts'
import { arenaPolicies, callNamed, checkGameAtRest, finished, joins, openVault, player } from '../../support/arena.ts'
import { ledgerOn, runPolicies } from '../../support/ledger.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fixedWorld } from '../../support/world.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]
const idOf = (name: Name) => NAMES.indexOf(name) + 1

const scene = async () => {
  const store = memoryStore()
  const world = fixedWorld()
  const ledger = ledgerOn(store, world)
  for (const name of NAMES)
    await joins({ store, ledger, world }, name, { characterId: idOf(name), units: 60, grant: 20 })
  return { store, world, ledger, carry: () => runPolicies(store, ledger, world, arenaPolicies) }
}

test('G-GEN-03 X-IDEM-01 a wager is worth what was staked for it, whatever else is asked under its key meanwhile', async (t) => {
  const { ledger, world, store, carry } = await scene()
  const ask = (key: string, by: Name, wagerUnits: number, at = ledger) => {
    const once = callNamed(world, key, { by, wagerUnits })
    const wish = { challenger: idOf(by), defender: (idOf(by) % 3) + 1, wagerUnits }
    return challengeDuel({ ledger: at, world }, once, player(by), wish, async () => 0)
  }
  const gone = async (): Promise<never> => Promise.reject(new Error('broke off'))
  const duels = { read: (id: string) => ledger.gameDuel.read(id), challenge: gone }
  const broken: Ledger = Object.create(ledger, { gameDuel: { value: duels } })
  await t.throwsAsync(ask('k', 'a', 1, broken), { message: 'broke off' })
  await t.throwsAsync(ask('k', 'a', 15), { code: 'idempotency-conflict' })
  await t.notThrowsAsync(ask('k', 'a', 1))
  await t.throwsAsync(ask('k', 'a', 15), { code: 'idempotency-conflict' })

  // Keys of one seller may act for several members, and choose the same words.
  await t.throwsAsync(ask('m', 'a', 2, broken), { message: 'broke off' })
  const others = await ask('m', 'b', 2)
  t.is(others.terms.challengerMember, player('b').member)
  await carry()
  checkGameAtRest(store.events())
  t.is(store.events().filter(({ type }) => type === 'DuelChallenged').length, 3)
})

test('G-TRN-02 of two characters of one member that enter at once one has entered, and the other is told so', async (t) => {
  const { ledger, world, store, carry } = await scene()
  const other = await newCharacter({ ledger, world }, player('a').member, { name: 'Ada', class: 'envoy' })
  const slug = `drift-sprint-${dayOf(world.now().toISOString())}`
  const before = await ledger.gameTournament.read(slug)
  const both = { read: async () => before, enter: ledger.gameTournament.enter.bind(ledger.gameTournament) }
  const atOnce: Ledger = Object.create(ledger, { gameTournament: { value: both } })
  const enter = (characterId: number) =>
    enterTournament({ ledger: atOnce, world }, callNamed(world, `e${characterId}`), player('a'), { slug, characterId })
  await t.notThrowsAsync(enter(idOf('a')))
  await t.throwsAsync(enter(other.characterId), { code: 'already-entered' })
  await carry()
  checkGameAtRest(store.events())
})

test('G-CHR-02 N-50 however many characters a member begins at once, those beyond the most do nothing', async (t) => {
  const { ledger, world } = await scene()
  const names = ['Ada', 'Bea', 'Cay', 'Dot', 'Eve', 'Fay']
  const begun = await Promise.allSettled(
    names.map((name) => newCharacter({ ledger, world }, player('a').member, { name, class: 'envoy' })),
  )
  const { characters } = await ledger.gameMember.read(player('a').member)
  t.is(characters.length, CHARACTERS_MAX)
  t.is(begun.filter(({ status }) => status === 'rejected').length, names.length + 1 - CHARACTERS_MAX)
  const numbers = names.map((name) => world.numberFrom('game-character', name.toLowerCase()))
  const act = (id: number) => characterOf({ ledger }, player('a').member, id)
  for (const id of numbers)
    if (characters.includes(id)) t.is((await act(id)).characterId, id)
    else await t.throwsAsync(act(id), { code: 'character-not-found' })
})

test('G-INV-02 X-IDEM-01 one key of a seller that comes with two characters makes two inventions', async (t) => {
  const { ledger, world, store } = await scene()
  const fragments = [1, 2].map((id) => ({ id, slug: slugsOf('common')[0] as FragmentSlug }))
  const at = world.now().toISOString()
  for (const name of ['a', 'b'] as const)
    await finished(store, String(idOf(name)), { score: 0, at, member: player(name).member, fragments })
  const invent = async (by: Name) => {
    const flow = { ledger, world, vault: openVault(world) }
    const wish = { name: 'n', thesis: 't', fragmentIds: [1, 2], skills: skillsAt('envoy', 1) }
    const character = await characterOf({ ledger }, player(by).member, idOf(by))
    return proposeInvention(flow, callNamed(world, 'k', { by }), character, wish, async () => 0)
  }
  t.not((await invent('a')).inventionId, (await invent('b')).inventionId)
})
