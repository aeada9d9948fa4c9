import type { Units } from '../kernel/money.ts'
import type { SealedText } from '../kernel/ports.ts'

/**
 * What can happen to a checkout session of the commerce protocol, and to the order that it becomes (C-SES-01 to
 * C-SES-14, C-ORD-01).
 */

/** One line of the cart. Amounts are in the session's minor units, but for `price`. */
export type SessionLine = {
  /** `li_1`, `li_2`, … in the order of the cart. */
  id: string
  kind: 'resource' | 'checkout'
  /** The item as it was asked for: a `res_id`, or a checkout's slug. */
  itemId: string
  /** The number of the checkout. */
  checkoutId?: string
  title: string
  /** The price of one piece, in millionths of `priceCurrency`. */
  price: Units
  priceCurrency: string
  /** The price of one piece, in the session's minor units. */
  unit: Units
  /** Whether `unit` is exactly what `price` is worth, without rounding. */
  exact: boolean
  quantity: number
  subtotal: Units
  /** What is taken off the subtotal; never negative. */
  discount: Units
  tax: Units
  total: Units
}

/** A code that lowers the total, and by how much. */
type AppliedCode = {
  code: string
  title: string
  amount: Units
  allocations: readonly { path: string; amount: Units }[]
}

export type SessionTax = {
  rate: Units
  inclusive: boolean
  label: string
  /** JSON of what the tax rests on, without the VAT number of a business buyer, which may be a person's. */
  details: string
  /** The same with the number, sealed under the account. */
  sealedDetails?: SealedText
}

/** What is sold and for how much: all that a buyer agrees to. */
export type SessionTerms = {
  currency: string
  /** Digits of its minor unit. */
  digits: number
  lines: readonly SessionLine[]
  /** US dollars for one unit of each currency that was converted, by currency; fixed for the life of the session. */
  rates: Readonly<Record<string, string>>
  codes: readonly AppliedCode[]
  /** Codes that were sent and do not count. */
  unknownCodes: readonly string[]
  tax: SessionTax | null
  subtotal: Units
  discount: Units
  taxAmount: Units
  total: Units
  /** Coins that the whole cart may be paid in; null for all that the seller takes. */
  assets: readonly string[] | null
  /** JSON of the personal data of the buyer: `{buyer, context, fields}`; sealed under the account. */
  person: SealedText | null
  /** Labels of the fields that the seller requires and the buyer has not answered yet; absent when there are none. */
  unanswered?: readonly string[]
}

/** The proof that somebody agreed to the terms (AP2); it gives no power to spend. */
export type MandateEvidence = {
  /** The token itself, sealed under the account: it may name a person. */
  token: SealedText
  tier: 'registered' | 'platform' | 'self'
  issuer: string | null
  keyThumbprint: string
  checkoutHash: string
  /** The receipt that was returned for it. */
  receipt: string
}

/** A call that came with an Idempotency-Key: its id is made from the key, `request` is the digest of its body. */
export type SessionCall = { id: string; request: string }

export type CancelReason = 'asked' | 'expired' | 'withdrawn'

type SessionOwner = { accountId: string }

export type SessionEvents = {
  CheckoutSessionCreated: SessionOwner &
    SessionTerms & {
      storeId: number
      test: boolean
      /** What a mandate has to be bound to, in its key binding. */
      nonce: string
      /** The origin of the platform that made it, as it names itself; null without one. */
      platform: string | null
      expiresAt: string
      createdAt: string
      /** Keyed digest of the request, when it came with an Idempotency-Key. */
      request?: string
    }
  CheckoutSessionUpdated: SessionOwner & SessionTerms & { updatedAt: string; call?: SessionCall }
  /** Its challenges may be minted: from here on the terms are fixed (T-SES-02). */
  CheckoutSessionReadied: SessionOwner & {
    requestId: string
    readiedAt: string
    call?: SessionCall
  }
  /** Somebody signed that they agree to the terms; the first who does is kept (C-SES-07). */
  CheckoutSessionAgreed: SessionOwner & { mandate: MandateEvidence }
  /** A signed payment of it is being taken; no other one is taken until that has failed. */
  CheckoutSessionPaymentTaken: SessionOwner & { authorizationId: string; takenAt: string; call?: SessionCall }
  CheckoutSessionPaymentFailed: SessionOwner & { authorizationId: string }
  /** One of its challenges settled, and the order is placed (T-SES-03, N-06). */
  CheckoutSessionCompleted: SessionOwner & {
    orderId: string
    transactionId: string
    challengeId: string
    completedAt: string
    /** Lines whose goods the payment itself opens. */
    delivered: readonly Share[]
  }
  /** `expired`: nobody paid in time; `withdrawn`: its seller deleted what was to be paid (T-SES-04). */
  CheckoutSessionCanceled: SessionOwner & { reason: CancelReason; canceledAt: string; call?: SessionCall }
  /** The seller reported the delivery of some pieces: of which lines, and how far it is. */
  OrderFulfilled: SessionOwner & {
    orderId: string
    number: number
    type: FulfillmentType
    lines: readonly Share[]
    description: string
    trackingUrl: string | null
    occurredAt: string
  }
  /**
   * The seller says that it gave the money back (J-TXN-06); `refund-failed`: it did not arrive, and is the seller's
   * again. `reversal`: the payment is not in its chain any more (N-24); `reversal-ended`: it was paid again.
   */
  OrderAdjusted: SessionOwner & {
    orderId: string
    number: number
    type: AdjustmentType
    amount: Units
    occurredAt: string
    /** The place in the ledger's order of the event that a reversal, or its end, answers. */
    position?: string
  }
}

export type AdjustmentType = 'refund' | 'refund-failed' | 'reversal' | 'reversal-ended'

/** A quantity of one line. */
export type Share = { id: string; quantity: number }

export const FULFILLMENT_TYPES = ['processing', 'shipped', 'in_transit', 'delivered', 'undeliverable'] as const
export type FulfillmentType = (typeof FULFILLMENT_TYPES)[number]
