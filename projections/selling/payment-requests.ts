import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import { foldedText } from '../../domain/kernel/search-words.ts'
import { type ListNarrowing, narrowedBy } from '../engine/narrowed.ts'
import { ofStores, ownedBy, type RowOwner } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Payment requests, each with whether it was paid (R-20). */

const paymentRequests = {
  name: 'payment_requests',
  columns: {
    request_id: 'text',
    account_id: 'text',
    store_id: 'integer',
    transaction_id: 'text',
    amount: 'numeric',
    currency: 'text',
    asset: 'text',
    asset_amount: 'numeric',
    decimals: 'integer',
    title: 'text',
    note: 'text',
    redirect: 'text',
    external_reference: 'text',
    expiry: 'text',
    status: 'text',
    test: 'boolean',
    till: 'boolean',
    top_up_for: 'text',
    created_at: 'text',
    expires_at: 'text',
    /** Title, note, reference and number as they are searched. */
    search_text: 'text',
  },
  key: ['request_id'],
  indexes: [
    'account_id, created_at desc, request_id',
    'account_id, transaction_id',
    'status, expires_at',
    { columns: 'account_id, store_id, created_at, request_id', where: 'till' },
  ],
} as const satisfies Table

export const paymentRequestsProjection: Projection = {
  name: 'payment_requests',
  version: 5,
  tables: [paymentRequests],
  on: {
    PaymentRequestOpened: ({ stream, at, data }) =>
      put(paymentRequests, {
        request_id: idOf(stream),
        account_id: data.accountId,
        store_id: data.storeId ?? DEFAULT_STORE,
        transaction_id: data.transactionId,
        amount: data.amount,
        currency: data.currency,
        asset: data.asset,
        asset_amount: data.assetAmount,
        decimals: data.decimals ?? null,
        title: data.title,
        note: data.note,
        redirect: data.redirect,
        external_reference: data.externalReference,
        expiry: data.expiry,
        status: 'open',
        test: data.test,
        till: data.till === true,
        top_up_for: data.topUp?.accountId ?? null,
        created_at: at,
        expires_at: data.expiresAt,
        search_text: searchText(data.title, data.note, data.externalReference, data.transactionId),
      }),
    PaymentRequestPaid: ({ stream }) => patch(paymentRequests, [idOf(stream)], () => ({ status: 'paid' })),
    PaymentRequestReopened: ({ stream }) => patch(paymentRequests, [idOf(stream)], () => ({ status: 'open' })),
    PaymentRequestExpired: ({ stream }) => patch(paymentRequests, [idOf(stream)], () => ({ status: 'expired' })),
    PaymentRequestChanged: ({ stream, data: { amount, assetAmount, asset, redirect, title } }) =>
      patch(paymentRequests, [idOf(stream)], (row) => ({
        ...(amount !== undefined && { amount }),
        ...(assetAmount !== undefined && { asset_amount: assetAmount }),
        ...(asset !== undefined && { asset }),
        ...(redirect !== undefined && { redirect }),
        ...(title !== undefined && {
          title,
          search_text: searchText(title, row.note, row.external_reference, row.transaction_id),
        }),
      })),
    PaymentRequestWithdrawn: ({ stream }) => patch(paymentRequests, [idOf(stream)], () => ({ status: 'expired' })),
  },
}

const searchText = (...texts: readonly unknown[]): string => foldedText(texts.join(' '))

export type PaymentRequestRow = {
  requestId: string
  accountId: string
  storeId: number
  transactionId: string
  /** The price, in millionths of the currency. */
  amount: string | null
  currency: string
  asset: string | null
  /** The price, in the asset's smallest unit. */
  assetAmount: string | null
  decimals: number | null
  title: string
  note: string
  redirect: string
  externalReference: string
  expiry: string
  status: 'open' | 'paid' | 'expired'
  test: boolean
  /** It was made at the counter of the store. */
  till: boolean
  createdAt: string
  expiresAt: string
}

/** A request is expired once its time is up, before anybody has written that down. */
const statusSql = (sql: Sql, now: string) =>
  sql`case when status = 'open' and expires_at < ${now} then 'expired' else status end`

export const paymentRequestQueries = (sql: Sql) => {
  const columns = sql`
    request_id as "requestId", account_id as "accountId", store_id as "storeId", transaction_id as "transactionId", amount::text, currency, asset,
    asset_amount::text as "assetAmount", decimals, title, note, redirect, external_reference as "externalReference", expiry, status, test, till,
    created_at as "createdAt", expires_at as "expiresAt"`
  return {
    /**
     * The payment requests of an account, newest first: those for tests or live ones, as `test` says, and with `stores`
     * only those of these stores; with `status` those that have it now.
     */
    paymentRequests: (
      accountId: string,
      {
        test,
        stores,
        status,
        ...narrowing
      }: ListNarrowing & {
        test: boolean
        stores?: readonly number[] | undefined
        status?: { readonly is: 'open' | 'paid' | 'expired'; readonly now: string } | undefined
      },
      limit: number,
      offset = 0,
    ): Promise<PaymentRequestRow[]> => sql<PaymentRequestRow[]>`
      select ${columns} from payment_requests
      where account_id = ${accountId} and test = ${test} and ${ofStores(sql, stores)}
        and ${status === undefined ? sql`true` : sql`${statusSql(sql, status.now)} = ${status.is}`}
        and ${narrowedBy(sql, { table: 'payment_requests', key: 'request_id', accountId }, narrowing)}
      order by created_at desc, request_id limit ${limit} offset ${offset}`,
    /** A payment request of an account by its own id, or by the number of its transaction. */
    async paymentRequest(id: string, accountId: string): Promise<PaymentRequestRow | undefined> {
      const [row] = await sql<PaymentRequestRow[]>`
        select ${columns} from payment_requests
        where account_id = ${accountId} and (request_id = ${id} or transaction_id = ${id})`
      return row
    },
    /**
     * Requests that expired before `before` and that nobody has paid or closed, the oldest first; only those of `own`,
     * when it is given.
     */
    async expiredRequests(before: string, limit: number, own?: RowOwner): Promise<string[]> {
      const rows = await sql<{ id: string }[]>`
        select request_id as id from payment_requests where status = 'open' and expires_at < ${before}
          and ${own ? ownedBy(sql, own) : sql`true`}
        order by expires_at limit ${limit}`
      return rows.map(({ id }) => id)
    },
  }
}
