import { addMinutes } from '../kernel/calendar.ts'
import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import { type Reservations, soonest, underWay, withoutReservation, withReservation } from './reservations.ts'

/**
 * A payer that signs payments of one token. Its balance may cover each of two payments and not both, so that the value
 * of payments under way is kept back. A payer whose payments fail, for which nobody is billed, has to wait. The stream
 * is `network:asset:payer`.
 */

export type PayerEvents = {
  PayerFundsReserved: { authorizationId: string; value: Units; until: string }
  /** `failedAt` when the payment came to nothing; `paid` when it was carried out. */
  PayerFundsReleased: { authorizationId: string; failedAt: string | null; paid?: true }
}

export type PayerCommands = {
  /** `balance` is what the chain says now. A reservation that nobody releases ends by itself. */
  reserve: { authorizationId: string; value: Units; balance: Units; until: string }
  release: { authorizationId: string; failed: boolean; paid?: true }
}

type State = {
  readonly reserved: Reservations<{ value: Units; until: string }>
  /** When payments failed, the newest last. */
  readonly failedAt: readonly string[]
  /** A payment of this payer was carried out. */
  readonly hasPaid: boolean
}

/** Payments of one payer that may be under way at once. */
const RESERVED_MAX = 256
/** The failed payments, and the minutes within which they happen, after which the payer has to wait. */
const FAILURES_MAX = 5
const FAILURES_MINUTES = 10

const TOO_MANY_FAILED = `${FAILURES_MAX} payments of this payer have failed within ${FAILURES_MINUTES} minutes. Wait, then pay again.`
const TOO_MANY_UNDER_WAY = `${RESERVED_MAX} payments of this payer are under way. Wait until one has settled.`

export const payer = decider<PayerEvents, PayerCommands, State>({
  category: 'payer',
  grows: true,
  pays: true,
  stateVersion: 2,
  initial: { reserved: {}, failedAt: [], hasPaid: false },
  decide: {
    reserve: (state, { authorizationId, value, balance, until }, now) => {
      if (state.reserved[authorizationId]) return []
      const [oldest] = state.failedAt
      const freeAt = oldest === undefined ? now : addMinutes(oldest, FAILURES_MINUTES)
      if (state.failedAt.length >= FAILURES_MAX && freeAt > now)
        throw new LimitReached('payer.failures', secondsUntil(freeAt, now), TOO_MANY_FAILED)
      const others = underWay(state.reserved, now)
      if (others.length >= RESERVED_MAX)
        throw new LimitReached('payer.under-way', secondsUntil(soonest(others), now), TOO_MANY_UNDER_WAY)
      const kept = others.reduce((sum, each) => sum + BigInt(each.value), 0n)
      if (kept + BigInt(value) > BigInt(balance)) return refuse('insufficient-funds')
      return [{ type: 'PayerFundsReserved', data: { authorizationId, value, until } }]
    },
    release: (state, { authorizationId, failed, ...paid }, now) =>
      state.reserved[authorizationId]
        ? [{ type: 'PayerFundsReleased', data: { authorizationId, failedAt: failed ? now : null, ...paid } }]
        : [],
  },
  evolve: {
    PayerFundsReserved: (state, { authorizationId, value, until }) => ({
      ...state,
      reserved: withReservation(state.reserved, authorizationId, { value, until }, RESERVED_MAX),
    }),
    PayerFundsReleased: (state, { authorizationId, failedAt, paid = false }) => {
      const reserved = withoutReservation(state.reserved, authorizationId)
      return {
        reserved,
        hasPaid: state.hasPaid || paid,
        failedAt: failedAt === null ? state.failedAt : [...state.failedAt, failedAt].slice(-FAILURES_MAX),
      }
    },
  },
})
