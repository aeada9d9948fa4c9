import type { Units } from '../money.ts'
import type { ChallengeEntry, TransferData } from './challenge-terms.ts'

/** What can happen to a set of challenges. */

/** A one-off payment request, and the transaction that was made with it. */
export type RequestRef = { requestId: string; transactionId: string }

export type ChallengeEvents = {
  ChallengeOpened: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    /** What is sold: a resource, or nothing when the set belongs to a payment request. */
    resId: string | null
    paymentRequest?: RequestRef
    /** Fiat price in millionths, and the same in US dollars at the locked rate. */
    amount: Units
    currency: string
    usd: Units
    entries: readonly ChallengeEntry[]
    expiresAt: string
    webhookUrl: string | null
    test: boolean
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  /** A payment was seen that still lacks confirmations (T-CHL-02). */
  PaymentDetected: Place & { transfer: TransferData; confirmations: number; required: number }
  /** A payer has signed a payment of it, and that alone settles it until it has failed (N-42). */
  ChallengeReserved: Place & { authorizationId: string }
  ChallengeReleased: Place & { authorizationId: string }
  /** Somebody played that a test challenge was paid, with so many confirmations more; the transfer is made up (T-CHL-05). */
  PaymentSimulated: Place & { transfer: TransferData; added: number; confirmations: number; required: number }
  /** A payment that was seen is not in the chain any more: it is as if it had not been made (N-25). */
  PaymentRetracted: Place & { transferId: string; tx: string }
  /** Paid in full, or so nearly that the seller takes it, and confirmed: the seller has the money (T-CHL-01). */
  ChallengeSettled: Place & {
    transfer: TransferData
    /** What was asked in the coin; `transfer.amount` is what came. */
    asked?: Units
    /** Digits after the point of the coin. */
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    webhookUrl: string | null
    settledAt: string
    test: boolean
  }
  /** Less was paid than the seller takes. That is final: the money is the seller's to give back (T-CHL-03, N-25). */
  ChallengeUnderpaid: Place & {
    transfer: TransferData
    asked: Units
    least: Units
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    test: boolean
  }
}
/** Whose challenge it is, and of what. */
export type Place = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  resId: string | null
  challengeId: string
  asset: string
  paymentRequest?: RequestRef
}
