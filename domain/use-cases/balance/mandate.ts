import { type Mandate, type MandateState, mandateStateAt } from '../../balance/mandate.ts'
import { allowing, isAutomatic, remainingCap, type StandingOrder } from '../../balance/standing-order.ts'
import { appRef } from '../../balance/transfer-terms.ts'
import { MANDATE_WAITS_DAYS } from '../../balance/user-balance.ts'
import { addDays, addMonths, type Interval } from '../../kernel/calendar.ts'
import { isRefusal, Refusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { onceOf } from '../once.ts'
import { mustPay } from '../suspended-user.ts'
import { transferOnce } from './transfer.ts'

/** Amounts are millionths of a US dollar. */
export type MandateWish = {
  sub: string
  clientId: string
  mode: 'adhoc' | 'scheduled'
  perDebitCap: bigint
  lifetimeCap: bigint
  cooldown: Interval | 'none'
  schedAmount: bigint | null
  schedInterval: Interval | null
  /** Whether Daybook debits a schedule by itself. Not said: the app does. */
  auto?: boolean | undefined
  description: string
  redirectUri: string
  appState: string
  idempotencyKey: string | undefined
}

/** Months that a standing order stays valid after its approval (L-AUT-08). */
export const VALID_MONTHS = 12

/**
 * Creates a standing order that an app proposes (A-MAN-01); the same idempotency key gives the same one. Refuses
 * `mandate-terms-invalid`, `amount-not-positive`, `idempotency-conflict`.
 */
export const createMandate = async (
  flow: UseCaseContext,
  wish: MandateWish,
): Promise<{ mandateId: string; mandate: Mandate }> => {
  const { ledger, world, vault } = flow
  refuseTerms(wish)
  const { perDebitCap, lifetimeCap, schedAmount, auto, description, idempotencyKey: key, ...rest } = wish
  const caps = { perDebitCap: String(perDebitCap), lifetimeCap: String(lifetimeCap) }
  const terms = { ...rest, ...caps, schedAmount: schedAmount === null ? null : String(schedAmount) }
  // What was not said is no part of the request, so that a key from before there was a choice still gives its order.
  const body = { ...terms, description, ...(auto !== undefined && { auto }) }
  const once = onceOf(
    flow,
    key === undefined ? undefined : { accountId: wish.clientId, operation: 'mandate', key, body },
  )
  const mandateId = once.id('so')
  const mandate = await once.make<Mandate>(
    () => ledger.mandate.read(mandateId),
    async () => {
      const expiresAt = addDays(world.now().toISOString(), MANDATE_WAITS_DAYS)
      const sealed = await vault.seal(wish.sub, description)
      const { state } = await ledger.mandate.create(mandateId, {
        ...terms,
        ...(wish.mode === 'scheduled' && { auto: auto ?? false }),
        description: sealed,
        expiresAt,
        ...once.mark,
      })
      return state.status === 'none' ? refuse('mandate-not-found') : state
    },
  )
  return { mandateId, mandate }
}

/**
 * Approves a standing order for its user (A-MAN-03): it may debit once the user's own stream has the event. Refuses
 * `mandate-not-found`, `mandate-expired`, `state-forbids` when it was declined or revoked, `too-many-mandates`.
 */
export const approveMandate = async ({ ledger, world }: UseCaseContext, mandateId: string): Promise<void> => {
  const { sub, status, expiresAt, ...proposal } = await mandateOf({ ledger }, mandateId)
  if (status === 'approved') return
  if (status !== 'pending') return refuse('state-forbids', 'this was declined or revoked')
  const { clientId, mode, perDebitCap, lifetimeCap, cooldown, schedAmount, schedInterval, auto } = proposal
  const approvedAt = world.now().toISOString()
  await ledger.userBalance.activate(sub, {
    mandateId,
    clientId,
    mode,
    perDebitCap,
    lifetimeCap,
    cooldown,
    schedAmount,
    schedInterval,
    ...(auto !== undefined && { auto }),
    approvedAt,
    validUntil: addMonths(approvedAt, VALID_MONTHS),
    until: expiresAt,
  })
}

/** Refuses `mandate-not-found`, `mandate-expired`, `state-forbids` when it was approved. */
export const declineMandate = async ({ ledger, world }: UseCaseContext, mandateId: string): Promise<void> => {
  const { sub, clientId, status, expiresAt } = await mandateOf({ ledger }, mandateId)
  if (status === 'declined') return
  if (status !== 'pending') return refuse('state-forbids', 'this standing order was approved')
  if (world.now().toISOString() >= expiresAt) return refuse('mandate-expired')
  // The stream that it would debit forbids it first, so that no approval in another window comes in between.
  await ledger.userBalance.forbid(sub, { mandateId, clientId, by: 'user' })
}

/**
 * Ends a standing order for good, also before the user has answered. Quiet when it has ended. Refuses
 * `mandate-not-found`.
 */
export const revokeMandate = async (
  { ledger }: UseCaseContext,
  mandateId: string,
  by: 'user' | 'app',
): Promise<void> => {
  const { sub, clientId, status } = await mandateOf({ ledger }, mandateId)
  if (status === 'pending')
    await ledger.userBalance.forbid(sub, { mandateId, clientId, by }).catch((error: unknown) => {
      if (!isRefusal(error, 'state-forbids')) throw error
    })
  await ledger.userBalance.end(sub, { mandateId, by })
}

/**
 * Takes money within what the user has approved, once per idempotency key (A-MAN-05 to A-MAN-07, I-BAL-04). A repeat of
 * a debit always gives the same answer again. Refuses `mandate-not-found` (also of another app), `mandate-not-active`
 * with its state, `mandate-mode-mismatch`, `per-debit-cap-exceeded`, `lifetime-cap-exceeded`, `cooldown-active` with
 * `next_allowed_at`, `insufficient-balance`, `amount-not-positive`, `idempotency-conflict`, `account-suspended`.
 */
export const debitMandate = async (
  flow: UseCaseContext,
  wish: { clientId: string; mandateId: string; amount: bigint; description: string; idempotencyKey: string },
): Promise<{ ledgerRef: string; remainingCap: bigint; duplicate: boolean }> => {
  const { ledger, vault } = flow
  const { clientId, mandateId, amount, description, idempotencyKey } = wish
  const mandate = await mandateOf({ ledger }, mandateId)
  if (mandate.clientId !== clientId) return refuse('mandate-not-found')
  if (isAutomatic(mandate)) return refuse('mandate-mode-mismatch', BY_ITSELF)
  if (amount <= 0n) return refuse('amount-not-positive')
  const { sub } = mandate
  const total = String(amount)
  const sealed = await vault.seal(sub, description)
  const transferId = `so:${mandateId}:${idempotencyKey}`
  try {
    const made = await transferOnce(
      flow,
      { transferId, kind: 'standing-order', terms: [total, description] },
      {
        read: () => ledger.userBalance.read(sub),
        recent: () => ledger.userBalance.recent(sub),
        async send(named) {
          await mustPay({ ledger }, sub)
          return await ledger.userBalance.debit(sub, {
            ...named,
            total,
            legs: [{ to: appRef(clientId), amount: total }],
            clientId,
            description: sealed,
            mandateId,
            period: null,
          })
        },
      },
    )
    const { ledgerRef, duplicate, remainingCap: left = '0' } = made
    return { ledgerRef, duplicate, remainingCap: BigInt(left) }
  } catch (error) {
    if (!isRefusal(error, 'mandate-not-active')) throw error
    const { state } = await mandateNow(flow, mandateId)
    throw new Refusal('mandate-not-active', `it is ${state}`, error, undefined, { state })
  }
}

const BY_ITSELF = 'it was approved with auto=true, so that it is debited by itself'

/** Refuses `mandate-not-found`. */
export const mandateOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, mandateId: string): Promise<Mandate> => {
  const mandate = await ledger.mandate.read(mandateId)
  return mandate.status === 'none' ? refuse('mandate-not-found') : mandate
}

