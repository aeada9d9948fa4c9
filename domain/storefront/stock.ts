import { decider } from '../kernel/decider.ts'
import { Refusal, refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import {
  type CountedStock,
  endOf,
  heldBy,
  isKept,
  isKeptLongEnough,
  LOANS_MAX,
  type Loan,
  lentAt,
  mostOfOneNetwork,
  STOCK_MAX,
  type StockState,
  withLoan,
  withoutLapsed,
} from './stock-loans.ts'

/**
 * The pieces of one product, where its seller counts them (N-97, N-98). A payment on a chain cannot be refused, so a
 * piece is lent before an address is shown, for as long as that may be paid; a settlement takes it. The stream is named
 * by the product. A loan is named by the sale that it is for, and lapses by itself: nothing has to happen for a piece
 * to come back.
 */

/** Why a seller changes the number: goods came, were counted, came back, or are gone; `set` with the product itself. */
export const STOCK_REASONS = ['received', 'counted', 'returned', 'lost', 'set'] as const
export type StockReason = (typeof STOCK_REASONS)[number]

/** A call with an Idempotency-Key, so that a repetition adds nothing again. */
type StockCall = { id: string; request: string }

export type StockEvents = {
  /** The seller says how many pieces there are, those that are lent included; null: they are not counted any more. */
  StockChanged: {
    accountId: string
    count: number | null
    /** The number before, and how many pieces were lent. */
    before: number | null
    lent: number
    reason: StockReason
    by: string
    changedAt: string
    call?: StockCall
  }
  /** Pieces are lent to a sale that may still be paid. The same sale again is lent the same pieces for longer. */
  PiecesLent: {
    accountId: string
    holder: string
    quantity: number
    lentAt: string
    until: string
    /** A keyed hash of the network that the caller came from. Absent: the caller was known. */
    network?: string
  }
  /** A payment of the sale was seen or signed: its pieces stay until that has come to an end. */
  PiecesKept: {
    accountId: string
    holder: string
    quantity: number
    keptAt: string
    until: string
    /** The loan that they come from, where that has another name. */
    from?: string
  }
  /** That payment came to nothing: its pieces are lent as they were before, as long as that lasts. */
  PiecesReleased: { accountId: string; holder: string; releasedAt: string; to?: string }
  /** The sale takes no payment any more. */
  PiecesReturned: { accountId: string; holder: string }
  /** The sale was settled. `position`: the place in the ledger's order of the event that says so. */
  PiecesSold: { accountId: string; holder: string; quantity: number; count: number; position: string }
  /**
   * Pieces that were sold are there again: their payment is not in its chain any more, and then they are kept for the
   * same sale (`holder`), or their seller has given the money back and has the goods.
   */
  PiecesRestored: {
    accountId: string
    quantity: number
    count: number
    restoredAt: string
    position: string
    holder?: string
    until?: string
  }
}

export type StockCommands = {
  /** Sets the number, or changes it by `delta`. Refuses `state-forbids` below what is lent. */
  change: {
    accountId: string
    by: string
    reason: StockReason
    count?: number | null
    delta?: number
    call?: StockCall
  }
  /**
   * Refuses `out-of-stock`, and `rate-limited` where callers of one network hold as many pieces as they may. Does
   * nothing for what is not counted.
   */
  lend: { holder: string; quantity: number; until: string; network?: string }
  /** Keeps what is lent to the holder, or to `from`, or else free pieces. Refuses `out-of-stock`. */
  keep: { holder: string; quantity: number; until: string; from?: string }
  release: { holder: string; to?: string }
  /** Does nothing for pieces that are kept. `until`: only that very loan, not one that was renewed since. */
  giveBack: { holder: string; until?: string }
  sell: { holder: string; position: string }
  restore: { quantity: number; position: string; holder?: string; until?: string }
}

export const stock = decider<StockEvents, StockCommands, StockState>({
  category: 'stock',
  grows: true,
  stateVersion: 1,
  initial: { accountId: '', count: null, loans: {}, calls: [], through: -1n },
  decide: {
    change: (state, { count, delta, call, ...data }, now) => {
      if (call && state.calls.some(({ id }) => id === call.id)) return []
      const after = delta === undefined ? (count ?? null) : counted(state).count + delta
      if (after === state.count) return []
      const lent = isCounted(state) ? lentAt(state, now) : 0
      mustBePossible(state, after, lent)
      const facts = { count: after, before: state.count, lent: after === null ? 0 : lent, changedAt: now }
      return [{ type: 'StockChanged', data: { ...data, ...facts, ...(call && { call }) } }]
    },
    lend: (state, { holder, quantity, until, network }, now) => {
      if (!isCounted(state)) return []
      const { accountId } = state
      const held = heldBy(state, holder, now)
      if (held && held.until >= until) return []
      if (!held) mustBeFree(state, quantity, now)
      if (!held && network !== undefined) mustBeWithin(state, network, quantity, now)
      const data = { accountId, holder, quantity: held?.quantity ?? quantity, lentAt: now, until }
      return [{ type: 'PiecesLent', data: { ...data, ...(network !== undefined && { network }) } }]
    },
    keep: (state, { holder, quantity, until, from }, now) => {
      if (!isCounted(state)) return []
      const own = heldBy(state, holder, now)
      if (own && isKeptLongEnough(own, until, now)) return []
      const lent = !own && from !== undefined ? heldBy(state, from, now) : undefined
      const isTheirs = lent !== undefined && !isKept(lent, now)
      if (!own && !isTheirs) mustBeFree(state, quantity, now)
      const data = { accountId: state.accountId, holder, quantity: (own ?? lent)?.quantity ?? quantity, keptAt: now }
      return [{ type: 'PiecesKept', data: { ...data, until, ...(isTheirs && { from }) } }]
    },
    release: (state, { holder, to }, now) => {
      if (!isCounted(state) || state.loans[holder]?.keptUntil === undefined) return []
      const data = { accountId: state.accountId, holder, releasedAt: now }
      return [{ type: 'PiecesReleased', data: { ...data, ...(to !== undefined && { to }) } }]
    },
    giveBack: (state, { holder, until }, now) => {
      const held = isCounted(state) ? heldBy(state, holder, now) : undefined
      if (!held || isKept(held, now) || (until !== undefined && held.until !== until)) return []
      return [{ type: 'PiecesReturned', data: { accountId: state.accountId, holder } }]
    },
    sell: (state, { holder, position }) => {
      const held = state.loans[holder]
      if (!isCounted(state) || !held || BigInt(position) <= state.through) return []
      const { quantity } = held
      const count = Math.max(0, state.count - quantity)
      return [{ type: 'PiecesSold', data: { accountId: state.accountId, holder, quantity, count, position } }]
    },
    restore: (state, { quantity, position, ...kept }, now) => {
      if (!isCounted(state) || BigInt(position) <= state.through) return []
      const count = state.count + quantity
      const data = { accountId: state.accountId, quantity, count, restoredAt: now, position }
      return [{ type: 'PiecesRestored', data: { ...data, ...kept } }]
    },
  },
  evolve: {
    StockChanged: (state, { accountId, count, lent, call }) => ({
      ...state,
      accountId,
      count,
      loans: count === null ? {} : state.loans,
      calls: call ? [...state.calls, { ...call, count, lent }].slice(-CALLS_KEPT) : state.calls,
    }),
    PiecesLent: (state, { holder, quantity, lentAt: at, until, network }) => {
      const before = heldBy(state, holder, at)
      const kept = before?.keptUntil !== undefined && { keptUntil: before.keptUntil }
      const loan = { quantity, until, ...kept, ...(network !== undefined && { network }) }
      return withLoan(withoutLapsed(state, at), holder, loan)
    },
    PiecesKept: (state, { holder, quantity, keptAt, until, from }) => {
      const before = heldBy(state, from ?? holder, keptAt)
      const others = withoutLapsed(from === undefined ? state : withLoan(state, from, undefined), keptAt)
      return withLoan(others, holder, { until: keptAt, ...before, quantity, keptUntil: until })
    },
    PiecesReleased: (state, { holder, releasedAt, to = holder }) => {
      const { keptUntil: _, ...before } = state.loans[holder] ?? NO_LOAN
      return withoutLapsed(withLoan(withLoan(state, holder, undefined), to, before), releasedAt)
    },
    PiecesReturned: (state, { holder }) => withLoan(state, holder, undefined),
    PiecesSold: (state, { holder, count, position }) => ({
      ...withLoan(state, holder, undefined),
      count,
      through: BigInt(position),
    }),
    PiecesRestored: (state, { quantity, count, restoredAt, position, holder, until }) => {
      const restored = { ...state, count, through: BigInt(position) }
      if (holder === undefined || until === undefined) return restored
      return withLoan(restored, holder, { quantity, until: restoredAt, keptUntil: until })
    },
  },
})

/** Calls with an Idempotency-Key that are remembered of one product. */
const CALLS_KEPT = 64

const NO_LOAN: Loan = { quantity: 0, until: '' }

const isCounted = (state: StockState): state is CountedStock => state.count !== null

const counted = (state: StockState): CountedStock =>
  isCounted(state)
    ? state
    : refuse('state-forbids', 'The pieces of this product are not counted: set how many there are first.')

/** Refuses a number that cannot be: pieces that are lent belong to payments that may come. */
const mustBePossible = (state: StockState, after: number | null, lent: number): void => {
  if (after === null || (after >= lent && after <= STOCK_MAX)) return
  if (after > STOCK_MAX)
    refuse('invalid-request', `stock: at most ${STOCK_MAX} pieces are counted. Send a smaller number.`)
  const there = `There are ${state.count ?? 0} pieces`
  if (lent === 0) refuse('state-forbids', `${there}: take no more away than that.`)
  const words = `${there}, ${lent} of them lent to payments that may still come.`
  refuse('state-forbids', `${words} Leave at least ${lent}, and take the rest once those are over.`)
}

/** Refuses `out-of-stock`, with the seconds until a piece that is lent may come back. */
const mustBeFree = (state: CountedStock, quantity: number, now: string): void => {
  const living = Object.values(state.loans).filter((loan) => endOf(loan) > now)
  const isFree = state.count - lentAt(state, now) >= quantity
  if (isFree && living.length < LOANS_MAX) return
  const soonest = living.map(endOf).reduce((a, b) => (a < b ? a : b), living[0] ? endOf(living[0]) : now)
  const waits = living.length > 0 && state.count >= quantity
  throw new Refusal('out-of-stock', undefined, undefined, waits ? secondsUntil(soonest, now) : undefined)
}

const TOO_MANY =
  'Callers of your network hold as many pieces of this as strangers may. Pay for one of them, or try again later.'

/** Callers who name nothing leave pieces to others, so that a flood of them empties no shop. */
const mustBeWithin = (state: CountedStock, network: string, quantity: number, now: string): void => {
  const held = Object.values(state.loans).filter(
    (loan) => loan.network === network && loan.until > now && !isKept(loan, now),
  )
  const pieces = held.reduce((sum, loan) => sum + loan.quantity, 0)
  if (pieces + quantity <= mostOfOneNetwork(state.count)) return
  const soonest = held.map(({ until }) => until).reduce((a, b) => (a < b ? a : b), held[0]?.until ?? now)
  throw new LimitReached('lent-pieces', secondsUntil(soonest, now), TOO_MANY)
}
