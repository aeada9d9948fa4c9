import { addMinutes } from '../../kernel/calendar.ts'
import { decider } from '../../kernel/decider.ts'
import { type PlainRefusalCode, refuse } from '../../kernel/refusal.ts'
import type { DuelTerms } from '../members/stakes.ts'
import { type EscrowPayout, goesBack, refund, type StakeRef, type StakeReturned } from './escrow.ts'
import { type RatingChange, type Round, type Side, winnerOf } from './fight.ts'

/**
 * A duel (G-PVP-02): open, then resolved, declined, canceled or expired. Both wagers lie in its escrow, and the event
 * that ends it pays all of it out. A stake is made before it is used; one that finds the duel closed goes back by an
 * event of the duel's own.
 */
export type DuelEvents = {
  DuelChallenged: DuelTerms & { stake: StakeRef | null; challengedAt: string; expiresAt: string; request?: string }
  /** The duel was accepted and fought in one step. `winner` is a character; null is a draw. */
  DuelResolved: {
    challenger: number
    defender: number
    winner: number | null
    payouts: readonly EscrowPayout[]
    stake: StakeRef | null
    resolvedAt: string
  } & DuelFight
  DuelDeclined: UnfoughtDuel & { declinedAt: string }
  DuelCanceled: UnfoughtDuel & { canceledAt: string }
  DuelExpired: UnfoughtDuel & { expiredAt: string }
  DuelStakeReturned: StakeReturned
}

/** `challenger`, `defender`: the two characters, for their feeds. */
type UnfoughtDuel = { payouts: readonly EscrowPayout[]; challenger?: number; defender?: number }

/** How it was fought. The dice were `diceOf(seed, <duel>|<requestId>)`. */
export type DuelFight = {
  readonly requestId: string
  /** A digest of the call that accepted it, where it came with an Idempotency-Key. */
  readonly request?: string
  readonly rounds: readonly Round[]
  readonly rating: RatingChange
}

/**
 * `position`: the stake's place in the ledger's order, given by whoever carries stakes. With it, a stake that cannot be
 * used goes back; without it, it is refused.
 */
type DuelStake = { member: string; stake: StakeRef | null; position?: string }

export type DuelCommands = {
  /** Refuses `id-taken`. */
  challenge: DuelStake & { terms: DuelTerms; request?: string }
  /** Refuses `duel-not-found`, `not-your-duel`, `duel-closed`. */
  accept: DuelStake & DuelFight
  /** Refuses as `accept` does. Does nothing when it was done. */
  decline: { member: string }
  cancel: { member: string }
  /** Does nothing unless its time is up and nobody has answered. */
  expire: object
}

export type DuelState = { readonly status: 'none'; readonly returnedUpTo: bigint } | Duel

export type Duel = {
  readonly status: 'open' | 'resolved' | 'declined' | 'canceled' | 'expired'
  readonly terms: DuelTerms
  readonly stake: StakeRef | null
  readonly expiresAt: string
  readonly request?: string
  readonly result: (DuelFight & { readonly stake: StakeRef | null; readonly payouts: readonly EscrowPayout[] }) | null
  /** The place in the log of the newest stake that went back. */
  readonly returnedUpTo: bigint
}

export const WAGER_MAX = 1_000
const DUEL_HOURS = 24

export const gameDuel = decider<DuelEvents, DuelCommands, DuelState>({
  category: 'gameDuel',
  stateVersion: 1,
  initial: { status: 'none', returnedUpTo: -1n },
  decide: {
    challenge(state, { terms, stake, request, ...by }, now) {
      if (state.status !== 'none')
        return isSame(state.stake, stake)
          ? []
          : unused(
              state,
              { ...by, stake },
              'id-taken',
              'There is such a duel already. Take a new Idempotency-Key for another one.',
            )
      const expiresAt = addMinutes(now, DUEL_HOURS * 60)
      const data = { ...terms, stake, challengedAt: now, expiresAt, ...(request !== undefined && { request }) }
      return [{ type: 'DuelChallenged', data }]
    },
    accept(state, { requestId, request, rounds, rating, ...by }, now) {
      if (state.status === 'none')
        return unused(state, by, 'duel-not-found', 'There is no such duel. Look for it in GET /v1/game/pvp.')
      const { terms, result } = state
      if (result && (result.requestId === requestId || isSame(result.stake, by.stake))) return []
      if (by.member !== terms.defenderMember) return unused(state, by, ...NOT_YOURS)
      if ((by.stake?.units ?? 0) !== terms.wagerUnits || !isOpenAt(state, now)) return tooLate(state, by, now)
      const fought = { requestId, rounds, rating, ...(request !== undefined && { request }) }
      return [{ type: 'DuelResolved', data: resolved(state, fought, by.stake, now) }]
    },
    decline(state, { member }, now) {
      const end = ended(state, 'declined', 'defenderMember', member, now)
      return end ? [{ type: 'DuelDeclined', data: { ...end, declinedAt: now } }] : []
    },
    cancel(state, { member }, now) {
      const end = ended(state, 'canceled', 'challengerMember', member, now)
      return end ? [{ type: 'DuelCanceled', data: { ...end, canceledAt: now } }] : []
    },
    expire(state, _, now) {
      return expired(state, now)
    },
  },
  evolve: {
    DuelChallenged: ({ returnedUpTo }, { stake, challengedAt: _, expiresAt, request, ...terms }) => ({
      status: 'open',
      terms,
      stake,
      expiresAt,
      result: null,
      returnedUpTo,
      ...(request !== undefined && { request }),
    }),
    DuelResolved: of((duel, { requestId, request, rounds, rating, stake, payouts }: DuelEvents['DuelResolved']) => ({
      ...duel,
      status: 'resolved',
      result: { requestId, rounds, rating, stake, payouts, ...(request !== undefined && { request }) },
    })),
    DuelDeclined: of((duel) => ({ ...duel, status: 'declined' })),
    DuelCanceled: of((duel) => ({ ...duel, status: 'canceled' })),
    DuelExpired: of((duel) => ({ ...duel, status: 'expired' })),
    DuelStakeReturned: (state, { position }) => ({ ...state, returnedUpTo: BigInt(position) }),
  },
})

