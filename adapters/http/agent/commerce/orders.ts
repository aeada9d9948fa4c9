import { z } from 'zod'
import { sessionOfOrder } from '../../../../domain/commerce/ids.ts'
import type { Order, Session } from '../../../../domain/commerce/session-state.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { RefundStatus } from '../../../../domain/selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { storeNamed } from '../../core/actor.ts'
import { type CloudCaller, endpoint } from '../../core/endpoint.ts'
import { refundStatus } from '../../core/known-refund.ts'
import { OrderRecord, orderRecord } from './order-record.ts'
import { failure, PlatformHeaders, withoutNotFound } from './platform.ts'
import { Envelope } from './ucp.ts'

/** An order for whoever has its link, which nobody can guess (C-ORD-01). */
const readOrder = endpoint({
  method: 'get',
  path: '/orders/:id',
  summary: 'An order: what was bought, what was delivered of it, what was given back',
  auth: 'none',
  callers: { crossOrigin: true },
  limits: { keyless: true },
  headers: PlatformHeaders,
  params: z.object({ id: z.string().max(64) }),
  query: z.object({ cloud: z.string().max(64).optional() }),
  returns: z.union([OrderRecord, Envelope]),
  failure,
  refusals: ['order-not-found'],
  answer: ({ headers, params: { id }, query: { cloud }, flow, queries }) =>
    withoutNotFound(headers, async () => {
      const found = await orderOf(flow, id)
      if (cloud) mustBeIn(found.session, await storeNamed(queries, cloud))
      return orderRecord(flow.origins.base, found, await queries.orderEntries(id))
    }),
})

/** Refuses `order-not-found` when a store is named and the order is not of that store. */
const mustBeIn = ({ accountId, storeId }: Session, store: CloudCaller | undefined): void => {
  if (store?.accountId !== accountId || store.storeId !== storeId) refuse('order-not-found')
}

/** An order, and how far the refund of its payment is; undefined where nothing was given back. */
export type FoundOrder = {
  readonly sessionId: string
  readonly session: Session
  readonly order: Order
  readonly refund: RefundStatus | undefined
}

/** Refuses `order-not-found`. */
export const orderOf = async ({ ledger }: UseCaseContext, orderId: string): Promise<FoundOrder> => {
  const sessionId = sessionOfOrder(orderId)
  const session = sessionId === undefined ? undefined : await ledger.checkoutSession.read(sessionId)
  if (sessionId === undefined || session === undefined || session.status === 'none' || session.order === null)
    return refuse('order-not-found')
  const { order } = session
  const transaction = await ledger.transaction.read(order.transactionId)
  const refund = transaction.status === 'none' ? undefined : refundStatus(transaction)
  return { sessionId, session, order, refund }
}

export const orderEndpoints = [readOrder]
