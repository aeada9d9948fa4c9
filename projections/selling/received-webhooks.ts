import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, put, type Table } from '../engine/projection.ts'

/** Which webhooks of test sales went to the built-in receiver (N-86). What was in them is made again from the log. */

const receivedWebhooks = {
  name: 'received_webhooks',
  columns: { event_id: 'text', account_id: 'text', transaction_id: 'text', scheduled_at: 'text' },
  key: ['event_id'],
  indexes: ['account_id, scheduled_at'],
} as const satisfies Table

export const receivedWebhooksProjection: Projection = {
  name: 'received-webhooks',
  version: 1,
  tables: [receivedWebhooks],
  on: {
    DeliveryScheduled: ({ stream, at, data: { slot, accountId, transactionId } }) =>
      slot === 'receiver'
        ? put(receivedWebhooks, {
            event_id: idOf(stream),
            account_id: accountId,
            transaction_id: transactionId,
            scheduled_at: at,
          })
        : [],
  },
}

type ReceivedWebhookRow = { eventId: string; transactionId: string; scheduledAt: string }

export const receivedWebhookQueries = (sql: Sql) => ({
  /** What the built-in receiver got for an account since a time, the newest first. */
  receivedWebhooks: (accountId: string, since: string, limit: number): Promise<ReceivedWebhookRow[]> => sql<
    ReceivedWebhookRow[]
  >`
    select event_id as "eventId", transaction_id as "transactionId", scheduled_at as "scheduledAt" from received_webhooks
    where account_id = ${accountId} and scheduled_at >= ${since} order by scheduled_at desc, event_id limit ${limit}`,
})
