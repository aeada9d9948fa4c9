import { addMinutes } from '../../kernel/calendar.ts'
import { decider } from '../../kernel/decider.ts'
import { type PlainRefusalCode, refuse } from '../../kernel/refusal.ts'
import type { GameCall } from '../characters/calls.ts'
import { type EscrowPayout, goesBack, refund, type StakeRef, type StakeReturned } from './escrow.ts'
import { heldAs, type Tournament, type TournamentTerms, tournamentOf } from './tournaments.ts'

/**
 * One tournament (G-TRN-02), from its first entry to its end. Entries lie in its escrow until it is settled, which pays
 * all of it out, or canceled, which gives each back. A stake is made before its entry; a stake that comes too late goes
 * back by an event of the tournament's own.
 */
type TournamentEvents = {
  TournamentEntered: Entry & { slug: string; entryUnits: number; enteredAt: string; held?: TournamentTerms }
  /** Nobody enters any more, whatever their clock says. */
  TournamentClosed: { closedAt: string }
  TournamentSettled: { board: readonly RankedScore[]; payouts: readonly EscrowPayout[]; settledAt: string }
  TournamentCanceled: { reason: 'too-few' | 'no-scores'; payouts: readonly EscrowPayout[]; canceledAt: string }
  TournamentStakeReturned: StakeReturned
}

export type Entry = {
  readonly member: string
  readonly characterId: number
  readonly stake: StakeRef | null
  /** The call, where it came with an Idempotency-Key. */
  readonly call?: GameCall
}

export type TournamentCommands = {
  /**
   * Refuses `tournament-not-found`, `tournament-closed`, `tournament-full`, `already-entered`, `quote-mismatch`.
   * `position`: the stake's place in the ledger's order, given by whoever carries stakes; with it, a stake that cannot
   * be used goes back.
   */
  enter: Entry & { slug: string; position?: string }
  /** Does nothing before its time, and when it was done. `scores`: the best of each entrant in the window. */
  settle: { slug: string; scores: readonly Omit<TournamentScore, 'member'>[] }
}

type TournamentRecord = {
  readonly status: 'open' | 'closed' | 'settled' | 'canceled'
  readonly entries: readonly Entry[]
  /** The terms as the first entry has them. */
  readonly held?: TournamentTerms
  /** The place in the log of the newest stake that went back. */
  readonly returnedUpTo: bigint
}

/** Minutes from the end to the settlement: a process whose clock is behind still takes runs and entries until then. */
export const SETTLE_GRACE_MINUTES = 1
const ENTRANTS_MIN = 2

export const gameTournament = decider<TournamentEvents, TournamentCommands, TournamentRecord>({
  category: 'gameTournament',
  stateVersion: 2,
  initial: { status: 'open', entries: [], returnedUpTo: -1n },
  decide: {
    enter(state, { slug, position, ...entry }, now) {
      const tournament = tournamentOf(slug)
      const before = state.entries.find(({ member }) => member === entry.member)
      if (before && isSame(before, entry)) return []
      const why = whyNot(state, entry, tournament, now, position !== undefined)
      if (why && (position === undefined || !entry.stake)) return refuse(...why)
      if (why)
        return tooLate(state, { ...entry, stake: entry.stake as StakeRef, position: position as string }, why, now)
      const entryUnits = entry.stake?.units ?? 0
      const held = heldAs(slug, state.held)
      return [
        { type: 'TournamentEntered', data: { slug, ...entry, entryUnits, enteredAt: now, ...(held && { held }) } },
      ]
    },
    settle(state, { slug, scores }, now) {
      if (state.status === 'settled' || state.status === 'canceled') return []
      const held = heldAs(slug, state.held)
      if (held) return now < addMinutes(held.endsAt, SETTLE_GRACE_MINUTES) ? [] : [settled(state, scores, now)]
      // Nobody can tell any more when it ends or what is played in it, so that all stakes go back.
      return state.status === 'open' && state.entries.length === 0 ? [] : [settled(state, [], now)]
    },
  },
  evolve: {
    TournamentEntered: (state, { member, characterId, stake, call, held }) => ({
      ...state,
      ...(held && { held: state.held ?? held }),
      entries: [...state.entries, { member, characterId, stake, ...(call && { call }) }],
    }),
    TournamentClosed: (state) => ({ ...state, status: 'closed' }),
    TournamentSettled: (state) => ({ ...state, status: 'settled' }),
    TournamentCanceled: (state) => ({ ...state, status: 'canceled' }),
    TournamentStakeReturned: (state, { position }) => ({ ...state, returnedUpTo: BigInt(position) }),
  },
})

