import type { Units } from '../kernel/money.ts'
import type { RequestRef } from '../selling/challenge-events.ts'
import type { LockedWorth } from '../selling/sale-rate.ts'
import type { DisputeOutcome } from './ports.ts'

/**
 * What can happen to a payment by card. Amounts are in millionths of the currency, `charged` in the processor's
 * smallest units.
 */

/** The account that a payment by card belongs to, and what it pays for. */
export type CardPlace = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  resId: string | null
  paymentRequest?: RequestRef
}

/** The price of what is paid; `vat` is in `amount`, and absent when the sale is not taxed. */
type CardPrice = { amount: Units; currency: string; charged: Units; vat?: Units }

/** The price as events of its payment tell it, with the processor's name of the charge. */
type CardCharge = CardPlace & CardPrice & { paymentId: string; test: boolean }

/** What an amount was worth when the payment was opened: in millionths of a US dollar, and in the seller's currency. */
type CardWorth = { worth?: { usd: Units } & LockedWorth }

/** Why a payment by card sells nothing. */
export type CardAsideReason = 'doubled' | 'sold_out'

export type CardPaymentEvents = {
  /** A buyer wants to pay by card, on these terms, until `expiresAt`. */
  CardPaymentOpened: CardPlace &
    CardPrice & {
      /** The same in US dollars, at the rate of that moment; the fee is computed from it. */
      usd: Units
      /** Number of card payments that were begun before for the same sale. */
      attempt: number
      webhookUrl: string | null
      test: boolean
      expiresAt: string
    } & LockedWorth
  /** The processor has opened a page for it. */
  CardCheckoutOpened: { accountId: string; sessionId: string }
  /** The processor has the money. It said so by itself, in the event `processorEventId`, or when it was asked. */
  CardPaymentReported: CardPrice & {
    accountId: string
    transactionId: string | null
    paymentId: string
    processorEventId: string | null
  }
  /** It pays for what it was meant for; the seller's account at the processor has the money. */
  CardPaymentSettled: CardCharge & { usd: Units; webhookUrl: string | null; settledAt: string } & LockedWorth
  /**
   * Its sale was paid before by another payment, or there was no piece left of it: the money is the seller's to give
   * back (N-24, N-98).
   */
  CardPaymentSetAside: CardCharge & { reason: CardAsideReason } & CardWorth
  /** The page was closed unpaid, or the bank has refused. */
  CardPaymentFailed: { accountId: string; reason: 'expired' | 'failed' }
  /** What the processor told does not fit what was asked: nothing follows from it. */
  CardPaymentMismatched: {
    accountId: string
    /** What was told, in short: the notice's id, or the session and what it said. */
    told: string
    what: Mismatch
    expected: string
    found: string
  }
  /** Money was given back, here or at the processor. `whole`: now all of it is. */
  CardRefunded: {
    accountId: string
    currency: string
    /** The amount that was given back now, and the sum of all refunds. */
    amount: Units
    total: Units
    charged: Units
    whole: boolean
    /** What it takes off the earnings, in millionths of a US dollar. */
    usd?: Units
    by: string
    test: boolean
    /** The VAT in `amount`; absent when the sale was not taxed. */
    vat?: Units
    /** Set when the payment had paid for nothing. */
    aside?: true
  } & CardWorth
  /** The processor refused to give the money back, `tries` times by now: the next refund is a new request. */
  CardRefundRefused: { accountId: string; tries: number }
  /** What seemed to be given back is at the processor again, because the buyer's bank did not take it. */
  CardRefundFailed: {
    accountId: string
    refundId: string
    currency: string
    /** What came back, and all that is given back without it. */
    amount: Units
    total: Units
    charged: Units
    /** What is earned again by that, in millionths of a US dollar. */
    usd?: Units
    test: boolean
    /** The VAT in `amount`; absent when the sale was not taxed. */
    vat?: Units
    /** Set when the payment had paid for nothing. */
    aside?: true
  } & CardWorth
  /**
   * The buyer's bank has asked for the money back, and the processor keeps it until that is decided; for a mere inquiry
   * it keeps nothing.
   */
  CardPaymentDisputed: {
    accountId: string
    disputeId: string
    amount: Units
    currency: string
    reason: string
    held: boolean
    test: boolean
  } & CardWorth
  CardDisputeClosed: {
    accountId: string
    disputeId: string
    amount: Units
    currency: string
    held: boolean
    outcome: DisputeOutcome
    test: boolean
  } & CardWorth
}

export type Mismatch = 'session' | 'amount' | 'currency' | 'mode'
