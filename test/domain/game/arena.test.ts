import test from 'ava'
import fc from 'fast-check'
import { existingCharacter } from '../../../domain/game/characters/character-state.ts'
import { fight } from '../../../domain/game/contests/fight.ts'
import { diceOf } from '../../../domain/game/world/chance.ts'
import { dayOf } from '../../../domain/kernel/calendar.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import {
  acceptDuel,
  cancelDuel,
  challengeDuel,
  type DuelNamed,
  declineDuel,
} from '../../../domain/use-cases/game/duels.ts'
import type { Player } from '../../../domain/use-cases/game/links.ts'
import { enterTournament, settleTournament } from '../../../domain/use-cases/game/tournaments.ts'
import type { EventType } from '../../../domain/write-side/deciders.ts'
import {
  arenaPolicies,
  callNamed,
  checkGame,
  checkGameAtRest,
  finished,
  joins,
  player,
  playing,
} from '../../support/arena.ts'
import { NOW } from '../../support/given.ts'
import { ledgerOn, runPolicies } from '../../support/ledger.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fixedWorld } from '../../support/world.ts'

const HOUR_MS = 3_600_000
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** Three members with 60 units, who may stake 15 a day on duels, and as many on entries. */
const scene = async () => {
  const store = memoryStore()
  const world = fixedWorld()
  const ledger = ledgerOn(store, world)
  for (const [i, name] of NAMES.entries())
    await joins({ store, ledger, world }, name, { characterId: i + 1, units: 60, grant: 15 })
  let calls = 0
  const once = () => callNamed(world, String(calls++))
  const on = { ledger, world }
  return {
    store,
    world,
    ledger,
    once,
    challenge: async (by: Name, of: Name, wagerUnits: number) =>
      challengeDuel(
        on,
        once(),
        await playing(ledger, player(by)),
        { challenger: idOf(by), defender: idOf(of), wagerUnits },
        async () => 0,
      ),
    accept: (by: Player, duelId: string) => acceptDuel(on, once(), by, duelId, undefined),
    cancel: (by: Player, duelId: string) => cancelDuel(on, by, duelId),
    decline: (by: Player, duelId: string) => declineDuel(on, by, duelId),
    expire: (duelId: string) => ledger.gameDuel.expire(duelId, {}),
    enter: async (by: Name, slug: string) =>
      enterTournament(on, once(), await playing(ledger, player(by)), { slug, characterId: idOf(by) }),
    settle: (slug: string) => settleTournament(ledger, slug),
    scores: (by: Name, score: number) =>
      finished(store, String(idOf(by)), { score, at: world.now().toISOString(), member: player(by).member }),
    append: (stream: string, type: EventType, data: object) => {
      const meta = { v: 1, at: NOW, cause: { actor: 'test', correlationId: 'test' } }
      const event = { id: world.uuidFrom(`${stream} ${store.revision(stream)}`), type, data, meta }
      return store.append(stream, store.revision(stream), [event])
    },
    carry: () => runPolicies(store, ledger, world, arenaPolicies),
    count: (type: EventType) => store.events().filter((event) => event.type === type).length,
    balance: async (name: Name) => (await ledger.gameMember.read(player(name).member)).balance,
  }
}
type Scene = Awaited<ReturnType<typeof scene>>
const idOf = (name: Name) => NAMES.indexOf(name) + 1

const member = fc.constantFrom(...NAMES)
const wager = fc.integer({ min: 0, max: 8 })
const nth = fc.nat(20)
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('challenge' as const), by: member, of: member, wager }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('accept' as const), nth, by: fc.option(member) }) },
  fc.record({
    do: fc.constantFrom('cancel' as const, 'decline' as const, 'expire' as const),
    nth,
    by: fc.option(member),
  }),
  fc.record({ do: fc.constant('enter' as const), by: member }),
  fc.record({ do: fc.constant('score' as const), by: member, score: fc.nat(900) }),
  fc.record({ do: fc.constant('settle' as const) }),
  fc.record({ do: fc.constant('carry' as const) }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 30 }) }),
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

test('I-GAM-01 G-GEN-03 whatever is staked, won, given back and settled, no unit is made or lost and no grant exceeded', async (t) => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const on = await scene()
      const duels: DuelNamed[] = []
      for (const each of actions) {
        await play(on, duels, each).catch(unlessRefused)
        checkGame(on.store.events())
      }
      await on.carry()
      on.world.step(48 * HOUR_MS)
      for (const { duelId } of duels) await on.expire(duelId)
      for (const { stream } of on.store.events().filter(({ type }) => type === 'TournamentEntered'))
        await on.settle(stream.slice('gameTournament-'.length))
      await on.carry()
      checkGameAtRest(on.store.events())
      const balances = await Promise.all(NAMES.map(on.balance))
      t.is(
        balances.reduce((sum, each) => sum + each),
        180,
        'all is with the members again',
      )
      for (const { type } of on.store.events()) seen.add(type)
    }),
    { numRuns: 60 },
  )
  for (const type of [...ENDS, 'TournamentEntered']) t.true(seen.has(type), type)
})

const ENDS = ['DuelResolved', 'DuelDeclined', 'DuelCanceled', 'DuelExpired', 'TournamentCanceled']

