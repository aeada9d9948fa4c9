import type { Sql } from 'postgres'
import type { EventData } from '../domain/deciders.ts'
import { idOf } from '../domain/policy.ts'
import { DEFAULT_STORE } from '../domain/sell/transaction.ts'
import { type Projection, patch, put, type Row, type Table } from './projection.ts'
import { filtered, type TransactionFilter, takesAll } from './transaction-filter.ts'
import { transactionsCsv } from './transactions-csv.ts'

/** The merchant's transactions (R-17) and, for each, what was delivered and answered (R-18). */

const transactions = {
  name: 'transactions',
  columns: {
    transaction_id: 'text',
    account_id: 'text',
    res_id: 'text',
    challenge_id: 'text',
    external_reference: 'text',
    type: 'text',
    title: 'text',
    cryptocurrency: 'text',
    amount: 'text',
    amount_fiat: 'text',
    currency: 'text',
    status: 'text',
    hash: 'text',
    payer: 'text',
    test: 'boolean',
    created_at: 'text',
    confirmed_at: 'text',
    refunded_at: 'text',
    request_id: 'text',
    description: 'text',
    expires_at: 'text',
    store_id: 'integer',
    number: 'bigint',
  },
  key: ['transaction_id'],
  indexes: ['account_id, number', 'status, expires_at'],
  numbered: { column: 'number', per: 'account_id' },
} as const satisfies Table

const deliveries = {
  name: 'deliveries',
  columns: {
    event_id: 'text',
    transaction_id: 'text',
    account_id: 'text',
    url: 'text',
    test: 'boolean',
    state: 'text',
    http_status: 'integer',
    reason: 'text',
    response_body: 'text',
    duration_ms: 'integer',
    scheduled_at: 'text',
    attempted_at: 'text',
  },
  key: ['event_id'],
  indexes: ['transaction_id, scheduled_at'],
} as const satisfies Table

export const transactionsProjection: Projection = {
  name: 'transactions',
  version: 3,
  tables: [transactions, deliveries],
  on: {
    TransactionCreated: ({ stream, data }) =>
      put(transactions, {
        transaction_id: idOf(stream),
        account_id: data.accountId,
        res_id: data.resId,
        challenge_id: data.challengeId,
        external_reference: data.externalReference,
        type: data.type,
        title: data.title,
        cryptocurrency: data.cryptocurrency,
        amount: data.amount,
        amount_fiat: data.amountFiat,
        currency: data.currency,
        status: 'P',
        hash: data.hash,
        payer: data.payer,
        test: data.test,
        created_at: data.createdAt,
        confirmed_at: null,
        refunded_at: null,
        request_id: data.requestId ?? null,
        description: data.description ?? '',
        expires_at: data.expiresAt ?? null,
        store_id: data.storeId ?? DEFAULT_STORE,
        number: null,
      }),
    TransactionPaymentSeen: ({ stream, data }) => patch(transactions, [idOf(stream)], (row) => paid(row, data)),
    TransactionCompleted: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], (row) => ({
        ...paid(row, data),
        status: 'C',
        confirmed_at: data.confirmedAt,
      })),
    TransactionRejected: ({ stream }) => patch(transactions, [idOf(stream)], () => ({ status: 'X' })),
    RefundRecorded: ({ stream, data }) => patch(transactions, [idOf(stream)], () => ({ refunded_at: data.refundedAt })),
    DeliveryScheduled: ({ stream, at, data }) =>
      put(deliveries, {
        event_id: idOf(stream),
        transaction_id: data.transactionId,
        account_id: data.accountId,
        url: data.url,
        test: data.test,
        state: 'scheduled',
        http_status: null,
        reason: null,
        response_body: null,
        duration_ms: null,
        scheduled_at: at,
        attempted_at: null,
      }),
    DeliveryAccepted: ({ stream, data }) => attempted(stream, 'accepted', data),
    DeliveryFailed: ({ stream, data }) => attempted(stream, 'failed', data),
  },
}

/** The payment, and what the payer chose where the transaction did not know. */
const paid = (row: Row, data: EventData<'TransactionPaymentSeen'>): Row => ({
  hash: data.hash,
  payer: data.payer,
  challenge_id: data.challengeId ?? row.challenge_id ?? null,
  cryptocurrency: data.cryptocurrency ?? row.cryptocurrency ?? '',
  amount: data.amount ?? row.amount ?? '',
  amount_fiat: data.amountFiat ?? row.amount_fiat ?? '',
  currency: data.currency ?? row.currency ?? '',
})

