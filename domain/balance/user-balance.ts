import { addDays } from '../kernel/calendar.ts'
import { decider, type Of } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { ownEntry } from '../kernel/plain-data.ts'
import { refuse } from '../kernel/refusal.ts'
import {
  type ArrivingPart,
  bookableNumber,
  type CountedPart,
  countedPart,
  EMPTY,
  type NumberedTransfer,
  numberedTransfer,
  type Purse,
  type TransferRequest,
  withBooked,
  withReceived,
  withSent,
} from './purse.ts'
import {
  allowing,
  type MandateTerms,
  missedDebit,
  newStandingOrder,
  orderAfterDebit,
  orderStateAt,
  remainingCap,
  type StandingOrder,
} from './standing-order.ts'

/**
 * The money that a user has, in millionths of a US dollar, and the standing orders that may take from it. It is never
 * below zero (I-BAL-05), and every rule that limits spending is decided here. The stream is named by the user's sub.
 */

/**
 * For a standing order's debit: the period of its schedule, the time, what it left of the lifetime cap, and when the
 * next debit is due.
 */
type OrderDebit = {
  order?: {
    mandateId: string
    period: number | null
    at: string
    remainingCap: Units
    nextDebitAt: string | null
  }
}

export type UserBalanceEvents = {
  BalanceReceived: CountedPart
  /**
   * Money that had come is taken back, because what it was bought with is not in its chain any more: `amount` from the
   * balance, and what that did not cover is `owed`.
   */
  BalanceTakenBack: CountedPart & { owed: Units }
  /** A part of the money that came paid what was owed. */
  OwedBalanceCollected: Omit<CountedPart, 'from' | 'source' | 'position'>
  /** The transfer itself: from here on the money is the payees'. */
  BalanceSent: NumberedTransfer & OrderDebit
  /** All transfers up to this number are booked, and need not be remembered here. */
  UserTransfersBooked: { through: number }
  /** The user has approved a mandate: from now on it may debit within these terms. */
  StandingOrderActivated: MandateTerms
  StandingOrderEnded: StandingOrderEnd
  /** A mandate can never be approved any more: the user has declined it, or the app has taken it back. */
  StandingOrderForbidden: StandingOrderEnd
  /**
   * A debit of the schedule was refused; it is tried again at `retryAt`, or the period passes without one (`retryAt`
   * null). `nextDebitAt` is when anything is tried again.
   */
  StandingOrderDebitMissed: {
    mandateId: string
    clientId: string
    period: number
    attempt: number
    reason: string
    retryAt: string | null
    nextDebitAt: string | null
  }
}

type StandingOrderEnd = { mandateId: string; clientId: string; by: 'user' | 'app'; endedAt: string }

export type UserBalanceCommands = {
  receive: ArrivingPart
  /** Takes money back. Never refuses for lack of money. */
  takeBack: ArrivingPart
  /** Refuses `insufficient-balance` and as `numberedTransfer` does. */
  send: TransferRequest
  /**
   * A debit of a standing order; `period` is the one that Daybook debits by itself, null when the app debits. Refuses
   * as `send` and `allowing` do.
   */
  debit: TransferRequest & { mandateId: string; period: number | null }
  book: { number: number }
  /**
   * Refuses `mandate-expired` from `until` on, `state-forbids` once it was forbidden or has ended, `too-many-mandates`.
   */
  activate: MandateTerms & { until: string }
  /** Does nothing when the order is not there: it has ended, or was never approved. */
  end: { mandateId: string; by: 'user' | 'app' }
  /** Refuses `state-forbids` when it was approved. */
  forbid: { mandateId: string; clientId: string; by: 'user' | 'app' }
  /** Does nothing when this attempt was counted before, or the period has passed. */
  miss: { mandateId: string; period: number; attempt: number; reason: string }
}

export type UserBalanceState = Purse & {
  /**
   * Money that was to be taken back and was not there, in millionths of a US dollar; it is taken from what comes next.
   */
  readonly owed: bigint
  readonly orders: { readonly [mandateId: string]: StandingOrder }
  /**
   * Mandates that cannot be activated although their own streams may not say so yet, with the time until which each is
   * remembered.
   */
  readonly closed: { readonly [mandateId: string]: string }
}

/** Standing orders of one user that can be active at once. */
const ORDERS_MAX = 100
/**
 * The most closed mandates that are remembered, the newest ones. Each is kept for as long as a mandate waits for its
 * user.
 */
const CLOSED_MAX = 200
/** Days that a mandate waits for its user's answer. */
export const MANDATE_WAITS_DAYS = 1

