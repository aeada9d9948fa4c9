import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { DuePage } from '../../domain/use-cases/card/end-due.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/**
 * The seller whose processor reports to an address, the payment that a charge of a processor is for (J-CARD-02), and
 * its pages that are open (N-31).
 */

const cardHooks = {
  name: 'card_hooks',
  columns: { hook_id: 'text', account_id: 'text' },
  key: ['hook_id'],
} as const satisfies Table

const cardCharges = {
  name: 'card_charges',
  columns: { card_payment_id: 'text', account_id: 'text', charge: 'text' },
  key: ['card_payment_id'],
  indexes: ['account_id, charge'],
} as const satisfies Table

/** One row a payment by card. `is_open`: nobody knows yet what came of it. */
const cardPages = {
  name: 'card_pages',
  columns: {
    card_payment_id: 'text',
    account_id: 'text',
    request_id: 'text',
    expires_at: 'text',
    is_open: 'boolean',
  },
  key: ['card_payment_id'],
  indexes: ['is_open, card_payment_id', 'account_id, is_open', 'request_id, is_open'],
} as const satisfies Table

export const cardPaymentsProjection: Projection = {
  name: 'card-payments',
  version: 2,
  tables: [cardHooks, cardCharges, cardPages],
  on: {
    CardProcessorConnected: ({ stream, data }) => put(cardHooks, { hook_id: data.hookId, account_id: idOf(stream) }),
    // A seller that is disconnected is still found, and has no secret any more that anything could be signed with.
    CardProcessorDisconnected: ({ stream, data }) => put(cardHooks, { hook_id: data.hookId, account_id: idOf(stream) }),
    CardPaymentOpened: ({ stream, data }) =>
      put(cardPages, {
        card_payment_id: idOf(stream),
        account_id: data.accountId,
        expires_at: data.expiresAt,
        is_open: true,
        request_id: data.paymentRequest?.requestId ?? null,
      }),
    CardPaymentSettled: ({ stream }) => ended(stream),
    CardPaymentSetAside: ({ stream }) => ended(stream),
    CardPaymentFailed: ({ stream }) => ended(stream),
    CardPaymentReported: ({ stream, data }) =>
      put(cardCharges, { card_payment_id: idOf(stream), account_id: data.accountId, charge: data.paymentId }),
  },
}

const ended = (stream: string) => patch(cardPages, [idOf(stream)], () => ({ is_open: false }))

/** Pages of one request that are looked at before it is given up. */
const PAGES_OF_REQUEST_MAX = 50

export const cardPaymentQueries = (sql: Sql) => ({
  /** The seller whose processor reports to an address. */
  async cardHookOwner(hookId: string): Promise<string | undefined> {
    const [row] = await sql<{ id: string }[]>`select account_id as id from card_hooks where hook_id = ${hookId}`
    return row?.id
  },
  /** The card payment that a charge was made for. */
  async cardPaymentOf(accountId: string, charge: string): Promise<string | undefined> {
    const [row] = await sql<{ id: string }[]>`
      select card_payment_id as id from card_charges where account_id = ${accountId} and charge = ${charge}`
    return row?.id
  },
  /** Card payments of a request whose outcome nobody knows, those that expire last first. */
  async cardPagesOfRequest(requestId: string): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select card_payment_id as id from card_pages where request_id = ${requestId} and is_open
      order by expires_at desc limit ${PAGES_OF_REQUEST_MAX}`
    return rows.map(({ id }) => id)
  },
  /** Card payments to a seller whose outcome nobody knows, those that expire last first. */
  async openCardPages(accountId: string, limit: number): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select card_payment_id as id from card_pages where account_id = ${accountId} and is_open
      order by expires_at desc limit ${limit}`
    return rows.map(({ id }) => id)
  },
  /**
   * Open card payments that expired before a time, or whose request takes no payment any more, after an id in the order
   * of ids.
   */
  cardPagesDue: (before: string, after: string, limit: number) => sql<DuePage[]>`
    select card_payment_id as id, account_id as "accountId", expires_at as "expiresAt" from card_pages p
    where is_open and card_payment_id > ${after} and (expires_at < ${before} or exists (
      select from payment_requests r where r.request_id = p.request_id and r.status <> 'open'))
    order by card_payment_id limit ${limit}`,
})