/** Whether it can still be answered: its time may be up before that is written. */
export const isOpenAt = ({ status, expiresAt }: Duel, now: string): boolean => status === 'open' && now < expiresAt

/** The state as it is shown: `expired` as soon as its time is up. */
export const duelStateAt = (duel: Pick<Duel, 'status' | 'expiresAt'>, now: string): Duel['status'] =>
  duel.status === 'open' && now >= duel.expiresAt ? 'expired' : duel.status

/** The winner takes both wagers; a draw gives both back. */
const resolved = (
  { terms, stake: challengers }: Duel,
  fought: DuelFight,
  stake: StakeRef | null,
  now: string,
): DuelEvents['DuelResolved'] => {
  const { challenger, defender, challengerMember, defenderMember, wagerUnits } = terms
  const side = winnerOf(fought.rounds)
  const winner: Record<Side, { id: number; member: string }> = {
    challenger: { id: challenger, member: challengerMember },
    defender: { id: defender, member: defenderMember },
  }
  const payouts = side
    ? wagerUnits > 0
      ? [{ member: winner[side].member, units: 2 * wagerUnits }]
      : []
    : [...refund(challengerMember, challengers), ...refund(defenderMember, stake)]
  return { challenger, defender, winner: side && winner[side].id, ...fought, payouts, stake, resolvedAt: now }
}

/** The payouts when one of the two ends it; undefined when it has ended in this way before. */
const ended = (
  state: DuelState,
  as: 'declined' | 'canceled',
  who: 'challengerMember' | 'defenderMember',
  member: string,
  now: string,
): UnfoughtDuel | undefined => {
  if (state.status === 'none')
    return refuse('duel-not-found', 'There is no such duel. Look for it in GET /v1/game/pvp.')
  if (state.terms[who] !== member) return refuse(...NOT_YOURS)
  if (state.status === as) return undefined
  return isOpenAt(state, now) ? unfought(state) : refuse(...CLOSED)
}

const expired = (state: DuelState, now: string) =>
  state.status !== 'open' || isOpenAt(state, now)
    ? []
    : [{ type: 'DuelExpired', data: { ...unfought(state), expiredAt: now } } as const]

/**
 * Gives back a stake that came too late. It must never be used afterwards, so that the duel is over for good with it,
 * even for a clock that is behind.
 */
const tooLate = (duel: Duel, by: DuelStake, now: string) => {
  const back = unused(duel, by, ...CLOSED)
  return back.length > 0 ? [...expired(duel, now), ...back] : []
}

const unfought = ({ terms, stake }: Duel): UnfoughtDuel => {
  const { challenger, defender, challengerMember } = terms
  return { payouts: refund(challengerMember, stake), challenger, defender }
}

const unused = (
  { returnedUpTo }: DuelState,
  { member, stake, position }: DuelStake,
  code: PlainRefusalCode,
  why: string,
) => {
  if (!stake || position === undefined) return refuse(code, why)
  const data = goesBack(returnedUpTo, { member, stake, position })
  return data ? [{ type: 'DuelStakeReturned', data } as const] : []
}

const isSame = (used: StakeRef | null, stake: StakeRef | null) => used !== null && used.stakeId === stake?.stakeId

/** Folds an event into an existing duel. */
function of<E>(evolve: (duel: Duel, data: E) => Duel) {
  return (state: DuelState, data: E): DuelState => (state.status === 'none' ? state : evolve(state, data))
}

const NOT_YOURS = ['not-your-duel', 'This duel is not yours to answer.'] as const
const CLOSED = ['duel-closed', 'This duel is over.'] as const
