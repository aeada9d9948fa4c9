import { decider } from '../kernel/decider.ts'
import { Refusal, refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import type { PieceWish, StockCommands, StockEvents } from './stock-events.ts'
import {
  type CountedStock,
  endOf,
  heldBy,
  hoursAfter,
  isInStock,
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

export const stock = decider<StockEvents, StockCommands, StockState>({
  category: 'stock',
  grows: true,
  stateVersion: 1,
  initial: { accountId: '', count: null, loans: {}, calls: [], refused: [], through: -1n },
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
      if (held && Date.parse(until) - Date.parse(held.until) < RENEWAL_MS) return []
      if (!held && !isFree(state, quantity, now)) return outOfStock(state, quantity, now)
      if (!held && network !== undefined) mustBeWithin(state, network, quantity, now)
      const data = { accountId, holder, quantity: held?.quantity ?? quantity, lentAt: now, until }
      const more = { ...(held && { before: held.until }), ...(network !== undefined && { network }) }
      return [{ type: 'PiecesLent', data: { ...data, ...more } }]
    },
    keep: (state, { payment, ...wish }, now) => {
      if (!isCounted(state)) return []
      const kept = keeping(state, wish, now)
      if (!kept) return outOfStock(state, wish.quantity, now)
      const isTaken = payment !== undefined && isRefused(state, payment)
      return kept.type === 'same' && !isTaken
        ? []
        : [{ type: 'PiecesKept', data: { ...kept.data, ...(isTaken && { payment }) } }]
    },
    claim: (state, { payment, ...wish }, now) => {
      if (!isCounted(state) || isRefused(state, payment)) return []
      const kept = keeping(state, wish, now)
      if (kept) return kept.type === 'same' ? [] : [{ type: 'PiecesKept', data: kept.data }]
      const { holder, quantity } = wish
      const data = { accountId: state.accountId, holder, quantity, payment, refusedAt: now }
      return [{ type: 'PiecesRefused', data }]
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
    restore: (state, { quantity, position, holder }, now) => {
      if (!isCounted(state) || BigInt(position) <= state.through) return []
      const count = state.count + quantity
      const data = { accountId: state.accountId, quantity, count, restoredAt: now, position }
      const kept = holder !== undefined && { holder, until: hoursAfter(now, KEPT_HOURS) }
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
    PiecesRefused: (state, { payment }) => ({ ...state, refused: [...state.refused, payment].slice(-REFUSED_KEPT) }),
    PiecesKept: (state, { holder, quantity, keptAt, until, from, payment }) => {
      const before = heldBy(state, from ?? holder, keptAt)
      const others = withoutLapsed(from === undefined ? state : withLoan(state, from, undefined), keptAt)
      const kept = withLoan(others, holder, { until: keptAt, ...before, quantity, keptUntil: until })
      return payment === undefined ? kept : { ...kept, refused: kept.refused.filter((each) => each !== payment) }
    },
    PiecesReleased: (state, { holder, releasedAt, to = holder }) => {
      const { keptUntil: _, ...before } = state.loans[holder] ?? NO_LOAN
      const others = withLoan(state, holder, undefined)
      return before.until > releasedAt ? withLoan(others, to, before) : others
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

/**
 * Payments without a piece that are remembered of one product: two processes that book the same one at the same time
 * have to say the same.
 */
const REFUSED_KEPT = 256
/** Milliseconds by which a loan has to get longer to be written anew. */
const RENEWAL_MS = 60_000
/** How long pieces are kept for a payment that is on its way: as long as confirmations may take. */
const KEPT_HOURS = 24

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
  const there = state.count === 1 ? 'There is 1 piece' : `There are ${state.count ?? 0} pieces`
  if (lent === 0) refuse('state-forbids', `${there}: take no more away than that.`)
  const words = `${there}, ${lent} of them lent to payments that may still come.`
  refuse('state-forbids', `${words} Leave at least ${lent}, and take the rest once those are over.`)
}

const isRefused = ({ refused }: StockState, payment: string): boolean => refused.includes(payment)

/** The pieces that a payment keeps; undefined where there are none. `same`: they are kept already. */
const keeping = (state: CountedStock, { holder, quantity, from }: PieceWish, now: string) => {
  const until = hoursAfter(now, KEPT_HOURS)
  const own = heldBy(state, holder, now)
  const lent = !own && from !== undefined ? heldBy(state, from, now) : undefined
  const isTheirs = lent !== undefined && !isKept(lent, now)
  if (!own && !isTheirs && !isFree(state, quantity, now)) return undefined
  const data = { accountId: state.accountId, holder, quantity: (own ?? lent)?.quantity ?? quantity, keptAt: now, until }
  const isSame = own !== undefined && isKeptLongEnough(own, until, now)
  return { type: isSame ? 'same' : 'kept', data: { ...data, ...(isTheirs && { from }) } } as const
}

const isFree = (state: CountedStock, quantity: number, now: string): boolean =>
  isInStock(state, now, quantity) && Object.keys(withoutLapsed(state, now).loans).length < LOANS_MAX

/** Refuses `out-of-stock`, with the seconds until a piece that is lent may come back. */
const outOfStock = (state: CountedStock, quantity: number, now: string): never => {
  const ends = Object.values(withoutLapsed(state, now).loans).map(endOf)
  const soonest = ends.reduce((a, b) => (a < b ? a : b), ends[0] ?? now)
  const waits = ends.length > 0 && state.count >= quantity
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
