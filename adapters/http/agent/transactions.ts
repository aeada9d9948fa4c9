import { z } from 'zod'
import { refuse } from '../../../domain/refusal.ts'
import { RECORD_KEYS, transactionRecord } from '../../../domain/sell/transaction-record.ts'
import { inScope, maySee, storesOf } from '../actor.ts'
import { type Actor, endpoint, Reply } from '../endpoint.ts'
import { createDownloads } from './downloads.ts'
import { page } from './paging.ts'

const Record = z
  .object(
    Object.fromEntries([...RECORD_KEYS, 'is_test'].map((key) => [key, z.string()])) as Record<string, z.ZodString>,
  )
  .extend({ refunded_time: z.string().optional() })
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

const TEXT_MAX = 200

/** A day counts whole: `from` from its beginning, `to` until its end (UTC). */
const Time = z.union([z.iso.date(), z.iso.datetime({ offset: true })])
const startOf = (time: string) => new Date(time).toISOString()
const endOf = (time: string) => (time.length === DAY_LENGTH ? `${time}T23:59:59.999Z` : new Date(time).toISOString())
const DAY_LENGTH = '2026-01-01'.length

/** The number of a store. */
const StoreId = z
  .string()
  .regex(/^\d{1,9}$/, 'the number of a store')
  .transform(Number)

/** What narrows the list; all that are given must hold (J-TXN-02, N-36). `asset` and `cryptocurrency` are one. */
const filters = {
  type: z.string().max(TEXT_MAX).optional(),
  status: z.enum(['P', 'C', 'X']).optional(),
  asset: z.string().max(TEXT_MAX).optional(),
  cryptocurrency: z.string().max(TEXT_MAX).optional(),
  store_id: StoreId.optional(),
  from: Time.transform(startOf).optional(),
  to: Time.transform(endOf).optional(),
  q: z.string().max(TEXT_MAX).optional(),
}
const Filters = z.object(filters)

const filterOf = (
  { cryptocurrency, asset = cryptocurrency, store_id, ...rest }: z.output<typeof Filters>,
  actor: Actor,
) => ({ ...rest, asset, stores: storesOf(actor, store_id), ...(actor.testOnly && { test: true }) })

const list = endpoint({
  method: 'get',
  path: '/v1/transactions',
  summary: 'Transactions, newest first',
  auth: 'key',
  sandbox: 'secret',
  capability: 'transactions.view',
  query: z.object({ ...page.query, ...filters }),
  returns: z.object({
    transactions: z.array(Record),
    pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
  }),
  async answer({ query, actor, queries }) {
    const { limit, offset } = page.of(query)
    const filter = filterOf(query, actor)
    const [rows, total] = await Promise.all([
      queries.transactions(actor.accountId, filter, limit, offset),
      queries.transactionCount(actor.accountId, filter),
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
  sandbox: 'secret',
  capability: 'transactions.view',
  query: z.object({ transaction_id: z.string() }),
  returns: z.object({ transaction: Record }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id }, actor, queries }) {
    const row = await queries.transaction(actor.accountId, transaction_id)
    if (!row || !maySee(actor, row) || !inScope(actor, row.storeId))
      return refuse('transaction-not-found', 'No such transaction.')
    return { transaction: transactionRecord(row.id, row) }
  },
})

const webhookLog = endpoint({
  method: 'get',
  path: '/v1/transactions',
  when: { transaction_id: true, webhook_log: '1' },
  summary: 'What was delivered for a transaction, and what was answered',
  auth: 'key',
  sandbox: 'secret',
  capability: 'transactions.view',
  query: z.object({ transaction_id: z.string(), webhook_log: z.literal('1') }),
  returns: z.object({ webhook_log: z.array(Delivery) }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id }, actor, queries }) {
    const found = await queries.transaction(actor.accountId, transaction_id)
    if (!found || !maySee(actor, found) || !inScope(actor, found.storeId))
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
    summary: 'Transactions as CSV, oldest first',
    auth: 'key',
    sandbox: 'secret',
    capability: 'transactions.export',
    query: z.object({ download: z.literal('1'), ...filters }),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    async answer({ query, actor, queries }) {
      const filter = filterOf(query, actor)
      const csv = await downloads.start(actor.accountId, () => queries.transactionsCsv(actor.accountId, filter))
      return new Reply(200, csv, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="transactions.csv"',
      })
    },
  })
}

export const transactionEndpoints = () => [list, one, webhookLog, download()]
