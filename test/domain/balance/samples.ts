import type { ExecutionContext } from 'ava'
import type { MandateTerms } from '../../../domain/balance/standing-order.ts'
import type { ReceivedPart, SentTransfer } from '../../../domain/balance/transfer-terms.ts'
import { type UserBalanceEvents, userBalance } from '../../../domain/balance/user-balance.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'

/** A user, an app, and money between them. Amounts are millionths of a US dollar. */

export const SUB = 'usr_1'
export const CLIENT = 'app_1'
export const MANDATE = 'so_1'

export const received = (amount: string, position = '10', source = 'carry-transfers'): ReceivedPart => ({
  transferId: `grant:${position}`,
  ledgerRef: `oidcgrant-${position}`,
  kind: 'grant',
  amount,
  from: 'platform',
  clientId: null,
  description: null,
  source,
  position,
})

export const sent = (total: string, transferId = 'intent:pi_1'): SentTransfer => ({
  transferId,
  ledgerRef: `ref-${transferId}`,
  kind: 'intent',
  total,
  legs: [{ to: `app:${CLIENT}`, amount: total }],
  clientId: CLIENT,
  request: `request of ${total}`,
  description: null,
})

export const APPROVED = '2026-01-31T12:00:00.000Z'

export const terms: MandateTerms = {
  mandateId: MANDATE,
  clientId: CLIENT,
  mode: 'adhoc',
  perDebitCap: '5',
  lifetimeCap: '10',
  cooldown: 'none',
  schedAmount: null,
  schedInterval: null,
  approvedAt: APPROVED,
  validUntil: '2027-01-31T12:00:00.000Z',
}

/** As it was stored before there was a choice: Daybook debits it. */
export const schedule: MandateTerms = { ...terms, mode: 'scheduled', schedAmount: '3', schedInterval: 'monthly' }
/** A schedule that the app debits. */
export const plan: MandateTerms = { ...schedule, auto: false }

export const funds = (amount = '1000') =>
  ({ type: 'BalanceReceived', data: { ...received(amount), balance: amount } }) as const
export const activated = (of: MandateTerms = terms) => ({ type: 'StandingOrderActivated', data: of }) as const
export const ended = {
  type: 'StandingOrderEnded',
  data: { mandateId: MANDATE, clientId: CLIENT, by: 'user', endedAt: APPROVED },
} as const
export const forbidden = { ...ended, type: 'StandingOrderForbidden' } as const

type Order = NonNullable<UserBalanceEvents['BalanceSent']['order']>
export const debit = (total: string, balance: string, order: Partial<Order>, number = 1, transferId = 'so:1') => {
  const own = { mandateId: MANDATE, period: null, at: APPROVED, remainingCap: '0', nextDebitAt: null, ...order }
  return {
    type: 'BalanceSent',
    data: { ...sent(total, transferId), mandateId: MANDATE, number, balance, order: own },
  } as const
}
export const debiting = (total: string, period: number | null = null, transferId = 'so:1') => ({
  ...sent(total, transferId),
  mandateId: MANDATE,
  period,
  known: 0,
})
export const missed = (period: number, attempt: number, retryAt: string | null, nextDebitAt: string | null) =>
  ({
    type: 'StandingOrderDebitMissed',
    data: {
      mandateId: MANDATE,
      clientId: CLIENT,
      period,
      attempt,
      reason: 'insufficient-balance',
      retryAt,
      nextDebitAt,
    },
  }) as const
export const missing = (period: number, attempt: number) => ({
  mandateId: MANDATE,
  period,
  attempt,
  reason: 'insufficient-balance',
})

/** The facts of a refused debit. */
export const factsOf = (
  t: ExecutionContext,
  history: Parameters<typeof fold<typeof userBalance>>[1],
  period: number | null,
  total: string,
  now: string,
) =>
  t.throws(() => userBalance.decide.debit(fold(userBalance, history), debiting(total, period, 'so:next'), now), {
    instanceOf: Refusal,
  })
