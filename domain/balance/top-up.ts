import { decider, isAnswered, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { SentTransfer } from './transfer-terms.ts'

/**
 * A user funds their own balance at the request of an app, through our own payment door (A-TOP-01 to A-TOP-03). The
 * amount that settles is credited, also when it is more or less than was asked for. The stream is named by the top-up's
 * id.
 */

export type TopUpEvents = {
  TopUpStarted: {
    clientId: string
    /** Millionths of a US dollar. */
    amount: Units
    redirectUri: string
    appState: string
    expiresAt: string
  }
  /** Who tops up, and the payment request that is to be paid for it, until `expiresAt`. */
  TopUpAccepted: { clientId: string; sub: string; requestId: string; expiresAt: string }
  /** Funds have settled: this is the transfer to the user's balance. `short` when they were less than was asked for. */
  TopUpSettled: SentTransfer & {
    sub: string
    topUpId: string
    challengeId: string
    short: boolean
    settledAt: string
  } & Answers
  /** Funds that had settled are not in their chain any more: what was credited for them is taken back. */
  TopUpReversed: {
    sub: string
    topUpId: string
    challengeId: string
    transferId: string
    ledgerRef: string
    total: Units
    clientId: string | null
    reversedAt: string
  } & Answers
}

/**
 * The ordered reactor that books it, and the place in the ledger's order of the event that it answers; only later ones
 * count.
 */
type Answers = { source: string; position: string }

export type TopUpCommands = {
  start: TopUpEvents['TopUpStarted']
  /** Refuses `top-up-expired`, `state-forbids` when somebody else has accepted it. */
  accept: { sub: string; requestId: string; expiresAt: string }
  settle: Omit<TopUpEvents['TopUpSettled'], 'settledAt'>
  reverse: Omit<TopUpEvents['TopUpReversed'], 'reversedAt' | 'sub'>
}

export type TopUp = TopUpEvents['TopUpStarted'] & {
  status: 'started' | 'accepted' | 'underpaid' | 'completed'
  sub?: string
  requestId?: string
  /** The amount that has settled so far, in millionths of a US dollar. */
  settled: bigint
  completedAt?: string
  seen: { readonly [source: string]: bigint }
}
type State = { status: 'none' } | TopUp

export const topUp = decider<TopUpEvents, TopUpCommands, State>({
  category: 'topUp',
  stateVersion: 2,
  initial: { status: 'none' },
  begins: ['start'],
  decide: {
    start: (state, data) => (state.status === 'none' ? [{ type: 'TopUpStarted', data }] : refuse('id-taken')),
    accept: (state, { sub, requestId, expiresAt }, now) => {
      if (state.status === 'none') return refuse('top-up-not-found')
      if (state.sub === sub) return []
      if (state.sub !== undefined) return refuse('state-forbids', 'somebody else has begun to pay this')
      if (now >= state.expiresAt) return refuse('top-up-expired')
      return [{ type: 'TopUpAccepted', data: { clientId: state.clientId, sub, requestId, expiresAt } }]
    },
    settle: (state, data, now) => {
      if (state.status === 'none') return refuse('top-up-not-found')
      if (isAnswered(state.seen, data)) return []
      if (BigInt(data.total) <= 0n) return refuse('amount-not-positive')
      return [{ type: 'TopUpSettled', data: { ...data, settledAt: now } }]
    },
    reverse: (state, data, now) => {
      if (state.status === 'none' || state.sub === undefined) return refuse('top-up-not-found')
      if (isAnswered(state.seen, data)) return []
      return [{ type: 'TopUpReversed', data: { ...data, sub: state.sub, reversedAt: now } }]
    },
  },
  evolve: {
    TopUpStarted: (_, data) => ({ ...data, status: 'started', settled: 0n, seen: {} }),
    TopUpAccepted: whenExists((state, { sub, requestId, expiresAt }) => ({
      ...state,
      status: 'accepted',
      sub,
      requestId,
      expiresAt,
    })),
    TopUpSettled: (state, { total, short, settledAt, source, position }) => {
      if (state.status === 'none') return state
      return {
        ...state,
        status: short && state.status !== 'completed' ? 'underpaid' : 'completed',
        settled: state.settled + BigInt(total),
        ...(!short && state.completedAt === undefined && { completedAt: settledAt }),
        seen: { ...state.seen, [source]: BigInt(position) },
      }
    },
    TopUpReversed: (state, { total, source, position }) => {
      if (state.status === 'none') return state
      const { completedAt: _, ...rest } = state
      const settled = state.settled - BigInt(total)
      const status = settled > 0n ? 'underpaid' : 'accepted'
      return { ...rest, status, settled, seen: { ...state.seen, [source]: BigInt(position) } }
    },
  },
})

/** The status of a top-up at a time; one with settled funds is never expired. */
export const topUpStatusAt = (
  { status, expiresAt }: Pick<TopUp, 'status' | 'expiresAt'>,
  now: string,
): TopUp['status'] | 'expired' =>
  (status === 'started' || status === 'accepted') && now >= expiresAt ? 'expired' : status
