import test from 'ava'
import type { RecordedEvent, World } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { carryStakes } from '../../domain/reactions/policies/game.ts'
import { acceptDuel, cancelDuel, challengeDuel, declineDuel } from '../../domain/use-cases/game/duels.ts'
import type { LinkedPlayer } from '../../domain/use-cases/game/links.ts'
import { enterTournament, settleTournament } from '../../domain/use-cases/game/tournaments.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { arenaPolicies, callNamed, checkGame, checkGameAtRest, joins, player } from '../support/arena.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { type MemoryStore, memoryStore } from '../support/memory-store.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { found, holds, holdsUnderDrawn } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * Units that are staked for duels and tournaments, under every order of those who move them, some of which die
 * (I-GAM-01).
 */

const BOTH = { preemptions: 1, crashes: 1 }
const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPRINT = 'drift-sprint-2026-03-02'

type On = { readonly ledger: Ledger; readonly world: World }
type Call = { readonly name: string; readonly do: (on: On) => Promise<unknown>; readonly laterMs?: number }

const linked = (name: string, characterId: number): LinkedPlayer => ({
  ...player(name),
  state: { characters: [characterId] },
})
const [one, two] = [linked('a', 1), linked('b', 2)]

/** Two members with 20 units and a grant of 10 for each; and whatever `more` does. */
const given = async (more: (on: On) => Promise<unknown> = async () => {}) => {
  const store = memoryStore()
  const world = fixedWorld('given')
  const ledger = ledgerOn(store, world)
  await joins({ store, ledger, world }, 'a', { characterId: 1, units: 20, grant: 10 })
  await joins({ store, ledger, world }, 'b', { characterId: 2, units: 20, grant: 10 })
  await more({ ledger, world })
  await runPolicies(store, ledger, world, arenaPolicies)
  return store.events() as readonly RecordedEvent[]
}

const wish = (wagerUnits: number) => ({ challenger: 1, defender: 2, wagerUnits })
const create = (name: string, wagerUnits: number): Call => ({
  name,
  do: (on) => challengeDuel(on, callNamed(on.world, name), one, wish(wagerUnits), async () => 0),
})
const members = await given()
let duelId = ''
const open = await given(async (on) => {
  ;({ duelId } = await challengeDuel(on, callNamed(on.world, 'open'), one, wish(5), async () => 0))
})
const accept: Call = { name: 'accept', do: (on) => acceptDuel(on, callNamed(on.world, 'yes'), two, duelId, undefined) }
const cancel: Call = { name: 'cancel', do: (on) => cancelDuel(on, one, duelId) }
const decline: Call = { name: 'decline', do: (on) => declineDuel(on, two, duelId) }
const expire: Call = { name: 'expire', do: ({ ledger }) => ledger.gameDuel.expire(duelId, {}), laterMs: DAY_MS }
const enter = (name: string, who: LinkedPlayer, characterId: number): Call => ({
  name,
  do: (on) => enterTournament(on, callNamed(on.world, name), who, { slug: SPRINT, characterId }),
})
const settle: Call = { name: 'settle', do: ({ ledger }) => settleTournament(ledger, SPRINT), laterMs: DAY_MS }

test('I-GAM-01 G-GEN-03 two wagers at once, by processes that die, never spend more than the grant of the day', (t) =>
  holds(t, calling(members, { A: [create('x', 6)], B: [create('y', 6)] }, { carried: 'at rest', duels: 1 }), 150, BOTH))

test('G-PVP-02 a duel whose maker dies between its wager and itself comes about once', (t) =>
  holds(t, calling(members, { A: [create('x', 6)] }, { duels: 1 }), 40, BOTH))

test('G-PVP-02 a duel that is accepted, taken back and expired at once ends once, and its escrow is empty', (t) =>
  holds(t, calling(open, { A: [cancel], B: [accept], C: [expire] }, { carried: 'at rest' }), 700, BOTH))

test('G-PVP-02 a wager that is carried while it is accepted by hand is used once, whatever dies', async (t) => {
  const seen = new Set<string>()
  await holdsUnderDrawn(t, calling(open, { B: [accept], C: [cancel] }, { seen }), 300, PREEMPTION, CRASH)
  for (const type of ['DuelResolved', 'DuelCanceled', 'DuelStakeReturned']) t.true(seen.has(type), type)
})

