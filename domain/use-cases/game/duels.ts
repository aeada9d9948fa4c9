import { existingCharacter } from '../../game/characters/character-state.ts'
import { isRated } from '../../game/characters/record.ts'
import { type Duel, type DuelFight, type DuelState, isOpenAt, WAGER_MAX } from '../../game/contests/duel.ts'
import type { StakeRef } from '../../game/contests/escrow.ts'
import { fight, ratingChange, ratingKept, type Side, winnerOf } from '../../game/contests/fight.ts'
import type { DuelTerms, StakeFor } from '../../game/members/stakes.ts'
import { diceOf, newSeed } from '../../game/world/chance.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { characterOf } from './characters.ts'
import { CALL } from './do-once.ts'
import type { LinkedPlayer, Player } from './links.ts'
import { stakeToday } from './staking.ts'

/**
 * Duels between characters of two members (G-PVP-02, G-PVP-03). A wager is staked first; `carry-stakes` goes on from
 * there if nobody else does.
 */

export type DuelWish = { readonly challenger: number; readonly defender: number; readonly wagerUnits: number }
export type DuelNamed = Duel & { readonly duelId: string }

/** Duels of one member that wait for an answer at once. */
const OPEN_MAX = 20

type DuelContext = Pick<UseCaseContext, 'ledger' | 'world'>

/**
 * Challenges a character of another member. `open` counts the member's own duels that wait already, up to a limit.
 * Refuses `too-many-duels`, and all that a stake is refused for.
 */
export const challengeDuel = async (
  { ledger, world }: DuelContext,
  once: Once,
  by: LinkedPlayer,
  { challenger, defender, wagerUnits }: DuelWish,
  open: (limit: number) => Promise<number>,
): Promise<DuelNamed> => {
  const { member } = by
  // Keys of one seller may act for several members, and each of those has duels of its own.
  const duelId = world.idFrom('du', once.id('du'), member)
  const duel = await once.make(
    () => ledger.gameDuel.read(duelId),
    async () => {
      if (!Number.isInteger(wagerUnits) || wagerUnits < 0 || wagerUnits > WAGER_MAX)
        refuse('invalid-request', `wager: has to be a whole number from 0 to ${WAGER_MAX}`)
      await characterOf({ ledger }, by, challenger)
      const { member: defenderMember } = existingCharacter(await ledger.gameCharacter.read(String(defender)))
      if (defenderMember === member) refuse('invalid-request', 'The duel has to be with a character of another member.')
      if ((await open(OPEN_MAX)) >= OPEN_MAX)
        refuse('too-many-duels', `At most ${OPEN_MAX} of your duels wait at once: cancel one first.`)
      const members = { challengerMember: member, defenderMember }
      const terms = { challenger, defender, ...members, wagerUnits, ...newSeed(world) }
      const what = { kind: 'duel', duelId, terms, ...once.mark } as const
      const stake = await wagered({ ledger, world }, by, terms, what)
      const { state } = await ledger.gameDuel.challenge(duelId, { member, terms, stake, ...once.mark })
      const duel = there(state)
      return duel.request === once.mark.request
        ? duel
        : refuse('id-taken', 'There is such a duel already. Take a new Idempotency-Key for another one.')
    },
  )
  return { ...duel, duelId }
}

/** Refuses `duel-not-found`, `not-your-duel`, `duel-closed`, and all that a stake is refused for. */
export const acceptDuel = async (
  { ledger, world }: DuelContext,
  once: Once,
  by: Player,
  duelId: string,
  characterId: number | undefined,
): Promise<DuelNamed> => {
  const { member } = by
  const requestId = once.id('rq')
  const call = once.call(CALL)
  const duel = there(await ledger.gameDuel.read(duelId))
  if (duel.terms.defenderMember !== member)
    refuse('not-your-duel', 'This duel is not yours to answer. Answer one of your own.')
  // The character that was challenged is the one that fights.
  if (characterId !== undefined && characterId !== duel.terms.defender) refuse('character-not-found')
  const accepted = await once.make(
    async () => (duel.result?.requestId === requestId ? answered(duel) : { status: 'none' as const }),
    async () => {
      if (!isOpenAt(duel, world.now().toISOString()))
        refuse('duel-closed', 'This duel is over. Challenge somebody anew.')
      if (call) await ledger.gameMember.noteCall(member, { call })
      const { terms } = duel
      const what = { kind: 'duel-accept', duelId, requestId, ...once.mark } as const
      const stake = await wagered({ ledger, world }, by, terms, what)
      const fought = await fightOut({ ledger, world }, duelId, terms, requestId)
      const { state } = await ledger.gameDuel.accept(duelId, { member, stake, ...fought, ...once.mark })
      return answered(there(state))
    },
  )
  return { ...accepted.duel, duelId }
}

