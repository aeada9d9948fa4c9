import type { Sql } from 'postgres'
import type { AdjustmentType, FulfillmentType, Share } from '../../domain/commerce/session-events.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Checkout sessions and the orders that they became, each with what has happened to it since (C-ORD-01). */

const sessions = {
  name: 'checkout_sessions',
  columns: {
    session_id: 'text',
    account_id: 'text',
    store_id: 'integer',
    status: 'text',
    currency: 'text',
    digits: 'integer',
    total: 'numeric',
    test: 'boolean',
    request_id: 'text',
    mandated: 'boolean',
    order_id: 'text',
    transaction_id: 'text',
    created_at: 'text',
    placed_at: 'text',
    reversed_at: 'text',
  },
  key: ['session_id'],
  indexes: ['account_id, placed_at desc, session_id'],
} as const satisfies Table

const entries = {
  name: 'order_entries',
  columns: {
    order_id: 'text',
    number: 'integer',
    type: 'text',
    lines: 'text',
    description: 'text',
    tracking_url: 'text',
    amount: 'numeric',
    occurred_at: 'text',
  },
  key: ['order_id', 'number'],
} as const satisfies Table

const entry = { lines: '[]', description: '', tracking_url: null, amount: null }

export const ordersProjection: Projection = {
  name: 'orders',
  version: 2,
  tables: [sessions, entries],
  on: {
    CheckoutSessionCreated: ({ stream, data }) =>
      put(sessions, {
        session_id: idOf(stream),
        account_id: data.accountId,
        store_id: data.storeId,
        status: 'incomplete',
        currency: data.currency,
        digits: data.digits,
        total: data.total,
        test: data.test,
        request_id: null,
        mandated: false,
        order_id: null,
        transaction_id: null,
        created_at: data.createdAt,
        placed_at: null,
        reversed_at: null,
      }),
    CheckoutSessionUpdated: ({ stream, data: { currency, digits, total } }) =>
      patch(sessions, [idOf(stream)], () => ({ currency, digits, total })),
    CheckoutSessionReadied: ({ stream, data }) =>
      patch(sessions, [idOf(stream)], () => ({ status: 'ready_for_complete', request_id: data.requestId })),
    CheckoutSessionAgreed: ({ stream }) => patch(sessions, [idOf(stream)], () => ({ mandated: true })),
    CheckoutSessionCanceled: ({ stream }) => patch(sessions, [idOf(stream)], () => ({ status: 'canceled' })),
    CheckoutSessionCompleted: ({ stream, data: { orderId, transactionId, completedAt, delivered } }) => [
      patch(sessions, [idOf(stream)], () => ({
        status: 'completed',
        order_id: orderId,
        transaction_id: transactionId,
        placed_at: completedAt,
      })),
      ...(delivered.length > 0
        ? [
            put(entries, {
              ...entry,
              order_id: orderId,
              number: 1,
              type: 'delivered',
              lines: JSON.stringify(delivered),
              description: 'Delivered on payment',
              occurred_at: completedAt,
            }),
          ]
        : []),
    ],
    OrderFulfilled: ({ data: { orderId, number, type, lines, description, trackingUrl, occurredAt } }) =>
      put(entries, {
        ...entry,
        order_id: orderId,
        number,
        type,
        lines: JSON.stringify(lines),
        description,
        tracking_url: trackingUrl,
        occurred_at: occurredAt,
      }),
    OrderAdjusted: ({ stream, data: { orderId, number, type, amount, occurredAt, position } }) => [
      put(entries, { ...entry, order_id: orderId, number, type, amount, occurred_at: occurredAt }),
      ...(position === undefined
        ? []
        : [patch(sessions, [idOf(stream)], () => ({ reversed_at: type === 'reversal' ? occurredAt : null }))]),
    ],
  },
}

export type OrderRow = {
  sessionId: string
  orderId: string
  storeId: number
  currency: string
  digits: number
  total: string
  test: boolean
  mandated: boolean
  transactionId: string
  placedAt: string
  /** Time since which its payment is not in its chain any more. */
  reversedAt: string | null
}

export type OrderEntry = {
  number: number
  type: FulfillmentType | AdjustmentType
  lines: readonly Share[]
  description: string
  trackingUrl: string | null
  amount: string | null
  occurredAt: string
}

export const orderQueries = (sql: Sql) => ({
  /**
   * The orders of an account, newest first: those of tests or live ones, as `test` says; `before` is where the page
   * before ended.
   */
  orders(
    accountId: string,
    { test, stores }: { test: boolean; stores: readonly number[] | undefined },
    { before, limit }: { before: { placedAt: string; sessionId: string } | undefined; limit: number },
  ): Promise<OrderRow[]> {
    const older = before ? sql`and (placed_at, session_id) < (${before.placedAt}, ${before.sessionId})` : sql``
    return sql<OrderRow[]>`
      select session_id as "sessionId", order_id as "orderId", store_id as "storeId", currency, digits, total::text, test, mandated,
        transaction_id as "transactionId", placed_at as "placedAt", reversed_at as "reversedAt"
      from checkout_sessions
      where account_id = ${accountId} and test = ${test} and placed_at is not null and ${ofStores(sql, stores)} ${older}
      order by placed_at desc, session_id desc limit ${limit}`
  },
  /** The entries of an order, in their order; their number is bounded. */
  async orderEntries(orderId: string): Promise<OrderEntry[]> {
    const rows = await sql<(Omit<OrderEntry, 'lines'> & { lines: string })[]>`
      select number, type, lines, description, tracking_url as "trackingUrl", amount::text, occurred_at as "occurredAt"
      from order_entries where order_id = ${orderId} order by number`
    return rows.map((row) => ({ ...row, lines: JSON.parse(row.lines) as Share[] }))
  },
})
