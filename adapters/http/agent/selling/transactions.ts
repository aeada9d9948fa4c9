import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { SENT_SHOWN_MAX, sentFields, sentOf } from '../../core/sent-webhooks.ts'
import type { Downloads } from '../common/downloads.ts'
import { page } from '../common/paging.ts'
import {
  before,
  filters,
  Listed,
  ownRow,
  shownTransaction,
  TransactionShape,
  transactionDownload,
  transactionList,
} from './transaction-lists.ts'
import { webhookReceiverEndpoints } from './webhook-receiver.ts'

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
  .extend(z.object(sentFields).partial().shape)
  .meta({
    id: 'Delivery',
    description: `One attempt to deliver the webhook. \`bodies=1\` adds what was sent to the newest ${SENT_SHOWN_MAX}: the headers without the signature itself, which is not kept, and the body, made again from the facts of that time. \`request_body_is\` \`same\`: its digest is the one that was noted.`,
  })

const list = endpoint({
  method: 'get',
  path: '/v1/transactions',
  summary: 'Transactions, newest first; with `before`, those that came before that one',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({ ...page.query, ...before, ...filters }),
  returns: Listed,
  answer: ({ query, actor, flow, queries }) => transactionList(flow, queries, actor, query),
})

const one = endpoint({
  method: 'get',
  path: '/v1/transactions',
  when: { transaction_id: true },
  summary: 'One transaction',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({ transaction_id: z.string() }),
  returns: z.object({ transaction: TransactionShape }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id }, actor, flow, queries }) {
    return { transaction: await shownTransaction(flow, queries, actor, transaction_id) }
  },
})

const webhookLog = endpoint({
  method: 'get',
  path: '/v1/transactions',
  when: { transaction_id: true, webhook_log: '1' },
  summary: 'What was delivered for a transaction, and what was answered; with `bodies=1` what was sent, too',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({ transaction_id: z.string(), webhook_log: z.literal('1'), bodies: z.literal('1').optional() }),
  returns: z.object({ webhook_log: z.array(Delivery) }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id, bodies }, actor, queries, audit }) {
    await ownRow(queries, actor, transaction_id)
    const rows = await queries.webhookLog(actor.accountId, transaction_id)
    const sent = bodies === undefined ? undefined : await sentOf(audit, transaction_id, rows)
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
        ...sent?.get(row.eventId),
      })),
    }
  },
})

const download = (downloads: Downloads) =>
  endpoint({
    method: 'get',
    path: '/v1/transactions',
    when: { download: '1' },
    summary: 'Transactions as CSV, oldest first',
    auth: 'key',
    reach: 'store',
    callers: { capability: 'transactions.export', sandbox: 'secret' },
    query: z.object({ download: z.literal('1'), ...filters }),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    answer: ({ query, actor, flow, queries }) => transactionDownload(downloads, flow, queries, actor, query),
  })

// The file first: `download=1` asks for it, whether a transaction is named with it or not.
export const transactionEndpoints = (downloads: Downloads) => [
  list,
  download(downloads),
  one,
  webhookLog,
  ...webhookReceiverEndpoints,
]
