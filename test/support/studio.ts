import { existingCharacter } from '../../domain/game/characters/character-state.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { orderWork, quoteWork } from '../../domain/use-cases/game/studio.ts'
import { checkGame } from './arena.ts'
import { ledgerOn } from './ledger.ts'
import { type MemoryStore, memoryStore } from './memory-store.ts'
import { openVault } from './open-vault.ts'
import { type FixedWorld, fixedWorld } from './world.ts'

/** A member of the game with units and a link that may spend them in the studio, without HTTP. */

export const MEMBER = 'usr_a'
export const BY = { member: MEMBER, linkId: 'gln_1' }
export const WORK = { slug: 'emblem', opts: { palette: 'dawn' } }
const CHARACTER = '7'

/** The member has so many units, and its link a day's grant. */
export const studioMember = async (
  units: number,
  grant: number,
  world: FixedWorld = fixedWorld(),
): Promise<MemoryStore> => {
  const store = memoryStore()
  const { gameMember, gameCharacter } = ledgerOn(store, world)
  const terms = { scopes: ['game.studio.spend'], grants: { 'game.studio.spend': grant }, label: '' } as const
  await gameMember.makeCode(MEMBER, { linkId: BY.linkId, codeHash: 'h', minutes: 10, ...terms })
  await gameMember.claim(MEMBER, { linkId: BY.linkId, accountId: 'a', holder: 'a', consumerId: 'c' })
  await gameCharacter.create(CHARACTER, { member: MEMBER, characterId: 7, name: 'Ada', class: 'envoy' })
  await gameMember.receive(MEMBER, { from: 'house', units, returned: null, position: '0' })
  return store
}

type Parts = Pick<UseCaseContext, 'ledger' | 'world'>

export const quoteOn = async (on: Parts, wish = WORK) =>
  quoteWork({ ...on, vault: openVault(on.world) }, BY, { ...wish, character: await characterOn(on) })

export const orderOn = async (on: Parts, quote: string, wish = WORK) =>
  orderWork({ ...on, vault: openVault(on.world) }, BY, { ...wish, character: await characterOn(on), quote })

const characterOn = async ({ ledger }: Parts) => existingCharacter(await ledger.gameCharacter.read(CHARACTER))

/** What each account of the game has. What a member had before is the house's doing. */
export const unitsIn = (events: readonly RecordedEvent[]): ReadonlyMap<string, bigint> => {
  const accounts = new Map<string, bigint>()
  for (const { account, asset, amount } of events.flatMap(postingsOf))
    if (asset === 'UNITS') accounts.set(account, (accounts.get(account) ?? 0n) + BigInt(amount))
  return accounts
}

/**
 * Throws with the first rule of the studio that a log breaks: those of all stakes hold, the member has no more than it
 * was given, a job ends once and a quote is paid once.
 */
export const checkStudio = (events: readonly RecordedEvent[], units: number): void => {
  checkGame(events)
  const own = unitsIn(events).get(`user:${MEMBER}:units`) ?? 0n
  if (own > BigInt(units)) throw new Error(`the member has ${own} of ${units}`)
  const ends = events.filter(({ type }) => type === 'StudioJobDone' || type === 'StudioJobRefunded')
  if (new Set(ends.map(({ stream }) => stream)).size < ends.length) throw new Error('a job ended twice')
  const staked = events.flatMap(({ type, data }) =>
    type === 'GameUnitsStaked' ? [data as { for: { jti: string } }] : [],
  )
  if (new Set(staked.map((each) => each.for.jti)).size < staked.length) throw new Error('one quote was paid twice')
}

/** The same, and all that was ordered has come to an end: no escrow holds anything. */
export const checkStudioRest = (events: readonly RecordedEvent[], units: number): void => {
  checkStudio(events, units)
  const held = [...unitsIn(events)].filter(([account, amount]) => account.startsWith('studio:') && amount !== 0n)
  if (held.length > 0) throw new Error(`${held} lie in escrow at rest`)
  const count = (name: string) => events.filter(({ type }) => type === name).length
  if (count('StudioOrdered') !== count('GameUnitsStaked')) throw new Error('something was paid and not ordered')
  const returned = events.filter(
    ({ type, data }) => type === 'GameUnitsReceived' && (data as { returned: unknown }).returned,
  )
  if (returned.length !== count('StudioJobRefunded')) throw new Error('a refund has not arrived once')
}
