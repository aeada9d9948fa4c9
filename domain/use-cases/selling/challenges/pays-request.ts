import { isRefusal } from '../../../kernel/refusal.ts'
import type { RequestRef } from '../../../selling/challenge-events.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/**
 * Pays a request with the payment that comes first: it takes one, in whichever way, and whatever it was opened for
 * (J-PRQ-03). True for that payment, and where there is no request.
 */
export const paysRequest = async (
  ledger: Ledger,
  { paymentRequest }: { readonly paymentRequest?: RequestRef },
  challengeId: string,
  /** How often a settlement of the challenge did not stand before. */
  round = 0,
): Promise<boolean> => {
  if (!paymentRequest) return true
  try {
    await ledger.paymentRequest.pay(paymentRequest.requestId, { challengeId, round })
    return true
  } catch (error) {
    if (isRefusal(error, 'already-paid')) return false
    throw error
  }
}

/** Whether the request was paid by another challenge or by card, so that what comes now is too much. */
export const isPaidElsewhere = async (
  ledger: Ledger,
  { paymentRequest }: { readonly paymentRequest?: RequestRef },
  challengeId: string,
): Promise<boolean> => {
  if (!paymentRequest) return false
  const request = await ledger.paymentRequest.read(paymentRequest.requestId)
  return request.status !== 'none' && request.paidBy !== undefined && request.paidBy !== challengeId
}
