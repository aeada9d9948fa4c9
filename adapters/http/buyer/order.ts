import { z } from 'zod'
import type { SessionLine } from '../../../domain/commerce/session-events.ts'
import type { Order, Session } from '../../../domain/commerce/session-state.ts'
import { millionthsOf } from '../../../domain/kernel/currencies.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import type { RefundStatus } from '../../../domain/selling/transactions/transaction-record.ts'
import type { OrderEntry } from '../../../projections/commerce/orders.ts'
import { orderOf } from '../agent/commerce/orders.ts'
import { endpoint } from '../core/endpoint.ts'
import type { StoreWords } from '../pages/store/messages/en.ts'
import type { StoreLocale } from '../pages/store/messages/store-locale.ts'
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
  async answer({ params: { id }, flow, queries, languages }) {
    const found = await orderOf(flow, id).catch((error: unknown) => {
      if (isRefusal(error, 'order-not-found')) return undefined
      throw error
    })
    if (found === undefined) return missingPage(languages, 'cart')
    const { session, order, refund } = found
    const [{ face }, entries] = await Promise.all([faceOf(flow, queries, session, languages), queries.orderEntries(id)])
    return orderPage({
      face,
      id,
      test: session.test,
      receiptAt: payAt(session),
      placedAt: order.placedAt,
      basket: basketOf(session, face.locale.words, (line) => noteOf(face.locale.words, line, order)),
      steps: entries.map((entry) => stepOf(face.locale, entry, session, refund)),
    })
  },
})

const noteOf = (words: StoreWords, { id, quantity }: SessionLine, { fulfilled }: Order): string => {
  const done = fulfilled[id] ?? 0
  if (done === quantity) return words.delivered
  return done === 0 ? words.notDelivered : words.partDelivered(done, quantity)
}

const stepOf = (
  locale: StoreLocale,
  entry: OrderEntry,
  { lines, currency, digits }: Session,
  refund: RefundStatus | undefined,
): OrderStep => {
  const { type, occurredAt: at, description, trackingUrl } = entry
  if (type === 'refund' || type === 'refund-failed' || type === 'reversal' || type === 'reversal-ended') {
    const amount = locale.price(millionthsOf(BigInt(entry.amount ?? '0'), digits), currency)
    const isOpen = type === 'refund' && refund !== undefined && refund !== 'sent'
    const words = `${amount} ${isOpen ? locale.words.recorded : locale.words.adjusted[type]}`
    return { at, words, description, trackingUrl: undefined }
  }
  const what = entry.lines.map(({ id, quantity }) => {
    const title = lines.find((line) => line.id === id)?.title ?? id
    return quantity > 1 ? `${quantity}\u00a0× ${title}` : title
  })
  return {
    at,
    words: `${locale.words.steps[type]}: ${what.join(', ')}`,
    description,
    trackingUrl: trackingUrl ?? undefined,
  }
}

export const orderPageEndpoints = [look]
