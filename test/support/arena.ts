/**
 * Members of the game who stake units against each other, without HTTP, and what has to be true of every log of theirs.
 */

import type { Rewards } from '../../domain/game/characters/character-state.ts'
import { dayOf } from '../../domain/kernel/calendar.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { EventStore, RecordedEvent, World } from '../../domain/kernel/ports.ts'
import { carryGameUnits, carryStakes, countDuels, holdLinks } from '../../domain/reactions/policies/game.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import type { LinkedPlayer, Player } from '../../domain/use-cases/game/links.ts'
import { type Once, onceOf } from '../../domain/use-cases/once.ts'
import type { EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { giveUnits } from './given-units.ts'
import type { MemoryStore } from './memory-store.ts'
import { openVault } from './open-vault.ts'
import { fixedWorld } from './world.ts'

export const arenaPolicies = [holdLinks, carryStakes, carryGameUnits, countDuels]

/** The member of that letter; its character has the number. */
export const player = (name: string): Player => ({ member: `usr_${name}`, linkId: `gln_${name}` })

/** The same, with the member as it is now. */
export const playing = async (ledger: Ledger, who: Player): Promise<LinkedPlayer> => ({
  ...who,
  state: await ledger.gameMember.read(who.member),
})

/** A member with a character, units, and a link that may stake so many a day on each. */
export const joins = async (
  { store, ledger, world }: { store: EventStore; ledger: Ledger; world: World },
  name: string,
  { characterId, units, grant }: { characterId: number; units: number; grant: number },
): Promise<void> => {
  const { member, linkId } = player(name)
  if (units > 0) await giveUnits({ store, ledger, world }, member, units)
  const character = { characterId, name, class: 'envoy' } as const
  await ledger.gameCharacter.create(String(characterId), { ...character, member })
  await ledger.gameMember.enlist(member, character)
  const scopes = ['game.pvp.act', 'game.pvp.wager', 'game.tournaments.act', 'game.tournament.entry'] as const
  const grants = { 'game.pvp.wager': grant, 'game.tournament.entry': grant }
  await ledger.gameMember.makeCode(member, { linkId, codeHash: name, minutes: 10, scopes, grants, label: name })
  await ledger.gameMember.claim(member, { linkId, accountId: 'acc_1', holder: `acc_${name}`, consumerId: name })
}

/** A call that names itself, so that it is the same one after a crash. */
export const callNamed = (world: World, key: string, body: object = {}): Once =>
  onceOf({ world, vault: openVault(world) }, { accountId: 'acc_1', operation: 'game', key, body })

type Run = { score: number; at: string; member: string; fragments?: Rewards['fragments'] }

/** A run of the day's sprint, as if it had been judged. */
export const finished = (store: MemoryStore, id: string, run: Run) => {
  const { score, at, member, fragments = [] } = run
  const stream = `gameCharacter-${id}`
  const runId = `${id} ${at} ${score}`
  const data = {
    runId,
    slug: 'lane-drift',
    member,
    moves: [],
    score,
    best: score,
    points: 0,
    seed: 's',
    finishedAt: at,
    rewards: { xp: 0, units: 0, fragments },
  }
  const meta = { v: 1, at, cause: { actor: 'test', correlationId: 'test' } }
  const event = { id: fixedWorld().uuidFrom(runId), type: 'GameRunFinished', data, meta }
  return store.append(stream, store.revision(stream), [event])
}

/**
 * Throws with the first rule that the log breaks, whatever is on its way: nothing is made or lost, nobody is below
 * zero, no grant exceeded.
 */
export const checkGame = (events: readonly RecordedEvent[]): void => {
  const accounts = new Map<string, bigint>()
  const grants = new Map<string, number>()
  const spent = new Map<string, number>()
  const stakes = new Map<string, { key: string; units: number }>()
  for (const event of events) {
    const postings = postingsOf(event)
    if (postings.reduce((sum, { amount }) => sum + BigInt(amount), 0n) !== 0n)
      throw new Error(`${event.type} makes units`)
    for (const { account, amount } of postings) {
      const now = (accounts.get(account) ?? 0n) + BigInt(amount)
      accounts.set(account, now)
      if (now < 0n && account !== 'house' && account !== 'in-transit')
        throw new Error(`${account} is below zero: ${now} by ${event.type}`)
    }
    if (is(event, 'GameLinkCodeMade'))
      for (const [scope, units] of Object.entries(event.data.grants)) grants.set(`${event.data.linkId} ${scope}`, units)
    if (is(event, 'GameUnitsStaked')) {
      const { linkId, scope, units, stakeId, stakedAt } = event.data
      const key = `${linkId} ${scope} ${dayOf(stakedAt)}`
      if (stakes.has(`${event.stream} ${stakeId}`)) throw new Error(`${stakeId} was staked twice`)
      stakes.set(`${event.stream} ${stakeId}`, { key, units })
      spent.set(key, (spent.get(key) ?? 0) + units)
      if ((spent.get(key) ?? 0) > (grants.get(`${linkId} ${scope}`) ?? 0)) throw new Error(`${key} is over its grant`)
    }
    if (is(event, 'GameUnitsReceived') && event.data.returned !== null) {
      const stake = stakes.get(`${event.stream} ${event.data.returned}`)
      if (stake?.units !== event.data.units)
        throw new Error(`${event.data.returned} came back as another stake, or twice`)
      stakes.set(`${event.stream} ${event.data.returned}`, { ...stake, units: 0 })
      spent.set(stake.key, (spent.get(stake.key) ?? 0) - event.data.units)
    }
    if ('balance' in event.data && event.stream.startsWith('gameMember')) {
      const has = accounts.get(`user:${idOf(event.stream)}:units`)
      if (String(has) !== String(event.data.balance))
        throw new Error(`${event.stream} has ${has}, not ${event.data.balance}`)
    }
  }
  if ([...accounts.values()].reduce((sum, each) => sum + each, 0n) !== 0n) throw new Error('the books do not balance')
}

/**
 * The same, and nothing is on its way: what is over has an empty escrow, an open duel its wager, an open tournament its
 * entries.
 */
export const checkGameAtRest = (events: readonly RecordedEvent[]): void => {
  checkGame(events)
  const accounts = new Map<string, bigint>()
  for (const { account, amount } of events.flatMap(postingsOf))
    accounts.set(account, (accounts.get(account) ?? 0n) + BigInt(amount))
  if ((accounts.get('in-transit') ?? 0n) !== 0n) throw new Error('units are on their way at rest')
  const owed = new Map<string, number>()
  for (const event of events) {
    const [duel, tournament] = [`escrow:pvp:${idOf(event.stream)}`, `escrow:tournament:${idOf(event.stream)}`]
    if (is(event, 'DuelChallenged')) owed.set(duel, event.data.wagerUnits)
    if (OVER.some((type) => type === event.type)) owed.set(duel, 0).set(tournament, 0)
    if (is(event, 'TournamentEntered')) owed.set(tournament, (owed.get(tournament) ?? 0) + event.data.entryUnits)
  }
  for (const [account, units] of accounts)
    if (account.startsWith('escrow') && Number(units) !== (owed.get(account) ?? 0))
      throw new Error(`${account} holds ${units} at rest, and owes ${owed.get(account) ?? 0}`)
  const ends = events.filter(({ type }) => OVER.some((over) => over === type)).map(({ stream }) => stream)
  if (new Set(ends).size < ends.length) throw new Error('something has ended twice')
}

const OVER = ['DuelResolved', 'DuelDeclined', 'DuelCanceled', 'DuelExpired', 'TournamentSettled', 'TournamentCanceled']

const is = <T extends EventType>(
  event: RecordedEvent,
  type: T,
): event is RecordedEvent<Extract<LedgerEvent, { type: T }>> => event.type === type
