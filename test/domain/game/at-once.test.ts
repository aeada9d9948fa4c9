/** Calls of members that come at once, or again under the same key: each means what it asked for, and no more. */
import test from 'ava'
import { tournamentsAround } from '../../../domain/game/contests/tournaments.ts'
import { CHARACTERS_MAX } from '../../../domain/game/members/member.ts'
import { usedOn } from '../../../domain/game/members/stakes.ts'
import { skillsAt } from '../../../domain/game/world/classes.ts'
import { type FragmentSlug, slugsOf } from '../../../domain/game/world/fragments.ts'
import { dayOf } from '../../../domain/kernel/calendar.ts'
import { enlistCharacters } from '../../../domain/reactions/policies/game.ts'
import { beginScan } from '../../../domain/use-cases/game/act.ts'
import { characterOf, newCharacter } from '../../../domain/use-cases/game/characters.ts'
import { doOnce } from '../../../domain/use-cases/game/do-once.ts'
import { acceptDuel, challengeDuel } from '../../../domain/use-cases/game/duels.ts'
import { proposeInvention } from '../../../domain/use-cases/game/inventions.ts'
import type { Player } from '../../../domain/use-cases/game/links.ts'
import { stakeToday } from '../../../domain/use-cases/game/staking.ts'
import { enterTournament } from '../../../domain/use-cases/game/tournaments.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { arenaPolicies, callNamed, checkGameAtRest, finished, joins, player, playing } from '../../support/arena.ts'
import { ledgerOn, runPolicies } from '../../support/ledger.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { openVault } from '../../support/open-vault.ts'
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
  const ask = async (key: string, by: Name, wagerUnits: number, at = ledger) => {
    const once = callNamed(world, key, { by, wagerUnits })
    const wish = { challenger: idOf(by), defender: (idOf(by) % 3) + 1, wagerUnits }
    return challengeDuel({ ledger: at, world }, once, await playing(ledger, player(by)), wish, async () => 0)
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
  const enter = async (characterId: number) => {
    const once = callNamed(world, `e${characterId}`)
    return enterTournament({ ledger: atOnce, world }, once, await playing(ledger, player('a')), { slug, characterId })
  }
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
  const act = async (id: number) => characterOf({ ledger }, await playing(ledger, player('a')), id)
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
    const character = await characterOf({ ledger }, await playing(ledger, player(by)), idOf(by))
    return proposeInvention(flow, callNamed(world, 'k', { by }), character, wish, async () => 0)
  }
  t.not((await invent('a')).inventionId, (await invent('b')).inventionId)
})

test('G-GEN-03 of a member’s two links one takes no part in what was staked on the grant of the other', async (t) => {
  const { ledger, world, store, carry } = await scene()
  const { member, linkId } = player('b')
  const second = { member, linkId: 'gln_b2' }
  const scopes = ['game.pvp.act', 'game.tournaments.act'] as const
  await ledger.gameMember.makeCode(member, { ...second, codeHash: 'b2', minutes: 10, scopes, grants: {}, label: 'b2' })
  await ledger.gameMember.claim(member, { ...second, accountId: 'acc_1', holder: 'acc_b2', consumerId: 'b2' })
  const slug = `drift-sprint-${dayOf(world.now().toISOString())}`
  const gone = async (): Promise<never> => Promise.reject(new Error('broke off'))
  const broken: Ledger = Object.create(ledger, {
    gameDuel: { value: { read: (id: string) => ledger.gameDuel.read(id), accept: gone } },
    gameTournament: { value: { read: (id: string) => ledger.gameTournament.read(id), enter: gone } },
  })
  const wish = { challenger: idOf('a'), defender: idOf('b'), wagerUnits: 3 }
  const by = await playing(ledger, player('a'))
  const { duelId } = await challengeDuel({ ledger, world }, callNamed(world, 'c'), by, wish, async () => 0)
  const accept = (of: Player, at = ledger) =>
    acceptDuel({ ledger: at, world }, callNamed(world, `a${of.linkId}`), of, duelId, undefined)
  const enter = async (of: Player, at = ledger) => {
    const once = callNamed(world, `e${of.linkId}`)
    return enterTournament({ ledger: at, world }, once, await playing(ledger, of), { slug, characterId: idOf('b') })
  }
  for (const act of [accept, enter]) {
    await t.throwsAsync(act({ member, linkId }, broken), { message: 'broke off' })
    await t.throwsAsync(act(second), { code: 'rate-limited' })
  }
  const { spending } = await ledger.gameMember.read(member)
  t.is(usedOn(spending, world.now().toISOString(), second.linkId, 'game.pvp.wager'), 0)
  await carry()
  checkGameAtRest(store.events())
  const ended = store.events().filter(({ type }) => type === 'DuelResolved' || type === 'TournamentEntered')
  t.is(ended.length, 2, 'what the first link has staked for came about')
})

