import { z } from 'zod'
import { FULFILLMENT_TYPES } from '../../../../domain/commerce/session-events.ts'
import type { Order, Session } from '../../../../domain/commerce/session-state.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { openedPerson } from '../../../../domain/use-cases/commerce/person.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import { listsTests, mayUse } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { isTest } from '../common/paging.ts'
import { OrderRecord, orderRecord } from './order-record.ts'
import { orderOf } from './orders.ts'

/**
 * A seller's orders: who bought, who agreed, and what the seller says that it delivered (C-ORD-01; not in the
 * documents).
 */

const PAGE_MAX = 100
const LINES_MAX = 100
const DESCRIPTION_MAX = 500
const URL_MAX = 2_048

const Mandate = z.object({
  tier: z.enum(['registered', 'platform', 'self']),
  issuer: z.string().nullable(),
  key_thumbprint: z.string(),
  checkout_hash: z.string(),
  receipt: z.string(),
  token: z.string(),
})

const Own = OrderRecord.extend({
  store_id: z.int(),
  transaction_id: z.string(),
  placed_at: z.string(),
  reversed_at: z.string().optional(),
  test: z.boolean(),
  buyer: z.looseObject({}).nullable(),
  custom_fields: z.array(z.object({ label: z.string(), value: z.string() })).readonly(),
  context: z.looseObject({}).nullable(),
  mandate: Mandate.nullable().meta({
    description: 'What proves that somebody agreed, and how far it is to be trusted.',
  }),
}).meta({ id: 'OwnOrder' })

const Listed = z.object({
  id: z.string(),
  checkout_id: z.string(),
  transaction_id: z.string(),
  store_id: z.int(),
  currency: z.string(),
  total: z.number().meta({ description: 'In the smallest unit of the currency.' }),
  mandated: z.boolean(),
  test: z.boolean(),
  placed_at: z.string(),
  reversed_at: z.string().optional(),
})

const named = z.object({ order_id: z.string().max(64) })

const list = endpoint({
  method: 'get',
  path: '/v1/orders',
  summary: 'Orders of checkout sessions, newest first: live ones, or with is_test=1 those of tests',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({
    limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
    cursor: z.string().max(200).optional(),
    is_test: isTest,
  }),
  returns: z.object({ orders: z.array(Listed), cursor: z.string().nullable() }),
  async answer({ query: { limit, cursor, is_test }, actor, queries }) {
    const which = { test: listsTests(actor, is_test), stores: actor.storeScope }
    const rows = await queries.orders(actor.accountId, which, { before: readCursor(cursor), limit: limit + 1 })
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      orders: page.map((row) => ({
        id: row.orderId,
        checkout_id: row.sessionId,
        transaction_id: row.transactionId,
        store_id: row.storeId,
        currency: row.currency,
        total: Number(row.total),
        mandated: row.mandated,
        test: row.test,
        placed_at: row.placedAt,
        ...(row.reversedAt !== null && { reversed_at: row.reversedAt }),
      })),
      cursor: last ? `${last.placedAt}/${last.sessionId}` : null,
    }
  },
})

const one = endpoint({
  method: 'get',
  path: '/v1/orders',
  when: { order_id: true },
  summary: 'One order, with its buyer and with what proves that somebody agreed to it',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: named,
  returns: Own,
  refusals: ['order-not-found'],
  async answer({ query: { order_id }, actor, flow, queries }) {
    return ownRecord(flow, queries, await ownOrder(flow, actor, order_id))
  },
})

const fulfill = endpoint({
  method: 'post',
  path: '/v1/orders',
  when: { order_id: true },
  summary: 'Say that some of an order was shipped or delivered; it shows on the order',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  query: named,
  body: z.strictObject({
    type: z.enum(FULFILLMENT_TYPES),
    line_items: z
      .array(z.strictObject({ id: z.string().max(16), quantity: z.int().min(1) }))
      .min(1)
      .max(LINES_MAX),
    description: z.string().max(DESCRIPTION_MAX).default(''),
    tracking_url: z
      .url({ protocol: /^https$/ })
      .max(URL_MAX)
      .nullable()
      .default(null),
    occurred_at: z.iso.datetime().optional(),
  }),
  returns: Own,
  refusals: ['order-not-found', 'state-forbids'],
  async answer({ query: { order_id }, body, actor, flow, queries, shows }) {
    const { sessionId } = await ownOrder(flow, actor, order_id)
    await flow.ledger.checkoutSession.fulfill(sessionId, {
      accountId: actor.accountId,
      type: body.type,
      lines: body.line_items,
      description: body.description,
      trackingUrl: body.tracking_url,
      occurredAt: body.occurred_at ?? flow.world.now().toISOString(),
    })
    await shows()
    return ownRecord(flow, queries, await ownOrder(flow, actor, order_id))
  },
})

type OwnOrder = { sessionId: string; session: Session; order: Order }

/** An order of another tenant, or that the key may not see, is not found (X-TEN-01, J-AUTH-04, X-SBX-01). */
const ownOrder = async (flow: UseCaseContext, actor: Actor, orderId: string): Promise<OwnOrder> => {
  const found = await orderOf(flow, orderId)
  return mayUse(actor, found.session) ? found : refuse('order-not-found')
}

/** What everybody is told of an order, and what its seller is told besides. */
const ownRecord = async (flow: UseCaseContext, queries: Queries, found: OwnOrder) => ({
  ...orderRecord(flow.origins.base, found, await queries.orderEntries(found.order.id)),
  ...(await told(flow, found)),
})

const told = async ({ vault }: UseCaseContext, { session, order }: OwnOrder) => {
  const { buyer, context, fields = [] } = await openedPerson(vault, session.person)
  const { storeId, test, mandate } = session
  return {
    store_id: storeId,
    transaction_id: order.transactionId,
    placed_at: order.placedAt,
    test,
    ...(order.reversedAt !== undefined && { reversed_at: order.reversedAt }),
    buyer: (buyer ?? null) as Record<string, unknown> | null,
    context: (context ?? null) as Record<string, unknown> | null,
    custom_fields: fields,
    mandate: mandate && {
      tier: mandate.tier,
      issuer: mandate.issuer,
      key_thumbprint: mandate.keyThumbprint,
      checkout_hash: mandate.checkoutHash,
      receipt: mandate.receipt,
      token: await openedText(vault, mandate.token),
    },
  }
}

const readCursor = (cursor: string | undefined) => {
  if (cursor === undefined) return undefined
  const [placedAt = '', sessionId = ''] = cursor.split('/')
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(placedAt))
    return refuse('invalid-request', 'cursor: has to be the one of the page before, as it came')
  return { placedAt, sessionId }
}

export const ownOrderEndpoints = [list, one, fulfill]
