import { z } from 'zod'
import { refuse } from '../../../domain/refusal.ts'
import { RECORD_KEYS, transactionRecord } from '../../../domain/sell/transaction-record.ts'
import { endpoint, Reply } from '../endpoint.ts'
import { createDownloads } from './downloads.ts'

const PAGE_DEFAULT = 50
const PAGE_MAX = 500
const OFFSET_MAX = 1_000_000

const Record = z
  .object(
    Object.fromEntries([...RECORD_KEYS, 'is_test'].map((key) => [key, z.string()])) as Record<string, z.ZodString>,
  )
  .meta({ id: 'Transaction', description: 'Every value is a string; times are YYYY-MM-DD HH:MM:SS UTC.' })

const Delivery = z
  .object({
    event_id: z.string(),
    url: z.string(),
    test: z.boolean(),
    state: z.enum(['scheduled', 'accepted', 'failed']),
    http_status: z.int().nullable(),
    reason: z.string().nullable(),
    response_body: z.string().nullable(),
    duration_ms: z.int().nullable(),
    scheduled_at: z.string(),
    attempted_at: z.string().nullable(),
  })
  .meta({ id: 'Delivery', description: 'One attempt to deliver the webhook.' })

/** Query parameters are text; a number in them is digits only. */
const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().max(max))

const list = endpoint({
  method: 'get',
  path: '/v1/transactions',
  summary: 'Transactions, newest first',
  auth: 'key',
  capability: 'transactions.view',
  query: z.object({ limit: count(PAGE_MAX).optional(), offset: count(OFFSET_MAX).optional() }),
  returns: z.object({
    transactions: z.array(Record),
    pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
  }),
  async answer({ query: { limit = PAGE_DEFAULT, offset = 0 }, actor, queries }) {
    const [rows, total] = await Promise.all([
      queries.transactions(actor.accountId, limit, offset),
      queries.transactionCount(actor.accountId),
    ])
    return { transactions: rows.map((row) => transactionRecord(row.id, row)), pagination: { total, limit, offset } }
  },
})

const one = endpoint({
  method: 'get',
  path: '/v1/transactions',
  when: { transaction_id: true },
  summary: 'One transaction',
  auth: 'key',
  capability: 'transactions.view',
  query: z.object({ transaction_id: z.string() }),
  returns: z.object({ transaction: Record }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id }, actor, queries }) {
    const row = await queries.transaction(actor.accountId, transaction_id)
    if (!row) return refuse('transaction-not-found', 'No such transaction.')
    return { transaction: transactionRecord(row.id, row) }
  },
})

const webhookLog = endpoint({
  method: 'get',
  path: '/v1/transactions',
  when: { transaction_id: true, webhook_log: '1' },
  summary: 'What was delivered for a transaction, and what was answered',
  auth: 'key',
  capability: 'transactions.view',
  query: z.object({ transaction_id: z.string(), webhook_log: z.literal('1') }),
  returns: z.object({ webhook_log: z.array(Delivery) }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id }, actor, queries }) {
    if (!(await queries.transaction(actor.accountId, transaction_id)))
      return refuse('transaction-not-found', 'No such transaction.')
    const rows = await queries.webhookLog(actor.accountId, transaction_id)
    return {
      webhook_log: rows.map((row) => ({
        event_id: row.eventId,
        url: row.url,
        test: row.test,
        state: row.state as 'scheduled' | 'accepted' | 'failed',
        http_status: row.status,
        reason: row.reason,
        response_body: row.responseBody,
        duration_ms: row.durationMs,
        scheduled_at: row.scheduledAt,
        attempted_at: row.attemptedAt,
      })),
    }
  },
})

const download = () => {
  const downloads = createDownloads()
  return endpoint({
    method: 'get',
    path: '/v1/transactions',
    when: { download: '1' },
    summary: 'All transactions as CSV, oldest first',
    auth: 'key',
    capability: 'transactions.view',
    query: z.object({ download: z.literal('1') }),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    async answer({ actor, queries }) {
      const csv = await downloads.start(actor.accountId, () => queries.transactionsCsv(actor.accountId))
      return new Reply(200, csv, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="transactions.csv"',
      })
    },
  })
}

export const transactionEndpoints = () => [list, one, webhookLog, download()]