type Why = readonly [code: PlainRefusalCode, message: string]

/**
 * Why this entry is refused; undefined when it is not. A stake that was made while it was open is entered, even when it
 * is not open yet by this clock.
 */
export const whyNot = (
  { status, entries }: TournamentRecord,
  { member, stake }: Entry,
  tournament: Tournament | undefined,
  now: string,
  isStaked = false,
): Why | undefined => {
  if (!tournament) return ['tournament-not-found', 'There is no such tournament.']
  const { startsAt, endsAt, maxEntries, entryUnits } = tournament
  if (entries.some((entry) => entry.member === member))
    return ['already-entered', 'You have entered this tournament: one entry per member.']
  if (now < startsAt && !isStaked) return ['tournament-closed', `It opens at ${startsAt}.`]
  if (status !== 'open' || now >= endsAt) return ['tournament-closed', 'This tournament is closed.']
  if (entries.length >= maxEntries) return ['tournament-full', `It has ${maxEntries} entries, and no more.`]
  // It stays open for others: the price has changed since this was staked.
  return (stake?.units ?? 0) === entryUnits ? undefined : ['quote-mismatch', 'Its entry is another one now.']
}

/**
 * Gives back a stake that came too late. It must never be used afterwards, so that a tournament that only the clock has
 * closed is closed for good.
 */
const tooLate = (
  state: TournamentRecord,
  by: { member: string; stake: StakeRef; position: string },
  [code]: Why,
  now: string,
) => {
  const back = goesBack(state.returnedUpTo, by)
  if (!back) return []
  const closing = code === 'tournament-closed' && state.status === 'open'
  return [
    ...(closing ? [{ type: 'TournamentClosed', data: { closedAt: now } } as const] : []),
    { type: 'TournamentStakeReturned', data: back } as const,
  ]
}

const settled = ({ entries }: TournamentRecord, scores: TournamentCommands['settle']['scores'], now: string) => {
  const scored = entries.flatMap(({ member, characterId }) => {
    const best = scores.find((score) => score.characterId === characterId)
    return best ? [{ ...best, member }] : []
  })
  if (entries.length < ENTRANTS_MIN || scored.length === 0) {
    const reason = entries.length < ENTRANTS_MIN ? 'too-few' : 'no-scores'
    const payouts = entries.flatMap(({ member, stake }) => refund(member, stake))
    return { type: 'TournamentCanceled', data: { reason, payouts, canceledAt: now } } as const
  }
  const pool = entries.reduce((sum, { stake }) => sum + (stake?.units ?? 0), 0)
  const board = rankedScores(scored, entries.length, pool)
  const payouts = board.filter(({ units }) => units > 0).map(({ member, units }) => ({ member, units }))
  return { type: 'TournamentSettled', data: { board, payouts, settledAt: now } } as const
}

const isSame = (before: Entry, { stake, characterId }: Entry) =>
  before.stake ? before.stake.stakeId === stake?.stakeId : stake === null && before.characterId === characterId

/**
 * How a tournament's pool is given out: all of it, to the best three, or to the best alone where few have entered
 * (G-TRN-02).
 */

type TournamentScore = {
  readonly member: string
  readonly characterId: number
  readonly score: number
  readonly at: string
}
type RankedScore = TournamentScore & { readonly rank: number; readonly units: number }

/** Shares of the pool, out of 100, from the first place on. */
const SHARES = [50, 30, 20]
const WINNER_TAKES_ALL = [100]
/** Number of entrants from which on there are three prizes. */
const MANY = 5

/** The scores in order, with ranks and prizes. Of two with the same score, the earlier one comes first. */
export const rankedScores = (
  scored: readonly TournamentScore[],
  entrants: number,
  pool: number,
): readonly RankedScore[] => {
  const order = [...scored].sort((a, b) => b.score - a.score || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const shares = entrants < MANY ? WINNER_TAKES_ALL : SHARES
  const prizes = order.map((_, place) => Math.floor((pool * (shares[place] ?? 0)) / 100))
  const rest = pool - prizes.reduce((sum, units) => sum + units, 0)
  return order.map((each, place) => ({
    ...each,
    rank: place + 1,
    units: (prizes[place] ?? 0) + (place === 0 ? rest : 0),
  }))
}