/** The defender or the challenger does it, unless it is said who. */
const play = async (on: Scene, duels: DuelNamed[], what: Action): Promise<unknown> => {
  if (what.do === 'challenge') return duels.push(await on.challenge(what.by, what.of, what.wager))
  if (what.do === 'enter') return on.enter(what.by, `drift-sprint-${dayOf(on.world.now().toISOString())}`)
  if (what.do === 'score') return on.scores(what.by, what.score)
  if (what.do === 'carry') return on.carry()
  if (what.do === 'wait') return on.world.step(what.hours * HOUR_MS)
  if (what.do === 'settle') {
    const entered = on.store.events().filter(({ type }) => type === 'TournamentEntered')
    for (const { stream } of entered) await on.settle(stream.slice('gameTournament-'.length))
    return undefined
  }
  const duel = duels[what.nth % Math.max(duels.length, 1)]
  if (!duel) return undefined
  if (what.do === 'expire') return on.expire(duel.duelId)
  const { challengerMember, defenderMember } = duel.terms
  const usual = what.do === 'cancel' ? challengerMember : defenderMember
  return on[what.do](player(what.by ?? usual.slice(-1)), duel.duelId)
}

test('G-PVP-02 both wagers go to the winner, a draw gives both back, and the dice can be cast again by anybody', async (t) => {
  const on = await scene()
  for (let n = 0; n < 4; n++) {
    const duel = await on.challenge('a', 'b', 3)
    t.is(duel.terms.commit, on.world.digest(duel.terms.seed))
    const { result, status } = await on.accept(player('b'), duel.duelId)
    if (!result) throw new Error('not fought')
    t.is(status, 'resolved')
    const { stats } = existingCharacter(await on.ledger.gameCharacter.read('1'))
    const dice = diceOf(on.world, duel.terms.seed, `${duel.duelId}|${result.requestId}`)
    t.deepEqual(fight(dice, { challenger: stats, defender: stats }), result.rounds)
    t.is(
      result.payouts.reduce((sum, { units }) => sum + units, 0),
      6,
    )
  }
  await on.carry()
  const events = on.store.events().filter(({ type }) => type === 'GameDuelCounted')
  const rated = events.map(({ data }) => (data as { rated: boolean }).rated)
  t.deepEqual(rated, [...Array(6).fill(true), false, false], 'at most three a day change the ratings of a pair')
  await on.challenge('a', 'b', 4).then(
    () => t.fail(),
    (error) => t.is(error.code, 'wager-grant-ceiling'),
  )
  on.world.step(24 * HOUR_MS)
  t.is((await on.challenge('a', 'b', 4)).status, 'open', 'the next day has a grant of its own')
  t.is(await codeOf(on.accept(player('c'), events[0]?.data['duelId' as never] ?? '')), 'not-your-duel')
  t.is(await codeOf(on.challenge('a', 'a', 0)), 'invalid-request')
})

test('G-TRN-02 the best score of the window wins the entries, once; two who have none get theirs back', async (t) => {
  const on = await scene()
  const slug = 'drift-sprint-2026-03-02'
  for (const name of NAMES) await on.enter(name, slug)
  t.is(await codeOf(on.enter('a', slug)), 'already-entered')
  t.is(await codeOf(on.enter('a', 'drift-sprint-2026-03-03')), 'tournament-closed')
  t.is(await codeOf(on.enter('a', 'drift-sprint-2026-02-31')), 'tournament-not-found')
  await on.scores('b', 300)
  await on.scores('c', 300)
  await on.settle(slug)
  t.is(on.count('TournamentSettled'), 0, 'it is not over')
  on.world.step(14 * HOUR_MS + 60_000)
  await on.settle(slug)
  await on.settle(slug)
  const next = 'drift-sprint-2026-03-03'
  for (const name of ['a', 'b'] as const) await on.enter(name, next)
  on.world.step(24 * HOUR_MS)
  await on.settle(next)
  await on.carry()
  checkGameAtRest(on.store.events())
  t.deepEqual(await Promise.all(NAMES.map(on.balance)), [55, 70, 55])
})

test('G-TRN-02 a tournament ends as it was entered, whatever has become of its kind; of one that nobody knows any more all goes back', async (t) => {
  const held = { game: 'lane-drift', window: '2026-03-02', endsAt: '2026-03-03T00:00:00.000Z' } as const
  for (const [kept, balances] of [
    [held, [55, 65]],
    [undefined, [60, 60]],
  ] as const) {
    const on = await scene()
    const slug = 'gone-sprint-2026-03-02'
    for (const name of ['a', 'b'] as const) {
      const { member, linkId } = player(name)
      const stake = { stakeId: `entry:${slug}:2026-03-02`, units: 5 }
      const what = { kind: 'tournament', slug, characterId: idOf(name) } as const
      const where = { scope: 'game.tournament.entry', to: `escrow:tournament:${slug}` } as const
      await on.ledger.gameMember.stake(member, { ...stake, linkId, ...where, for: what })
      const entered = { slug, member, characterId: idOf(name), stake, entryUnits: 5, enteredAt: NOW }
      await on.append(`gameTournament-${slug}`, 'TournamentEntered', { ...entered, ...(kept && { held: kept }) })
    }
    await on.scores('b', 300)
    on.world.step(24 * HOUR_MS)
    await on.settle(slug)
    await on.settle(slug)
    await on.settle('gone-sprint-2026-03-09')
    await on.carry()
    checkGameAtRest(on.store.events())
    t.deepEqual(await Promise.all((['a', 'b'] as const).map(on.balance)), [...balances])
    t.is(on.count('TournamentSettled') + on.count('TournamentCanceled'), 1)
  }
})

const codeOf = (work: Promise<unknown>) => work.then(() => 'done', unlessRefused)

const unlessRefused = (error: unknown) => {
  if (error instanceof Refusal) return error.code
  throw error
}
