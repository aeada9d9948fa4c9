import { z } from 'zod'
import type { SessionLine } from '../../../../domain/commerce/session-events.ts'
import type { Order, Session } from '../../../../domain/commerce/session-state.ts'
import { wireTotals } from '../../../../domain/commerce/wire-totals.ts'
import type { RefundStatus } from '../../../../domain/selling/transactions/transaction-record.ts'
import type { OrderEntry } from '../../../../projections/commerce/orders.ts'
import { lineTotals, orderUrl, sumsOf, taxOf } from './session-record.ts'
import { Ucp, ucpOf } from './ucp.ts'

/**
 * An order as it is told (C-ORD-01; shape of UCP 2026-04-08): what was bought, what was delivered of it, what was given
 * back.
 */

const Loose = z.looseObject({})

const members = {
  ucp: Ucp,
  id: z.string(),
  checkout_id: z.string(),
  permalink_url: z.url(),
  currency: z.string(),
  line_items: z.array(Loose),
  fulfillment: z.object({ expectations: z.array(Loose), events: z.array(Loose) }),
  adjustments: z.array(Loose),
  totals: z.array(Loose).readonly(),
}

export const OrderRecord = z.object(members).meta({ id: 'Order' })

/** What an order is made of, and how far the refund of its payment is. */
type OrderFacts = {
  readonly sessionId: string
  readonly session: Session
  readonly order: Order
  readonly refund?: RefundStatus | undefined
}

/** An order without anything that tells of the buyer: whoever has the link may read it. */
export const orderRecord = (
  base: string,
  { sessionId, session, order, refund }: OrderFacts,
  entries: readonly OrderEntry[],
): z.input<typeof OrderRecord> => ({
  ucp: ucpOf('order'),
  id: order.id,
  checkout_id: sessionId,
  permalink_url: orderUrl(base, order.id),
  currency: session.currency,
  line_items: session.lines.map((line) => ({
    id: line.id,
    item: { id: line.itemId, title: line.title, price: Number(line.unit) },
    quantity: { original: line.quantity, total: line.quantity, fulfilled: order.fulfilled[line.id] ?? 0 },
    totals: lineTotals(line, session),
    status: lineStatus(line, order),
  })),
  fulfillment: {
    expectations: session.lines.map((line, index) => ({
      id: `exp_${index + 1}`,
      line_items: [{ id: line.id, quantity: line.quantity }],
      method_type: 'digital',
      destination: {},
      description: EXPECTED[line.kind],
    })),
    events: entries.filter((entry) => !isAdjustment(entry)).map(fulfillmentEvent),
  },
  adjustments: adjustmentsOf(entries.filter(isAdjustment), refund),
  totals: wireTotals(sumsOf(session), taxOf(session)),
})

const EXPECTED = { resource: 'Delivered on payment', checkout: 'Delivered by the seller' } as const

const lineStatus = ({ id, quantity }: SessionLine, { fulfilled: all }: Order): string => {
  const fulfilled = all[id] ?? 0
  if (fulfilled === quantity) return 'fulfilled'
  return fulfilled > 0 ? 'partial' : 'processing'
}

const fulfillmentEvent = ({ number, type, lines, description, trackingUrl, occurredAt }: OrderEntry) => ({
  id: `fe_${number}`,
  occurred_at: occurredAt,
  type,
  line_items: lines,
  ...(description !== '' && { description }),
  ...(trackingUrl !== null && { tracking_url: trackingUrl }),
})

/** The kinds of adjustments: the entry that each begins with, the entry that undoes it, and its words for people. */
const ADJUSTMENTS = [
  { begins: 'refund', ends: 'refund-failed', words: 'Refund' },
  { begins: 'reversal', ends: 'reversal-ended', words: 'Payment taken back by its network' },
] as const
type Adjustment = (typeof ADJUSTMENTS)[number]

const isAdjustment = ({ type }: Pick<OrderEntry, 'type'>): boolean =>
  ADJUSTMENTS.some(({ begins, ends }) => type === begins || type === ends)

/**
 * The adjustments of an order; one that was undone is shown as failed, in its own place. A refund is completed once it
 * is known to be sent; until then it is only recorded.
 */
const adjustmentsOf = (all: readonly OrderEntry[], refund: RefundStatus | undefined) =>
  all.flatMap((entry, n) =>
    ADJUSTMENTS.filter(({ begins }) => begins === entry.type).map((kind) => {
      const next = all.slice(n + 1).find(({ type }) => type === kind.begins || type === kind.ends)
      const isDone = kind.begins !== 'refund' || refund === undefined || refund === 'sent'
      return adjustment(entry, kind, next?.type === kind.ends ? 'failed' : isDone ? 'completed' : 'pending')
    }),
  )

/**
 * One adjustment: the seller says that it gave the money back, or the network says that the money never came. No money
 * moves here.
 */
const adjustment = (
  { number, amount, occurredAt }: OrderEntry,
  { begins: type, words }: Adjustment,
  status: 'completed' | 'failed' | 'pending',
) => ({
  id: `adj_${number}`,
  type,
  occurred_at: occurredAt,
  status,
  totals: [
    {
      type: 'total',
      display_text: status === 'pending' ? `${words}: recorded, not sent` : words,
      amount: -Number(amount),
    },
  ],
})
