import type { Units } from '../money.ts'
import { Refusal, refuse } from '../refusal.ts'
import { addIntervals, type Interval } from './intervals.ts'

/**
 * The terms of a mandate that a user has approved, as they lie in the user's own stream: caps, cooldown, schedule and validity are decided
 * together with the balance, in one append (I-BAL-04).
 */

/** What a user approves. Caps and amounts are millionths of a US dollar. */
export type MandateTerms = {
  mandateId: string
  clientId: string
  mode: 'adhoc' | 'scheduled'
  perDebitCap: Units
  lifetimeCap: Units
  cooldown: Interval | 'none'
  /** What is debited each interval; null when the app debits as it likes within the caps. */
  schedAmount: Units | null
  schedInterval: Interval | null
  /** 12 months after the approval (L-AUT-08). */
  approvedAt: string
  validUntil: string
}

export type StandingOrder = MandateTerms & {
  readonly spent: Units
  readonly lastDebitAt: string | null
  /** The next period that a schedule may debit, counted from 0 at the approval, and when it is to be tried. */
  readonly nextPeriod: number
  readonly nextDebitAt: string | null
}

export type Debit = {
  mandateId: string
  /** Which period of the schedule; null when the app debits. */
  period: number | null
}

/** A standing order that has just begun; a schedule's first debit is due at once. */
export const begun = (terms: MandateTerms): StandingOrder => ({
  ...terms,
  ...{ spent: '0', lastDebitAt: null, nextPeriod: 0 },
  nextDebitAt: terms.mode === 'scheduled' ? terms.approvedAt : null,
})

/** What is left of the lifetime cap. */
export const remainingCap = ({ lifetimeCap, spent }: Pick<StandingOrder, 'lifetimeCap' | 'spent'>): Units =>
  String(BigInt(lifetimeCap) - BigInt(spent))

/** When a period of a schedule is due. */
export const dueAt = ({ approvedAt, schedInterval }: MandateTerms, period: number): string =>
  addIntervals(approvedAt, schedInterval ?? 'monthly', period)

export type OrderState = 'approved' | 'expired' | 'exhausted'

/** Its time is up at the second it says, and it is used up with the last unit. */
export const orderStateAt = (
  order: Pick<StandingOrder, 'validUntil' | 'lifetimeCap' | 'spent'>,
  now: string,
): OrderState => {
  if (remainingCap(order) === '0') return 'exhausted'
  return now >= order.validUntil ? 'expired' : 'approved'
}

/**
 * The order, when it allows the debit. Else refuses: `mandate-not-active`, `mandate-mode-mismatch`, `per-debit-cap-exceeded`,
 * `lifetime-cap-exceeded`, `cooldown-active`.
 */
export const allowing = (
  order: StandingOrder | undefined,
  total: bigint,
  period: number | null,
  now: string,
): StandingOrder => {
  const state = order ? orderStateAt(order, now) : 'revoked'
  if (!order || state !== 'approved') return refuseFacts('mandate-not-active', { state })
  if ((order.mode === 'scheduled') !== (period !== null)) return refuse('mandate-mode-mismatch')
  if (total > BigInt(order.perDebitCap)) return refuse('per-debit-cap-exceeded')
  if (total > BigInt(remainingCap(order))) return refuse('lifetime-cap-exceeded')
  if (period !== null) {
    if (period < order.nextPeriod || total !== BigInt(order.schedAmount ?? '0')) return refuse('mandate-mode-mismatch')
    if (now < dueAt(order, period)) return refuseFacts('cooldown-active', { next_allowed_at: dueAt(order, period) })
  }
  const next = nextAllowedAt(order)
  if (period === null && next !== null && now < next) return refuseFacts('cooldown-active', { next_allowed_at: next })
  return order
}

/** When the cooldown ends that the last debit has begun; null without one. */
export const nextAllowedAt = ({ cooldown, lastDebitAt }: StandingOrder): string | null =>
  cooldown === 'none' || lastDebitAt === null ? null : addIntervals(lastDebitAt, cooldown, 1)

/** After a debit of `total` at `at`. */
export const debited = (order: StandingOrder, total: Units, period: number | null, at: string): StandingOrder => ({
  ...order,
  spent: String(BigInt(order.spent) + BigInt(total)),
  lastDebitAt: at,
  ...(period !== null && { nextPeriod: period + 1, nextDebitAt: dueAt(order, period + 1) }),
})

const refuseFacts = (
  code: 'mandate-not-active' | 'cooldown-active',
  facts: Readonly<Record<string, string>>,
): never => {
  throw new Refusal(code, undefined, undefined, undefined, facts)
}