export const userBalance = decider<UserBalanceEvents, UserBalanceCommands, UserBalanceState>({
  category: 'userBalance',
  grows: true,
  stateVersion: 2,
  initial: { ...EMPTY, owed: 0n, orders: {}, closed: {} },
  decide: {
    receive: (state, command) => {
      const data = countedPart(state, command)
      return data ? [{ type: 'BalanceReceived', data }, ...collected(state, data)] : []
    },
    takeBack: (state, command) => {
      const { balance } = state
      const data = countedPart(state, command)
      if (!data) return []
      const due = BigInt(data.amount)
      const amount = due < balance ? due : balance
      const taken = { amount: String(amount), balance: String(balance - amount), owed: String(due - amount) }
      return [{ type: 'BalanceTakenBack', data: { ...data, ...taken } }]
    },
    send: (state, command, now) => {
      const data = numberedTransfer(state, command, now)
      if (!data) return []
      refuseOverdraft(state, data.total)
      return [{ type: 'BalanceSent', data }]
    },
    debit: (state, { period: ran, ...command }, now) => {
      const data = numberedTransfer(state, command, now)
      if (!data) return []
      const { mandateId } = command
      const { order, period } = allowing(ownEntry(state.orders, mandateId), BigInt(data.total), ran, now)
      refuseOverdraft(state, data.total)
      const after = orderAfterDebit(order, data.total, period, now)
      const left = { remainingCap: remainingCap(after), nextDebitAt: after.nextDebitAt }
      return [{ type: 'BalanceSent', data: { ...data, order: { mandateId, period, at: now, ...left } } }]
    },
    book: (state, { number }) => {
      const through = bookableNumber(state, number)
      return through === undefined ? [] : [{ type: 'UserTransfersBooked', data: { through } }]
    },
    activate: (state, { until, ...data }, now) => {
      if (ownEntry(state.orders, data.mandateId)) return []
      if (state.closed[data.mandateId] !== undefined) return refuse('state-forbids', 'this was declined or revoked')
      if (now >= until) return refuse('mandate-expired')
      if (Object.values(stillActive(state.orders, now)).length >= ORDERS_MAX) return refuse('too-many-mandates')
      return [{ type: 'StandingOrderActivated', data }]
    },
    end: (state, { mandateId, by }, now) => {
      const order = ownEntry(state.orders, mandateId)
      if (!order) return []
      return [{ type: 'StandingOrderEnded', data: { mandateId, clientId: order.clientId, by, endedAt: now } }]
    },
    forbid: (state, { mandateId, clientId, by }, now) => {
      if (ownEntry(state.orders, mandateId)) return refuse('state-forbids', 'this standing order was approved')
      if (state.closed[mandateId] !== undefined) return []
      return [{ type: 'StandingOrderForbidden', data: { mandateId, clientId, by, endedAt: now } }]
    },
    miss: (state, data, now) => {
      const order = state.orders[data.mandateId]
      const next = order && missedDebit(order, data.period, data.attempt, now)
      if (!next) return []
      const { retryAt, after } = next
      const { clientId, nextDebitAt } = after
      return [{ type: 'StandingOrderDebitMissed', data: { ...data, clientId, retryAt, nextDebitAt } }]
    },
  },
  evolve: {
    BalanceReceived: withReceived,
    BalanceTakenBack: (state, data) => ({ ...withReceived(state, data), owed: state.owed + BigInt(data.owed) }),
    OwedBalanceCollected: (state, { amount, balance }) => ({
      ...state,
      balance: BigInt(balance),
      owed: state.owed - BigInt(amount),
    }),
    BalanceSent: (state, data) => {
      const sent = withSent(state, data, data.order?.remainingCap)
      const order = data.order && state.orders[data.order.mandateId]
      if (!data.order || !order) return sent
      return {
        ...sent,
        orders: {
          ...sent.orders,
          [order.mandateId]: orderAfterDebit(order, data.total, data.order.period, data.order.at),
        },
      }
    },
    UserTransfersBooked: (state, { through }) => withBooked(state, through),
    StandingOrderActivated: (state, data) => ({
      ...state,
      orders: { ...stillActive(state.orders, data.approvedAt), [data.mandateId]: newStandingOrder(data) },
    }),
    StandingOrderEnded: (state, data) => {
      const { [data.mandateId]: _, ...rest } = state.orders
      return { ...state, orders: rest, closed: closing(state.closed, data) }
    },
    StandingOrderForbidden: (state, data) => ({ ...state, closed: closing(state.closed, data) }),
    StandingOrderDebitMissed: (state, { mandateId, period, attempt, retryAt, nextDebitAt }) => {
      const order = state.orders[mandateId]
      if (!order) return state
      const at = retryAt === null ? { nextPeriod: period + 1, attempts: 0 } : { nextPeriod: period, attempts: attempt }
      return { ...state, orders: { ...state.orders, [mandateId]: { ...order, ...at, nextDebitAt } } }
    },
  },
})

/** The part of money that comes which pays what is owed. */
const collected = (
  { owed }: UserBalanceState,
  { from: _from, source: _source, position: _position, ...received }: CountedPart,
): readonly Of<Pick<UserBalanceEvents, 'OwedBalanceCollected'>>[] => {
  const amount = BigInt(received.amount) < owed ? BigInt(received.amount) : owed
  if (amount === 0n) return []
  const balance = String(BigInt(received.balance) - amount)
  return [{ type: 'OwedBalanceCollected', data: { ...received, amount: String(amount), balance } }]
}

const refuseOverdraft = ({ balance }: Purse, total: Units): void => {
  if (BigInt(total) > balance) refuse('insufficient-balance')
}

/** The orders that can still debit; the others make room. */
const stillActive = (orders: UserBalanceState['orders'], now: string): UserBalanceState['orders'] =>
  Object.fromEntries(Object.entries(orders).filter(([, order]) => orderStateAt(order, now) === 'approved'))

const closing = (
  closed: UserBalanceState['closed'],
  { mandateId, endedAt }: StandingOrderEnd,
): UserBalanceState['closed'] => {
  const still = Object.entries(closed).filter(([id, until]) => until > endedAt && id !== mandateId)
  return Object.fromEntries([...still, [mandateId, addDays(endedAt, MANDATE_WAITS_DAYS)]].slice(-CLOSED_MAX))
}