test('G-PVP-02 a duel that is accepted, declined and expired at once ends once, and its escrow is empty', async (t) => {
  const seen = new Set<string>()
  await holdsUnderDrawn(
    t,
    calling(open, { A: [decline], B: [accept], C: [expire] }, { carried: 'at rest', seen }),
    60,
    PREEMPTION,
  )
  for (const type of ['DuelResolved', 'DuelDeclined', 'DuelExpired']) t.true(seen.has(type), type)
})

test('G-TRN-02 entries that meet the end of a tournament are in it, or come back', async (t) => {
  const seen = new Set<string>()
  const calls = { A: [enter('p', one, 1)], B: [enter('q', two, 2)], C: [settle] }
  await holdsUnderDrawn(t, calling(members, calls, { carried: 'at rest', seen }), 200, PREEMPTION, CRASH)
  for (const type of ['TournamentEntered', 'TournamentStakeReturned', 'TournamentCanceled'])
    t.true(seen.has(type), type)
})

test('G-TRN-02 an entry that nobody carries on before the end comes back, and nobody enters any more', async (t) => {
  const seen = new Set<string>()
  await holdsUnderDrawn(
    t,
    calling(members, { A: [enter('p', one, 1)] }, { carried: 'at rest', once: true, seen }),
    5,
    CRASH,
  )
  for (const type of ['TournamentEntered', 'TournamentClosed', 'TournamentStakeReturned']) t.true(seen.has(type), type)
})

test('G-TRN-02 an entry whose maker dies is carried on while the tournament ends', (t) =>
  holds(t, calling(members, { A: [enter('p', one, 1)], C: [settle] }), 300, PREEMPTION, CRASH))

test('a stake that nobody carries on is found out', (t) =>
  found(t, calling(members, { A: [create('x', 6)] }, { carried: 'never' }), /holds 6 at rest/, BOTH))

test('a duel that anybody may end twice is found out', (t) =>
  found(
    t,
    calling(open, { A: [cancel], B: [accept] }, { carried: 'at rest', heedless: true }),
    /below zero|ended twice|holds|another stake/,
    PREEMPTION,
  ))

type Options = {
  /**
   * When the stakes are carried on; by a process of its own unless given. With `never` no call is made again either.
   */
  readonly carried?: 'meanwhile' | 'at rest' | 'never'
  /** No call is made again. */
  readonly once?: true
  /** Duels that there are in the end. */
  readonly duels?: number
  /** Appends wherever the stream has come to. */
  readonly heedless?: true
  /** Gets the types of all events that any order brought. */
  readonly seen?: Set<string>
}

/**
 * The calls of each process are made at once, and again when their process has died. Afterwards whoever follows the log
 * has caught up.
 */
const calling =
  (
    log: readonly RecordedEvent[],
    calls: { readonly [process: string]: readonly Call[] },
    { carried = 'meanwhile', duels, heedless, once, seen }: Options = {},
  ): Scenario =>
  (start) => {
    const outside = createOutside(log)
    const called = new Set<string>()
    outside.checkpoints.set(carryStakes.name, log.at(-1)?.position ?? -1n)
    if (carried === 'meanwhile') start('R', (self) => createMachine(self, outside).run(carryStakes))
    for (const [name, own] of Object.entries(calls))
      start(name, (self) => {
        const { ledger, world } = createMachine(self, outside, heedless ? { store: heedlessOn(outside.store) } : {})
        for (const call of own) {
          if ((once || carried === 'never') && called.has(call.name)) continue
          called.add(call.name)
          if (call.laterMs !== undefined) (world as FixedWorld).step(call.laterMs)
          self.task(call.name, () => call.do({ ledger, world }).catch(unlessRefused))
        }
      })
    return {
      shared: outside.shared,
      always: () => checkGame(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        world.step(2 * DAY_MS)
        const ledger = ledgerOn(outside.store, world)
        const which = carried === 'never' ? arenaPolicies.filter((each) => each !== carryStakes) : arenaPolicies
        await runPolicies(outside.store, ledger, world, which)
        if (outside.store.events().some(({ type }) => type === 'TournamentEntered'))
          await settleTournament(ledger, SPRINT)
        await runPolicies(outside.store, ledger, world, which)
        const events = outside.store.events()
        checkGameAtRest(events)
        for (const { type } of events) seen?.add(type)
        const made = events.filter(({ type }) => type === 'DuelChallenged').length
        if (duels !== undefined && made !== duels) throw new Error(`${made} duels at rest`)
      },
    }
  }

const unlessRefused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
}

/** Appends wherever the stream has come to. */
const heedlessOn = (store: MemoryStore) =>
  watched({ ...store, append: (stream, _, events) => store.append(stream, store.revision(stream), events) })
