import { idOf } from '../../domain/kernel/stream-id.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** For each transaction, what was delivered and answered: a part of the read model `transactions`. */

export const deliveries = {
  name: 'deliveries',
  columns: {
    event_id: 'text',
    transaction_id: 'text',
    account_id: 'text',
    kind: 'text',
    run: 'text',
    slot: 'text',
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
  // None on what an outcome changes: each would be written anew with it.
  indexes: ['transaction_id, scheduled_at', 'scheduled_at'],
} as const satisfies Table

const fresh = { http_status: null, reason: null, response_body: null, duration_ms: null, attempted_at: null }

export const onDeliveries = {
  DeliveryScheduled: ({ stream, at, data }) =>
    put(deliveries, {
      event_id: idOf(stream),
      transaction_id: data.transactionId,
      account_id: data.accountId,
      kind: data.reason ?? 'first',
      run: data.run ?? null,
      slot: data.slot,
      url: data.url,
      test: data.test,
      state: 'scheduled',
      ...fresh,
      scheduled_at: at,
    }),
  DeliverySkipped: ({ stream, at, data }) =>
    put(deliveries, {
      event_id: idOf(stream),
      transaction_id: data.transactionId,
      account_id: data.accountId,
      kind: 'first',
      run: null,
      slot: null,
      url: null,
      test: null,
      state: 'skipped',
      ...fresh,
      scheduled_at: at,
    }),
  DeliveryAccepted: ({ stream, data }) => attempted(stream, 'accepted', data),
  DeliveryFailed: ({ stream, data }) => attempted(stream, 'failed', data),
} satisfies Projection['on']

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
