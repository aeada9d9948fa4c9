import type { Units } from '../kernel/money.ts'

/**
 * What the domain asks of a seller's card processor. Amounts are in its smallest units, currencies in ISO 4217 capitals
 * (J-CARD-01, N-31).
 */

export type CardKeys = {
  readonly secretKey: string
  readonly publishableKey: string | null
  readonly webhookSecret: string
  readonly productId: string
}

export type CardMode = 'live' | 'test'

/** What is to be paid on the processor's page, and where that leads back to. */
export type CheckoutWish = {
  /** The id of the card payment: the session, and what it charges, carry it. */
  readonly reference: string
  readonly productId: string
  readonly currency: string
  readonly charged: Units
  readonly expiresAt: string
  readonly successUrl: string
  readonly cancelUrl: string
  /** The same wish under the same key is one session. */
  readonly idempotencyKey: string
}

/** A checkout session as the processor tells it. */
export type CheckoutRead = {
  readonly sessionId: string
  /** The reference that it was opened with; null for a session that somebody else opened. */
  readonly reference: string | null
  readonly status: 'open' | 'complete' | 'expired'
  readonly isPaid: boolean
  /** The page to pay on, while it is open. */
  readonly url: string | null
  /** The charge, once there is one. */
  readonly paymentId: string | null
  readonly charged: Units | null
  readonly currency: string | null
  readonly live: boolean
}

/**
 * A notice that the processor signed, in our words. `unread`: its content does not fit its type; `other`: nothing that
 * matters here.
 */
export type CardNotice = { readonly eventId: string } & (
  | { readonly kind: 'checkout'; readonly session: CheckoutRead }
  | { readonly kind: 'ended'; readonly session: CheckoutRead; readonly reason: 'expired' | 'failed' }
  | { readonly kind: 'refunded'; readonly charge: Charge; readonly total: Units }
  | { readonly kind: 'refund-failed'; readonly refund: RefundRead }
  | { readonly kind: 'disputed'; readonly dispute: Dispute }
  | { readonly kind: 'dispute-closed'; readonly dispute: Dispute; readonly outcome: DisputeOutcome }
  | { readonly kind: 'unread'; readonly type: string }
  | { readonly kind: 'other' }
)

/** Money that was charged; `reference` is the id of the card payment where the processor says it. */
export type Charge = { readonly reference: string | null; readonly paymentId: string; readonly currency: string }

/**
 * One refund as the processor tells it. `hasFailed`: the money is back at the processor, also when it seemed to be
 * given back before.
 */
export type RefundRead = {
  readonly refundId: string
  readonly amount: Units
  readonly hasFailed: boolean
  readonly charge: Charge
}

export type Dispute = {
  readonly disputeId: string
  readonly paymentId: string
  readonly amount: Units
  readonly currency: string
  readonly reason: string
  /** The processor keeps the money back meanwhile; for a mere inquiry it does not. */
  readonly held: boolean
}

export type DisputeOutcome = 'won' | 'lost'

type RefundWish = {
  /** The id of the card payment, which the refund carries. */
  readonly reference: string
  readonly paymentId: string
  readonly charged: Units
  readonly idempotencyKey: string
}

/**
 * Each call has a time limit. What the processor refuses is a Refusal: `card-processor-invalid` for keys or a product,
 * `state-forbids` for what cannot be paid or given back. A processor that is down, slow or makes no sense is refused as
 * `unavailable`.
 */
export type CardProcessor = {
  /**
   * Checks keys and product against the processor (J-CARD-04); answers what the seller may want to set right at the
   * processor.
   */
  verify(keys: CardKeys, webhookUrl: string): Promise<{ readonly mode: CardMode; readonly warnings: readonly string[] }>
  openCheckout(secretKey: string, wish: CheckoutWish): Promise<CheckoutRead>
  /** Reads a session; undefined when this account has none of this id. */
  readCheckout(secretKey: string, sessionId: string): Promise<CheckoutRead | undefined>
  /** Closes a page, so that nobody pays on it any more, and answers its state by then; undefined when there is none. */
  closeCheckout(secretKey: string, sessionId: string): Promise<CheckoutRead | undefined>
  /** The session that a charge was made in; undefined when no session of this account was. */
  checkoutOfCharge(secretKey: string, paymentId: string): Promise<CheckoutRead | undefined>
  /**
   * Gives money back. The same wish under the same key gives it back once; a charge that was given back in full counts
   * as done.
   */
  refund(secretKey: string, wish: RefundWish): Promise<void>
  /** All that was given back of a charge until now, without what has failed. */
  refundedOf(secretKey: string, paymentId: string): Promise<Units>
  /** Reads a notice; undefined when the processor has not signed it, or not within five minutes of `now`. */
  notice(webhookSecret: string, body: string, signature: string, now: Date): Promise<CardNotice | undefined>
  /** Alarms the operator that a payment is not what it should be. */
  alarm(message: string, facts: object): void
}

/** The events that a webhook endpoint at the processor has to be set to. */
export const WEBHOOK_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]
