import { addDays, addIntervals, type Interval } from '../kernel/calendar.ts'
import type { Units } from '../kernel/money.ts'
import { Refusal, refuse } from '../kernel/refusal.ts'

/**
 * The terms of a mandate that a user has approved, as they lie in the user's own stream: caps, cooldown, schedule and
 * validity are decided together with the balance, in one append (I-BAL-04).
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
  /**
   * Who debits a schedule: Daybook by itself when it is due, or the app, which takes `schedAmount` at most, once in
   * each interval. Absent: Daybook does.
   */
  auto?: boolean
  /** `validUntil` is 12 months after the approval (L-AUT-08). */
  approvedAt: string
  validUntil: string
}

export type StandingOrder = MandateTerms & {
  readonly spent: Units
  readonly lastDebitAt: string | null
  /**
   * The next period that a schedule may debit, counted from 0 at the approval; how often that was refused; and when it
   * is to be tried.
   */
  readonly nextPeriod: number
  readonly attempts: number
  readonly nextDebitAt: string | null
}

/** Days until a refused debit is tried again, each counted from the attempt before; then the period passes. */
const RETRY_DAYS = [1, 3]

/** A standing order that has just begun; a schedule's first debit is due at once. */
export const newStandingOrder = (terms: MandateTerms): StandingOrder => ({
  ...terms,
  spent: '0',
  lastDebitAt: null,
  nextPeriod: 0,
  attempts: 0,
  nextDebitAt: isAutomatic(terms) ? terms.approvedAt : null,
})

/** Whether Daybook debits an order by itself, when its schedule says so; otherwise the app does. */
export const isAutomatic = ({ mode, auto = true }: Pick<MandateTerms, 'mode' | 'auto'>): boolean =>
  mode === 'scheduled' && auto

/** What is left of the lifetime cap. */
export const remainingCap = ({ lifetimeCap, spent }: Pick<StandingOrder, 'lifetimeCap' | 'spent'>): Units =>
  String(BigInt(lifetimeCap) - BigInt(spent))

export type OrderState = 'approved' | 'expired' | 'exhausted'

/**
 * The state of an order at a time. It expires at `validUntil`. It is exhausted when nothing is left of its lifetime
 * cap, or less than Daybook debits; an app may take what is left.
 */
export const orderStateAt = (
  order: Pick<StandingOrder, 'validUntil' | 'lifetimeCap' | 'spent' | 'schedAmount' | 'auto'>,
  now: string,
): OrderState => {
  const least = order.auto === false ? null : order.schedAmount
  if (BigInt(remainingCap(order)) < BigInt(least ?? '1')) return 'exhausted'
  return now >= order.validUntil ? 'expired' : 'approved'
}

/** An order that allows a debit, and the period of its schedule that the debit is for; null without a schedule. */
type AllowedDebit = { readonly order: StandingOrder; readonly period: number | null }

/**
 * Says that an order allows a debit. `ran` is the period that Daybook debits; null when the app does. Otherwise refuses
 * `mandate-not-active`, `mandate-mode-mismatch`, `per-debit-cap-exceeded`, `lifetime-cap-exceeded`, `cooldown-active`.
 */
export const allowing = (
  order: StandingOrder | undefined,
  total: bigint,
  ran: number | null,
  now: string,
): AllowedDebit => {
  const state = order ? orderStateAt(order, now) : 'revoked'
  if (!order || state !== 'approved') return refuseFacts('mandate-not-active', { state })
  if (isAutomatic(order) !== (ran !== null)) return refuse('mandate-mode-mismatch')
  if (total > BigInt(order.perDebitCap)) return refuse('per-debit-cap-exceeded')
  if (total > BigInt(remainingCap(order))) return refuse('lifetime-cap-exceeded')
  if (ran !== null && (ran < order.nextPeriod || total !== BigInt(order.schedAmount ?? '0')))
    return refuse('mandate-mode-mismatch')
  if (order.schedAmount !== null && total > BigInt(order.schedAmount))
    return refuse('per-debit-cap-exceeded', 'it is above what the schedule takes in one interval')
  const period = ran ?? (order.mode === 'scheduled' ? duePeriod(order, now) : null)
  const next = period === null ? cooldownEnd(order) : scheduledAt(order, period)
  return next !== null && now < next ? refuseFacts('cooldown-active', { next_allowed_at: next }) : { order, period }
}

/** When the app may debit again: after the cooldown, and once a schedule's next period is due; null for at any time. */
export const nextAllowedAt = (order: StandingOrder): string | null =>
  order.mode === 'scheduled' && !isAutomatic(order) ? scheduledAt(order, order.nextPeriod) : cooldownEnd(order)

/** The end of the cooldown that the last debit began; null without one. */
const cooldownEnd = ({ cooldown, lastDebitAt }: Pick<StandingOrder, 'cooldown' | 'lastDebitAt'>): string | null =>
  cooldown === 'none' || lastDebitAt === null ? null : addIntervals(lastDebitAt, cooldown, 1)

/** The newest period of a schedule that is due; older ones that were not run are skipped. */
export const duePeriod = (order: StandingOrder, now: string): number => {
  let period = order.nextPeriod
  while (dueAt(order, period + 1) <= now && dueAt(order, period + 1) < order.validUntil) period++
  return period
}

/** The order after a debit of `total` at `at`. */
export const orderAfterDebit = (
  order: StandingOrder,
  total: Units,
  period: number | null,
  at: string,
): StandingOrder => {
  const after = { ...order, spent: String(BigInt(order.spent) + BigInt(total)), lastDebitAt: at }
  return period === null ? after : passed(after, period)
}

/**
 * When a debit that was refused at `now` is tried again, and the order after that refusal; undefined when it was
 * counted before.
 */
export const missedDebit = (
  order: StandingOrder,
  period: number,
  attempt: number,
  now: string,
): { retryAt: string | null; after: StandingOrder } | undefined => {
  const before = period === order.nextPeriod ? order.attempts : 0
  if (!isAutomatic(order)) return undefined
  if (period < order.nextPeriod || attempt !== before + 1) return undefined
  const days = RETRY_DAYS[attempt - 1]
  const retryAt = days === undefined ? null : addDays(now, days)
  // By then the next period is due, or the order has expired.
  if (retryAt === null || retryAt >= dueAt(order, period + 1) || retryAt >= order.validUntil)
    return { retryAt: null, after: passed(order, period) }
  return { retryAt, after: { ...order, nextPeriod: period, attempts: attempt, nextDebitAt: retryAt } }
}

/** When a period of a schedule is due. */
const dueAt = ({ approvedAt, schedInterval }: MandateTerms, period: number): string =>
  addIntervals(approvedAt, schedInterval ?? 'monthly', period)

/** When a period of a schedule can be debited: when it is due, and not before the cooldown is over. */
const scheduledAt = (order: StandingOrder, period: number): string => {
  const due = dueAt(order, period)
  const allowed = cooldownEnd(order) ?? due
  return allowed > due ? allowed : due
}

const passed = (order: StandingOrder, period: number): StandingOrder => {
  const next = scheduledAt(order, period + 1)
  const ends = !isAutomatic(order) || orderStateAt(order, next) !== 'approved'
  return { ...order, nextPeriod: period + 1, attempts: 0, nextDebitAt: ends ? null : next }
}

const refuseFacts = (
  code: 'mandate-not-active' | 'cooldown-active',
  facts: Readonly<Record<string, string>>,
): never => {
  throw new Refusal(code, undefined, undefined, undefined, facts)
}
