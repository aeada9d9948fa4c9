import type { Sql } from 'postgres'
import { idOf } from '../domain/policy.ts'
import { type Projection, patch, put, type Table } from './projection.ts'
import { transactionsCsv } from './transactions-csv.ts'

/** The merchant's transactions and, for each, what was delivered and answered. */

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
  },
  key: ['transaction_id'],
  indexes: ['account_id, created_at desc, transaction_id desc'],
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
  version: 1,
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
      }),
    TransactionCompleted: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], () => ({
        status: 'C',
        hash: data.hash,
        payer: data.payer,
        confirmed_at: data.confirmedAt,
      })),
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
  cryptocurrency: string
  amount: string
  amountFiat: string
  currency: string
  status: string
  hash: string
  test: boolean
  createdAt: string
  confirmedAt: string | null
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

export const transactionQueries = (sql: Sql, exports: Sql) => {
  const columns = sql`
    transaction_id as id, external_reference as "externalReference", type, title, cryptocurrency, amount,
    amount_fiat as "amountFiat", currency, status, hash, test, created_at as "createdAt", confirmed_at as "confirmedAt"`
  const newestFirst = sql`order by created_at desc, transaction_id desc`
  return {
    transactions: (accountId: string, limit: number, offset: number): Promise<TransactionRow[]> => sql<
      TransactionRow[]
    >`
      select ${columns} from transactions where account_id = ${accountId} ${newestFirst} limit ${limit} offset ${offset}`,
    async transactionCount(accountId: string): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from transactions where account_id = ${accountId}`
      return row?.count ?? 0
    },
    async transaction(accountId: string, id: string): Promise<TransactionRow | undefined> {
      const [row] = await sql<TransactionRow[]>`
        select ${columns} from transactions where account_id = ${accountId} and transaction_id = ${id}`
      return row
    },
    transactionsCsv: (accountId?: string) => transactionsCsv(exports, accountId),
    webhookLog: (accountId: string, transactionId: string): Promise<DeliveryRow[]> => sql<DeliveryRow[]>`
      select event_id as "eventId", url, test, state, http_status as status, reason, response_body as "responseBody",
        duration_ms as "durationMs", scheduled_at as "scheduledAt", attempted_at as "attemptedAt"
      from deliveries where account_id = ${accountId} and transaction_id = ${transactionId}
      order by scheduled_at, event_id`,
  }
}
