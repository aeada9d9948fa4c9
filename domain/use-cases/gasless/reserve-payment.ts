import type { AcceptedAuthorization } from '../../gasless/authorization.ts'
import { callerId } from '../../gasless/caller.ts'
import type { AuthorizationFault } from '../../gasless/relayer.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import { type Authorization, authorizationId } from '../../selling/authorization-terms.ts'
import type { UseCaseContext } from '../context.ts'
import { releaseChallenges, type Sale, type SignedWish } from '../selling/challenges/keep-challenge.ts'
import { payerOf } from './settle-authorization.ts'

/**
 * What a signed payment reserves until its end is known: its value from the payer's balance, and its price from a
 * spending cap.
 */

/** Seconds that reservations are kept after a payment's end, while nobody may know yet what became of it. */
const RESERVED_SECONDS_AFTER = 3_600

/** `release` gives back what this call has reserved, and nothing that another call with the same payment has. */
export type ReservationResult =
  | { readonly fault: AuthorizationFault }
  | { readonly fault?: undefined; release(): Promise<void> }

/**
 * Reserves what a signed payment spends. Quiet where another call with the same payment was first. Refuses
 * `rate-limited` to a payer whose payments fail.
 */
export const reservePayment = async (
  { ledger }: UseCaseContext,
  { accountId, resId, amount, cap }: Sale,
  authorization: Authorization,
  balance: bigint,
): Promise<ReservationResult> => {
  const id = authorizationId(authorization)
  const { from, value } = authorization
  const reservation = { authorizationId: id, until: endOf(authorization) }
  const own: (() => Promise<unknown>)[] = []
  const release = async () => {
    for (const giveBack of own) await giveBack()
  }
  try {
    const funds = await ledger.payer.reserve(payerOf(id), { ...reservation, value, balance: String(balance) })
    if (funds.events.length > 0)
      own.push(() => ledger.payer.release(payerOf(id), { authorizationId: id, failed: false }))
    if (resId === null || !cap) return { release }
    const caller = callerId(resId, from)
    const spend = await ledger.caller.reserve(caller, { ...reservation, accountId, amount, cap })
    if (spend.events.length > 0) own.push(() => ledger.caller.release(caller, { accountId, authorizationId: id }))
    return { release }
  } catch (error) {
    if (isRefusal(error, 'insufficient-funds')) return { fault: 'funds' }
    await release()
    if (isRefusal(error, 'caller-limit-reached')) return { fault: 'max-per-caller' }
    throw error
  }
}

/**
 * Gives back what this sale reserved for a payment that another call has taken meanwhile: the challenges that it was
 * not taken for, the cap when it was taken for another sale or has failed, and the balance when it has come to its end.
 */
export const releaseLost = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
  known: AcceptedAuthorization,
): Promise<void> => {
  const { ledger } = flow
  const { accountId, resId } = sale
  const id = authorizationId(wish.authorization)
  await releaseChallenges(flow, sale, wish, known.challengeId)
  if (resId !== null && (resId !== known.resId || known.status === 'failed'))
    await ledger.caller.release(callerId(resId, wish.authorization.from), { accountId, authorizationId: id })
  if (known.status !== 'accepted') await ledger.payer.release(payerOf(id), { authorizationId: id, failed: false })
}

const endOf = ({ validBefore }: Authorization): string =>
  new Date((Number(validBefore) + RESERVED_SECONDS_AFTER) * 1_000).toISOString()