/** A duel marked with the call that accepted it, not the one that made it. */
const answered = (duel: Duel) => ({ duel, ...(duel.result?.request !== undefined && { request: duel.result.request }) })

export const declineDuel = async ({ ledger }: DuelContext, { member }: Player, duelId: string): Promise<DuelNamed> => ({
  ...there((await ledger.gameDuel.decline(duelId, { member })).state),
  duelId,
})

export const cancelDuel = async ({ ledger }: DuelContext, { member }: Player, duelId: string): Promise<DuelNamed> => ({
  ...there((await ledger.gameDuel.cancel(duelId, { member })).state),
  duelId,
})

/** A member's stake, and its position in the log. */
export type CarriedStake = {
  readonly member: string
  readonly stake: StakeRef
  readonly position: string
}

/** Goes on from a wager that was staked, whatever has happened since; done once more it changes nothing. */
export const carryWager = async (
  { ledger, world }: DuelContext,
  what: Extract<StakeFor, { kind: 'duel' | 'duel-accept' }>,
  by: CarriedStake,
): Promise<unknown> => {
  const { duelId } = what
  if (what.kind === 'duel') {
    const { terms, request } = what
    return ledger.gameDuel.challenge(duelId, { ...by, terms, ...(request !== undefined && { request }) })
  }
  const duel = await ledger.gameDuel.read(duelId)
  // A duel that is over needs no fight: the wager was used in it or goes back.
  const fought =
    duel.status === 'open'
      ? await fightOut({ ledger, world }, duelId, duel.terms, what.requestId)
      : { requestId: what.requestId, ...NOT_FOUGHT }
  const request = what.request !== undefined && { request: what.request }
  return ledger.gameDuel.accept(duelId, { ...by, ...fought, ...request })
}

/**
 * Fights a duel. The characters are as they are now; the dice come from a seed that was drawn when the duel was made,
 * before anybody knew the id of the answer.
 */
const fightOut = async (
  { ledger, world }: DuelContext,
  duelId: string,
  terms: DuelTerms,
  requestId: string,
): Promise<DuelFight> => {
  const read = async (characterId: number) => existingCharacter(await ledger.gameCharacter.read(String(characterId)))
  const [challenger, defender] = await Promise.all([read(terms.challenger), read(terms.defender)])
  const dice = diceOf(world, terms.seed, `${duelId}|${requestId}`)
  const rounds = fight(dice, { challenger: challenger.stats, defender: defender.stats })
  const ratings: Record<Side, number> = { challenger: challenger.rating, defender: defender.rating }
  const counts = isRated(defender, terms.challenger, world.now().toISOString())
  const rating = counts ? ratingChange(ratings, winnerOf(rounds)) : ratingKept(ratings)
  return { requestId, rounds, rating }
}

/** Stakes the wager of a duel; null when it has none. */
const wagered = (
  does: DuelContext,
  player: Player,
  { wagerUnits: units }: DuelTerms,
  what: Extract<StakeFor, { kind: 'duel' | 'duel-accept' }>,
): Promise<StakeRef | null> =>
  stakeToday(does, player, {
    about: `${what.kind}:${what.duelId}`,
    scope: 'game.pvp.wager',
    to: `escrow:pvp:${what.duelId}`,
    units,
    for: what,
  })

const there = (state: DuelState): Duel =>
  state.status === 'none' ? refuse('duel-not-found', 'There is no such duel. Look for it in GET /v1/game/pvp.') : state

const NOBODY = { before: 0, after: 0 }
const NOT_FOUGHT = { rounds: [], rating: { challenger: NOBODY, defender: NOBODY } }
