import { decider } from '../decider.ts'
import type { Units } from '../money.ts'
import { refuse } from '../refusal.ts'
import {
  bookable,
  EMPTY,
  hasAnswered,
  type Numbered,
  type Purse,
  type Sending,
  sending,
  withBooked,
  withReceived,
  withSent,
} from './purse.ts'
import {
  allowing,
  begun,
  debited,
  dueAt,
  type MandateTerms,
  orderStateAt,
  remainingCap,
  type StandingOrder,
} from './standing-order.ts'
import type { Received } from './transfer-terms.ts'

/**
 * What a user has, in millionths of a US dollar, and the standing orders that may take from it. It is never below zero (I-BAL-05), and every rule
 * that limits spending is decided here. The stream is named by the user's sub.
 */

/** Which period of a schedule was debited, when, and what it left of the lifetime cap; only of debits of a standing order. */
type OfOrder = { order?: { mandateId: string; period: number | null; at: string; remainingCap: Units } }

export type UserBalanceEvents = {
  BalanceReceived: Received
  /** The transfer itself: from here on the money is the payees'. */
  BalanceSent: Numbered & OfOrder
  /** All transfers up to this number are booked, and need not be remembered here. */
  UserTransfersBooked: { through: number }
  /** The user has approved a mandate: from now on it may debit within these terms. */
  StandingOrderActivated: MandateTerms
  StandingOrderEnded: { mandateId: string; clientId: string; by: 'user' | 'app'; endedAt: string }
  /** A debit of the schedule was refused; it is tried again at `retryAt`, or the period passes without one (`retryAt` null). */
  StandingOrderDebitMissed: {
    mandateId: string
    clientId: string
    period: number
    attempt: number
    reason: string
    retryAt: string | null
  }
}

export type UserBalanceCommands = {
  receive: Received
  /** Refuses `insufficient-balance`, `idempotency-conflict`, `busy`. */
  send: Sending
  /** A debit of a standing order; refuses as `send` and `allowing` do. */
  debit: Sending & { mandateId: string; period: number | null }
  book: { number: number }
  /** Refuses `too-many-mandates`. */
  activate: MandateTerms
  /** Quiet when it is not there: it has ended, or was never approved. */
  end: { mandateId: string; by: 'user' | 'app' }
  /** Quiet when the period has been debited or missed for good meanwhile. */
  miss: { mandateId: string; period: number; attempt: number; reason: string; retryAt: string | null }
}

export type UserBalanceState = Purse & { readonly orders: { readonly [mandateId: string]: StandingOrder } }

/** Standing orders of one user that can be active at once. */
export const ORDERS_MAX = 100

export const userBalance = decider<UserBalanceEvents, UserBalanceCommands, UserBalanceState>({
  category: 'userBalance',
  grows: true,
  stateVersion: 1,
  initial: { ...EMPTY, orders: {} },
  decide: {
    receive: (state, data) => (hasAnswered(state, data) ? [] : [{ type: 'BalanceReceived', data }]),
    send: (state, command) => {
      const data = sending(state, command)
      if (!data) return []
      refuseOverdraft(state, data.total)
      return [{ type: 'BalanceSent', data }]
    },
    debit: (state, { period, ...command }, now) => {
      const data = sending(state, command)
      if (!data) return []
      const { mandateId } = command
      const order = allowing(state.orders[mandateId], BigInt(data.total), period, now)
      refuseOverdraft(state, data.total)
      const left = String(BigInt(remainingCap(order)) - BigInt(data.total))
      return [{ type: 'BalanceSent', data: { ...data, order: { mandateId, period, at: now, remainingCap: left } } }]
    },
    book: (state, { number }) => {
      const through = bookable(state, number)
      return through === undefined ? [] : [{ type: 'UserTransfersBooked', data: { through } }]
    },
    activate: (state, data, now) => {
      if (state.orders[data.mandateId]) return []
      if (Object.values(stillActive(state.orders, now)).length >= ORDERS_MAX) return refuse('too-many-mandates')
      return [{ type: 'StandingOrderActivated', data }]
    },
    end: (state, { mandateId, by }, now) => {
      const order = state.orders[mandateId]
      if (!order) return []
      return [{ type: 'StandingOrderEnded', data: { mandateId, clientId: order.clientId, by, endedAt: now } }]
    },
    miss: (state, data) => {
      const order = state.orders[data.mandateId]
      if (!order || data.period < order.nextPeriod) return []
      return [{ type: 'StandingOrderDebitMissed', data: { ...data, clientId: order.clientId } }]
    },
  },
  evolve: {
    BalanceReceived: withReceived,
    BalanceSent: (state, data) => {
      const sent = withSent(state, data)
      const order = data.order && state.orders[data.order.mandateId]
      if (!data.order || !order) return sent
      return {
        ...sent,
        orders: { ...sent.orders, [order.mandateId]: debited(order, data.total, data.order.period, data.order.at) },
      }
    },
    UserTransfersBooked: (state, { through }) => withBooked(state, through),
    StandingOrderActivated: (state, data) => ({
      ...state,
      orders: { ...stillActive(state.orders, data.approvedAt), [data.mandateId]: begun(data) },
    }),
    StandingOrderEnded: (state, { mandateId }) => {
      const { [mandateId]: _, ...rest } = state.orders
      return { ...state, orders: rest }
    },
    StandingOrderDebitMissed: (state, { mandateId, period, retryAt }) => {
      const order = state.orders[mandateId]
      if (!order) return state
      const next =
        retryAt === null ? { nextPeriod: period + 1, nextDebitAt: dueAt(order, period + 1) } : { nextDebitAt: retryAt }
      return { ...state, orders: { ...state.orders, [mandateId]: { ...order, ...next } } }
    },
  },
})

const refuseOverdraft = ({ balance }: Purse, total: Units): void => {
  if (BigInt(total) > balance) refuse('insufficient-balance')
}

/** Those that can debit no more make room. */
const stillActive = (orders: UserBalanceState['orders'], now: string): UserBalanceState['orders'] =>
  Object.fromEntries(Object.entries(orders).filter(([, order]) => orderStateAt(order, now) === 'approved'))
