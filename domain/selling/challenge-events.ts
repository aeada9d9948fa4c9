import type { OwnPrice, Units } from '../kernel/money.ts'
import type { ChallengeEntry, TransferData } from './challenge-terms.ts'
import type { LockedWorth } from './sale-rate.ts'

/** What can happen to a set of challenges. */

/** A one-off payment request, and the transaction that was made with it. */
export type RequestRef = {
  requestId: string
  transactionId: string
  /** How many prices the request had before the one that is asked for. Absent: none. */
  terms?: number
}

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
    /** The price in the currency of its seller's account. */
    ownPrice?: OwnPrice
    /** The VAT in `amount`; absent when the sale is not taxed. */
    vat?: Units
    entries: readonly ChallengeEntry[]
    expiresAt: string
    webhookUrl: string | null
    test: boolean
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  /** A payment was seen that still lacks confirmations (T-CHL-02). */
  PaymentDetected: ChallengeRef & { transfer: TransferData; confirmations: number; required: number }
  /** A payer has signed a payment of the challenge: no other payment settles it until that one has failed (N-42). */
  ChallengeReserved: ChallengeRef & { authorizationId: string }
  ChallengeReleased: ChallengeRef & { authorizationId: string }
  /**
   * Somebody simulated a payment of a test challenge, or further confirmations of it; the transfer is made up
   * (T-CHL-05).
   */
  PaymentSimulated: ChallengeRef & { transfer: TransferData; added: number; confirmations: number; required: number }
  /**
   * Somebody simulated that the time of a test challenge ended, and that its payment came afterwards: it settles
   * nothing, and no money has come.
   */
  LatePaymentSimulated: ChallengeRef & {
    transfer: TransferData
    asked: Units
    decimals?: number
    amount: Units
    currency: string
    endedAt: string
  }
  /** A payment that was seen is not in the chain any more: it is as if it had not been made (N-25). */
  PaymentRetracted: ChallengeRef & { transferId: string; tx: string }
  /**
   * Paid in full, or so nearly that the seller takes it, and confirmed: the seller has the money (T-CHL-01). `transfer`
   * is the payment that made it enough; what came before it in parts has events of its own.
   */
  ChallengeSettled: ChallengeRef & {
    transfer: TransferData
    /** What was asked in the coin; `transfer.amount` is what came. */
    asked?: Units
    /** All that came for the challenge, and the transfers of its earlier parts; absent when one transfer paid it. */
    paid?: Units
    parts?: readonly string[]
    /** Digits after the point of the coin. */
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    /** The VAT in `amount`; absent when the sale is not taxed. */
    vat?: Units
    webhookUrl: string | null
    settledAt: string
    test: boolean
  } & LockedWorth &
    Booking
  /**
   * The signed payment that had settled it was carried out again, in another transaction, after its block was replaced:
   * one signature pays once, so that it stays sold (N-42).
   */
  SettlementMoved: ChallengeRef & {
    /** What had settled it, which is not in the chain any more. */
    from: TransferData
    transfer: TransferData
    /** How often `from` was taken back by now. */
    times: number
    asked: Units
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    settledAt: string
    test: boolean
  } & Booking
  /**
   * A part of the price was paid, and all parts together are still less than the seller takes. The rest may still come
   * (T-CHL-03, N-24, N-25).
   */
  ChallengeUnderpaid: ChallengeRef & {
    transfer: TransferData
    asked: Units
    least: Units
    /** All that came for it, this part included; `transfer.amount` when absent. */
    paid?: Units
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    test: boolean
  } & LockedWorth &
    Booking
  /**
   * A payment that was booked is not in the chain any more: it counts no longer, and may come again (N-24, N-25). What
   * it had settled is not paid any more, unless what is left is enough.
   */
  PaymentReversed: ChallengeRef & {
    transfer: TransferData
    /** How often this very transfer was taken back by now. */
    times: number
    reason: Reversal
    /** The settlement that does not stand without this payment. */
    unsettled?: VoidedSettlement
    /** The challenge stays settled, because what is left is enough. */
    stands?: true
    /** The VAT in `amount`. */
    vat?: Units
    asked: Units
    /** All that had come for it, this payment included; `transfer.amount` when absent. */
    paid?: Units
    decimals?: number
    amount: Units
    currency: string
    usd: Units
    test: boolean
    reversedAt: string
  } & LockedWorth
}

/** Why a booked payment is taken back: its block was replaced, and no other has it. */
export type Reversal = 'reorganised'

/** A settlement that does not stand any more. */
export type VoidedSettlement = {
  /** The transfer that had completed the price, and its sender. */
  transferId: string
  payer: string
  /** How often the challenge was unsettled before. */
  round: number
  /** Transfers that are parts of the price from now on. */
  parts?: readonly string[]
}

/** How a payment came to be booked. */
export type Booking = {
  /** The seller said what it pays (N-24, Q-55), so that neither its time nor its block is judged. */
  matched?: true
  /** Its money has been in the books since it was set aside. */
  inBooks?: true
  /** The account for which it was set aside, where that was another one. */
  holder?: string
  /** How often its transfer was taken back before. */
  again?: number
  /** Number of chain providers that reported the transfer; absent where nobody counted. */
  voices?: number
}

/** The account that a challenge belongs to, what it sells, and the coin that it asks for. */
export type ChallengeRef = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  resId: string | null
  challengeId: string
  asset: string
  paymentRequest?: RequestRef
}
