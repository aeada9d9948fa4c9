import { z } from 'zod'
import type { AdjustmentType, FulfillmentType, SessionLine } from '../../../domain/commerce/session-events.ts'
import type { Order, Session } from '../../../domain/commerce/session-state.ts'
import { millionthsOf } from '../../../domain/kernel/currencies.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import type { RefundStatus } from '../../../domain/selling/transactions/transaction-record.ts'
import type { OrderEntry } from '../../../projections/commerce/orders.ts'
import { orderOf } from '../agent/commerce/orders.ts'
import { endpoint } from '../core/endpoint.ts'
import { price } from '../pages/plain-words.ts'
import { missingPage } from '../pages/store/missing.ts'
import { type OrderStep, orderPage } from '../pages/store/order.ts'
import { faceOf } from './face.ts'
import { basketOf, payAt } from './session.ts'

/** An order for the person who has its link: what a program is told there as JSON (C-ORD-01). */
const look = endpoint({
  method: 'get',
  path: '/orders/:id',
  page: true,
  ignores: 'query',
  summary: 'The page of an order, for a person',
  auth: 'none',
  limits: { keyless: true },
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
  refusals: ['order-not-found'],
  async answer({ params: { id }, flow, queries }) {
    const found = await orderOf(flow, id).catch((error: unknown) => {
      if (isRefusal(error, 'order-not-found')) return undefined
      throw error
    })
    if (found === undefined) return missingPage('cart')
    const { session, order, refund } = found
    const [{ face }, entries] = await Promise.all([faceOf(flow, queries, session), queries.orderEntries(id)])
    return orderPage({
      face,
      id,
      test: session.test,
      receiptAt: payAt(session),
      placedAt: order.placedAt,
      basket: basketOf(session, (line) => noteOf(line, order)),
      steps: entries.map((entry) => stepOf(entry, session, refund)),
    })
  },
})

const noteOf = ({ id, quantity }: SessionLine, { fulfilled }: Order): string => {
  const done = fulfilled[id] ?? 0
  if (done === quantity) return 'Delivered'
  return done === 0 ? 'Not delivered yet' : `${done} of ${quantity} delivered`
}

const WORDS: Readonly<Record<FulfillmentType, string>> = {
  processing: 'Being made ready',
  shipped: 'Sent',
  in_transit: 'On its way',
  delivered: 'Delivered',
  undeliverable: 'Could not be delivered',
}

const ADJUSTED: Readonly<Record<AdjustmentType, string>> = {
  refund: 'given back',
  'refund-failed': 'could not be given back',
  reversal: 'taken back by the network that it was paid on: it is not paid',
  'reversal-ended': 'paid again',
}

/** A refund that only its seller speaks of. */
const RECORDED = 'recorded as given back by the seller, not sent as far as its chain shows'

const stepOf = (
  entry: OrderEntry,
  { lines, currency, digits }: Session,
  refund: RefundStatus | undefined,
): OrderStep => {
  const { type, occurredAt: at, description, trackingUrl } = entry
  if (type === 'refund' || type === 'refund-failed' || type === 'reversal' || type === 'reversal-ended') {
    const amount = price(millionthsOf(BigInt(entry.amount ?? '0'), digits), currency)
    const isOpen = type === 'refund' && refund !== undefined && refund !== 'sent'
    const words = `${amount} ${isOpen ? RECORDED : ADJUSTED[type]}`
    return { at, words, description, trackingUrl: undefined }
  }
  const what = entry.lines.map(({ id, quantity }) => {
    const title = lines.find((line) => line.id === id)?.title ?? id
    return quantity > 1 ? `${quantity}\u00a0× ${title}` : title
  })
  return { at, words: `${WORDS[type]}: ${what.join(', ')}`, description, trackingUrl: trackingUrl ?? undefined }
}

export const orderPageEndpoints = [look]