const refuseTerms = ({ mode, perDebitCap, lifetimeCap, schedAmount, schedInterval, auto }: MandateWish): void => {
  const wrong = (why: string) => refuse('mandate-terms-invalid', why)
  if (perDebitCap <= 0n || lifetimeCap <= 0n || (schedAmount !== null && schedAmount <= 0n))
    refuse('amount-not-positive')
  if (perDebitCap > lifetimeCap) wrong('per_debit_cap: has to be at most lifetime_cap')
  if (mode === 'adhoc' && (schedAmount !== null || schedInterval !== null))
    wrong('sched_amount and sched_interval: an adhoc mandate has neither, so leave them out')
  if (mode === 'adhoc' && auto) wrong('auto: is for a scheduled mandate alone, so leave it out')
  if (mode === 'scheduled' && (schedAmount === null || schedInterval === null))
    wrong('sched_amount and sched_interval: a scheduled mandate has to have both')
  if (schedAmount !== null && schedAmount > perDebitCap) wrong('sched_amount: has to be at most per_debit_cap')
}

/**
 * A mandate as it is now, with what it may still debit. What was decided in the user's stream a moment ago counts.
 * Refuses `mandate-not-found`.
 */
export const mandateNow = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  mandateId: string,
): Promise<{ mandate: Mandate; order: StandingOrder | undefined; state: MandateState }> => {
  const mandate = await mandateOf({ ledger }, mandateId)
  const { orders, closed } = await ledger.userBalance.read(mandate.sub)
  const order = orders[mandateId]
  const now = world.now().toISOString()
  if (order) return { mandate, order, state: mandateStateAt({ ...mandate, ...order, status: 'approved' }, now) }
  const ended = closed[mandateId] !== undefined
  const state = mandateStateAt({ ...mandate, spent: '0' }, now)
  // One that was approved and is gone has been revoked a moment ago, or was used up and has made room for another.
  if (state === 'approved') return { mandate, order, state: ended ? 'revoked' : 'exhausted' }
  return { mandate, order, state: ended && mandate.status === 'pending' ? 'revoked' : state }
}

/**
 * Tries a debit as if it were made now, with a key that was not used yet; nothing is written. Answers what would be
 * left of the lifetime cap, and refuses as `debitMandate` does.
 */
export const tryDebit = async (
  flow: UseCaseContext,
  { clientId, mandateId, amount }: { clientId: string; mandateId: string; amount: bigint },
): Promise<{ remainingCap: bigint }> => {
  const { mandate, order, state } = await mandateNow(flow, mandateId)
  if (mandate.clientId !== clientId) return refuse('mandate-not-found')
  if (isAutomatic(mandate)) return refuse('mandate-mode-mismatch', BY_ITSELF)
  if (!order) throw new Refusal('mandate-not-active', `it is ${state}`, undefined, undefined, { state })
  allowing(order, amount, null, flow.world.now().toISOString())
  await mustPay(flow, mandate.sub)
  const { balance } = await flow.ledger.userBalance.read(mandate.sub)
  if (balance < amount) return refuse('insufficient-balance')
  return { remainingCap: BigInt(remainingCap(order)) - amount }
}
