import { z } from 'zod'
import { sessionOfOrder } from '../../../../domain/commerce/ids.ts'
import type { Order, Session } from '../../../../domain/commerce/session-state.ts'
import type { Flow } from '../../../../domain/flows/flow.ts'
import { refuse } from '../../../../domain/refusal.ts'
import { endpoint } from '../../endpoint.ts'
import { OrderRecord, orderRecord } from './order-record.ts'
import { failure, PlatformHeaders, withoutNotFound } from './platform.ts'

/** An order for whoever has its link, which nobody can guess (C-ORD-01). */
const readOrder = endpoint({
  method: 'get',
  path: '/orders/:id',
  summary: 'An order: what was bought, what was delivered of it, what was given back',
  auth: 'none',
  perAddress: true,
  headers: PlatformHeaders,
  params: z.object({ id: z.string().max(64) }),
  returns: OrderRecord,
  failure,
  refusals: ['order-not-found'],
  answer: ({ headers, params: { id }, flow, queries }) =>
    withoutNotFound(headers, async () =>
      orderRecord(flow.origins.base, await orderOf(flow, id), await queries.orderEntries(id)),
    ),
})

/** Refuses `order-not-found`. */
export const orderOf = async (
  { ledger }: Flow,
  orderId: string,
): Promise<{ sessionId: string; session: Session; order: Order }> => {
  const sessionId = sessionOfOrder(orderId)
  const session = sessionId === undefined ? undefined : await ledger.checkoutSession.read(sessionId)
  if (sessionId === undefined || session === undefined || session.status === 'none' || session.order === null)
    return refuse('order-not-found', 'No such order.')
  return { sessionId, session, order: session.order }
}

export const orderEndpoints = [readOrder]
