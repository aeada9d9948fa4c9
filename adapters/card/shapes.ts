import { z } from 'zod'
import type {
  CardNotice,
  Charge,
  CheckoutRead,
  Dispute,
  DisputeOutcome,
  RefundRead,
  WebhookEvent,
} from '../../domain/card/ports.ts'

/**
 * Reads what the processor sends, with care: it may be false, and nothing is done about a message of an unexpected
 * form.
 */

const Amount = z.int().min(0)
const Currency = z.string().regex(/^[a-z]{3}$/)
/** Ids are looked for in rows, which cannot hold every character that a text may have. */
const Id = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e]+$/)
/** An object or its id: the processor sends the object where it was asked to expand it. */
const Ref = z.union([Id, z.looseObject({ id: Id }).transform(({ id }) => id)]).nullish()
const Metadata = z.record(z.string(), z.string()).nullish()

const Session = z.looseObject({
  object: z.literal('checkout.session'),
  id: Id,
  status: z.enum(['open', 'complete', 'expired']).nullish(),
  payment_status: z.string(),
  url: z.url({ protocol: /^https?$/ }).nullish(),
  payment_intent: Ref,
  amount_total: Amount.nullish(),
  currency: Currency.nullish(),
  livemode: z.boolean(),
  client_reference_id: z.string().nullish(),
  metadata: Metadata,
})

/** Undefined when it is no checkout session. */
export const readSession = (value: unknown): CheckoutRead | undefined => {
  const { data } = Session.safeParse(value)
  if (!data) return undefined
  return {
    sessionId: data.id,
    reference: data.metadata?.tx ?? data.client_reference_id ?? null,
    status: data.status ?? (data.payment_status === 'paid' ? 'complete' : 'open'),
    isPaid: data.payment_status === 'paid',
    url: data.url ?? null,
    paymentId: data.payment_intent ?? null,
    charged: data.amount_total == null ? null : String(data.amount_total),
    currency: data.currency?.toUpperCase() ?? null,
    live: data.livemode,
  }
}

const ChargeRead = z
  .looseObject({
    object: z.literal('charge'),
    payment_intent: Ref,
    amount_refunded: Amount,
    currency: Currency,
    metadata: Metadata,
  })
  .transform(({ payment_intent, amount_refunded, currency, metadata }) => ({
    charge: { reference: metadata?.tx ?? null, paymentId: payment_intent ?? '', currency: currency.toUpperCase() },
    total: String(amount_refunded),
  }))

const RefundShape = z.looseObject({
  object: z.literal('refund'),
  id: Id,
  payment_intent: Ref,
  amount: Amount,
  currency: Currency,
  status: z.enum(['pending', 'requires_action', 'succeeded', 'failed', 'canceled']),
  metadata: Metadata,
})

/** Undefined when it is no refund. */
export const readRefund = (value: unknown): RefundRead | undefined => {
  const { data } = RefundShape.safeParse(value)
  if (!data) return undefined
  const { id, amount, status, payment_intent, currency, metadata } = data
  return {
    refundId: id,
    amount: String(amount),
    hasFailed: status === 'failed' || status === 'canceled',
    charge: { reference: metadata?.tx ?? null, paymentId: payment_intent ?? '', currency: currency.toUpperCase() },
  }
}

const DisputeRead = z
  .looseObject({
    object: z.literal('dispute'),
    id: Id,
    payment_intent: Ref,
    amount: Amount,
    currency: Currency,
    reason: z.string(),
    status: z.string(),
  })
  .transform(({ id, payment_intent, amount, currency, reason, status }) => ({
    dispute: {
      disputeId: id,
      paymentId: payment_intent ?? '',
      amount: String(amount),
      currency: currency.toUpperCase(),
      reason,
      held: !status.startsWith('warning_'),
    } satisfies Dispute,
    outcome: (status === 'lost' ? 'lost' : 'won') satisfies DisputeOutcome as DisputeOutcome,
  }))

const Event = z.looseObject({
  object: z.literal('event'),
  id: Id,
  type: z.string(),
  data: z.looseObject({ object: z.unknown() }),
})

/**
 * Reads a notice. An event of a type that is not handled, or that does not fit its type, gives only that; undefined
 * when it is no event.
 */
export const readNotice = (value: unknown): CardNotice | undefined => {
  const { data: event } = Event.safeParse(value)
  if (!event) return undefined
  const { id: eventId, type } = event
  if (!Object.hasOwn(READERS, type)) return { eventId, kind: 'other' }
  const about = READERS[type as WebhookEvent](event.data.object)
  return { eventId, ...(about ?? { kind: 'unread', type }) }
}

type NoticeSubject =
  | { kind: 'checkout'; session: CheckoutRead }
  | { kind: 'ended'; session: CheckoutRead; reason: 'expired' | 'failed' }
  | { kind: 'refunded'; charge: Charge; total: string }
  | { kind: 'refund-failed'; refund: RefundRead }
  | { kind: 'disputed'; dispute: Dispute }
  | { kind: 'dispute-closed'; dispute: Dispute; outcome: DisputeOutcome }

const paidOrNot = (value: unknown): NoticeSubject | undefined => {
  const session = readSession(value)
  return session && { kind: 'checkout', session }
}

const ended = (value: unknown, reason: 'expired' | 'failed'): NoticeSubject | undefined => {
  const session = readSession(value)
  return session && { kind: 'ended', session, reason }
}

const READERS: Readonly<Record<WebhookEvent, (value: unknown) => NoticeSubject | undefined>> = {
  'checkout.session.completed': paidOrNot,
  'checkout.session.async_payment_succeeded': paidOrNot,
  'checkout.session.async_payment_failed': (value) => ended(value, 'failed'),
  'checkout.session.expired': (value) => ended(value, 'expired'),
  'charge.refunded': (value) => {
    const { data } = ChargeRead.safeParse(value)
    return data && { kind: 'refunded', ...data }
  },
  'refund.failed': (value) => {
    const refund = readRefund(value)
    return refund && { kind: 'refund-failed', refund }
  },
  'charge.dispute.created': (value) => {
    const { data } = DisputeRead.safeParse(value)
    return data && { kind: 'disputed', dispute: data.dispute }
  },
  'charge.dispute.closed': (value) => {
    const { data } = DisputeRead.safeParse(value)
    return data && { kind: 'dispute-closed', ...data }
  },
}