test('G-GEN-03 whoever meets a stake of another amount is refused', async (t) => {
  const { ledger, world } = await scene()
  const to = 'escrow:tournament:drift-sprint-2026-03-02'
  const what = { kind: 'tournament', slug: 'drift-sprint-2026-03-02', characterId: 1 } as const
  const entry = (units: number) =>
    stakeToday({ ledger, world }, player('a'), {
      about: 'entry:drift-sprint-2026-03-02',
      scope: 'game.tournament.entry',
      to,
      units,
      for: what,
    })
  t.is((await entry(5))?.units, 5)
  await t.throwsAsync(entry(6), { code: 'idempotency-conflict' })
  t.is((await entry(5))?.units, 5)
})

test('N-41 X-IDEM-01 one key accepts one duel and enters one tournament; of another member it is another key', async (t) => {
  const { ledger, world, store, carry } = await scene()
  const challenge = async (key: string, by: Name, of: Name) => {
    const wish = { challenger: idOf(by), defender: idOf(of), wagerUnits: 0 }
    const who = await playing(ledger, player(by))
    return challengeDuel({ ledger, world }, callNamed(world, key), who, wish, async () => 0)
  }
  const accept = (of: Name, { duelId }: { duelId: string }) =>
    acceptDuel({ ledger, world }, callNamed(world, 'yes', { duelId }), player(of), duelId, undefined)
  const [first, second] = [await challenge('1', 'a', 'b'), await challenge('2', 'a', 'b')]
  t.is((await accept('b', first)).status, 'resolved')
  t.is((await accept('b', first)).status, 'resolved')
  await t.throwsAsync(accept('b', second), { code: 'idempotency-conflict' })
  t.is((await accept('c', await challenge('3', 'a', 'c'))).status, 'resolved')

  const enter = async (by: Name, slug: string) => {
    const once = callNamed(world, 'in', { slug })
    return enterTournament({ ledger, world }, once, await playing(ledger, player(by)), { slug, characterId: idOf(by) })
  }
  const now = world.now().toISOString()
  const slugs = tournamentsAround(now).filter(
    (each) => each.startsAt <= now && now < each.endsAt && each.entryUnits < 20,
  )
  const [one, two] = slugs.map(({ slug }) => slug) as [string, string]
  t.truthy(await enter('a', one))
  t.truthy(await enter('a', one))
  await t.throwsAsync(enter('a', two), { code: 'idempotency-conflict' })
  t.truthy(await enter('b', two))
  await carry()
  checkGameAtRest(store.events())
})

test('G-CHR-02 a character whose maker broke off before its member listed it is listed all the same', async (t) => {
  const { ledger, world, store } = await scene()
  const { member } = player('a')
  const gone = async (): Promise<never> => Promise.reject(new Error('broke off'))
  const members = { read: (id: string) => ledger.gameMember.read(id), enlist: gone }
  const broken: Ledger = Object.create(ledger, { gameMember: { value: members } })
  const wish = { name: 'Zed', class: 'envoy' } as const
  await t.throwsAsync(newCharacter({ ledger: broken, world }, member, wish), { message: 'broke off' })
  const characterId = world.numberFrom('game-character', 'zed')
  t.false((await ledger.gameMember.read(member)).characters.includes(characterId))
  for (const n of Array(CHARACTERS_MAX).keys())
    await ledger.gameCharacter.create(String(900 + n), { member: player('b').member, characterId: 900 + n, ...wish })
  await runPolicies(store, ledger, world, [enlistCharacters])
  t.true((await ledger.gameMember.read(member)).characters.includes(characterId))
  t.is((await ledger.gameMember.read(player('b').member)).characters.length, CHARACTERS_MAX, 'and never more than that')
})

test('X-IDEM-01 a repeated call is answered as the first was, and refused when what it brought is not kept any more', async (t) => {
  const { ledger, world } = await scene()
  const one = async () => characterOf({ ledger }, await playing(ledger, player('a')), idOf('a'))
  const flow = { ledger, world, vault: openVault(world) } as never
  const start = async (key: string) => {
    const once = callNamed(world, key)
    const { scanId } = await beginScan(flow, once, await one(), 'tidal-shelf')
    return { scanId, replayed: once.replayed() }
  }
  const first = await start('k')
  t.false(first.replayed)
  t.deepEqual(await start('k'), { ...first, replayed: true })
  const stale = { ...(await one()), calls: [] }
  const raced = callNamed(world, 'k')
  const again = await doOnce<{ scanId: string }>(raced, stale, async () => ({ state: await one(), events: [] }))
  t.deepEqual({ scanId: again.scanId, replayed: raced.replayed() }, { ...first, replayed: true })
  const forgotten = doOnce(callNamed(world, 'k'), stale, async () => ({ state: stale, events: [] }))
  await t.throwsAsync(forgotten, { code: 'idempotency-conflict' })
})