type Outcome = {
  status: number | null
  reason: string | null
  bodyHead: string
  durationMs: number
  attemptedAt: string
}

const attempted = (stream: string, state: string, data: Outcome) =>
  patch(deliveries, [idOf(stream)], () => ({
    state,
    http_status: data.status,
    reason: data.reason,
    response_body: data.bodyHead,
    duration_ms: data.durationMs,
    attempted_at: data.attemptedAt,
  }))

export type TransactionRow = {
  id: string
  externalReference: string
  type: string
  title: string
  description: string
  cryptocurrency: string
  amount: string
  amountFiat: string
  currency: string
  status: string
  hash: string
  test: boolean
  createdAt: string
  confirmedAt: string | null
  refundedAt: string | null
  storeId: number
}

export type DeliveryRow = {
  eventId: string
  url: string
  test: boolean
  state: string
  status: number | null
  reason: string | null
  responseBody: string | null
  durationMs: number | null
  scheduledAt: string
  attemptedAt: string | null
}

/** `$1` the account, `$2` how many, `$3` after how many. */
const PAGE = `select $columns from transactions
  where account_id = $1 and number <= (select max(number) from transactions where account_id = $1) - $3::bigint
  order by number desc limit $2`

export const transactionQueries = (sql: Sql, exports: Sql) => {
  const columns = `
    transaction_id as id, external_reference as "externalReference", type, title, description, cryptocurrency, amount,
    amount_fiat as "amountFiat", currency, status, hash, test, created_at as "createdAt", confirmed_at as "confirmedAt",
    refunded_at as "refundedAt", store_id as "storeId"`
  /** By their numbers, so that a page far down costs what the first one does. */
  const page = (accountId: string, limit: number, offset: number) =>
    sql.unsafe<TransactionRow[]>(PAGE.replace('$columns', columns), [accountId, limit, offset])
  return {
    /** Newest first. */
    transactions(
      accountId: string,
      filter: TransactionFilter,
      limit: number,
      offset: number,
    ): Promise<TransactionRow[]> {
      if (takesAll(filter)) return page(accountId, limit, offset)
      const { where, values } = filtered(accountId, filter)
      return sql.unsafe<TransactionRow[]>(
        `select ${columns} from transactions where ${where}
         order by number desc limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, limit, offset],
      )
    },
    async transactionCount(accountId: string, filter: TransactionFilter): Promise<number> {
      const { where, values } = filtered(accountId, filter)
      const [row] = await sql.unsafe<{ count: number }[]>(
        `select ${takesAll(filter) ? 'coalesce(max(number), 0)::int' : 'count(*)::int'} as count from transactions where ${where}`,
        values,
      )
      return row?.count ?? 0
    },
    async transaction(accountId: string, id: string): Promise<TransactionRow | undefined> {
      const [row] = await sql.unsafe<TransactionRow[]>(
        `select ${columns} from transactions where account_id = $1 and transaction_id = $2`,
        [accountId, id],
      )
      return row
    },
    /** Payments of resources that were seen, but whose time was up before `before` without their being settled; the oldest first; of one account when it is given. */
    async expiredTransactions(
      before: string,
      limit: number,
      accountId?: string,
    ): Promise<{ id: string; challengeId: string }[]> {
      return sql<{ id: string; challengeId: string }[]>`
        select transaction_id as id, challenge_id as "challengeId" from transactions
        where status = 'P' and expires_at < ${before}
          and ${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}
        order by expires_at limit ${limit}`
    },
    transactionsCsv: (accountId?: string, filter: TransactionFilter = {}) =>
      transactionsCsv(exports, accountId, filter),
    webhookLog: (accountId: string, transactionId: string): Promise<DeliveryRow[]> => sql<DeliveryRow[]>`
      select event_id as "eventId", url, test, state, http_status as status, reason, response_body as "responseBody",
        duration_ms as "durationMs", scheduled_at as "scheduledAt", attempted_at as "attemptedAt"
      from deliveries where account_id = ${accountId} and transaction_id = ${transactionId}
      order by scheduled_at, event_id`,
  }
}
