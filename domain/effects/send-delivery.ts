import { signingKey } from '../flows/signing-key.ts'
import type { Ledger } from '../ledger.ts'
import { idOf } from '../policy.ts'
import type { Recorded } from '../ports.ts'
import type { DeliveryEvents } from '../sell/delivery.ts'
import { openRecord } from '../sell/open-record.ts'
import { testRecord } from '../sell/test-record.ts'
import type { Transaction } from '../sell/transaction.ts'
import type { Effect, EffectContext } from './effect.ts'

const DELIVERIES_AT_ONCE_MAX = 32
/** The fixed identifier of document 3 (N-66). */
export const WEBHOOK_USER_AGENT = 'Daybook-Webhook/1'

/** POSTs the full transaction record, signed, once; whatever comes of it is logged and not tried again (W-DEL-01, W-RTY-01). */
export const sendDelivery: Effect = {
  name: 'send-delivery',
  concurrency: DELIVERIES_AT_ONCE_MAX,
  on: {
    DeliveryScheduled: async (event, context) => {
      const { ledger, world, outbound } = context
      const eventId = idOf(event.stream)
      if ((await ledger.delivery.read(eventId)).status !== 'scheduled') return
      const { body, headers } = await request(event, eventId, context)
      const attemptedAt = world.now().toISOString()
      const { status, reason, bodyHead, durationMs } = await outbound.post(event.data.url, body, headers)
      await ledger.delivery.record(eventId, {
        status: status ?? null,
        reason: reason ?? null,
        bodyHead,
        durationMs,
        attemptedAt,
      })
    },
  },
}

/**
 * What is remembered of a completed transaction will do for its first delivery: it holds all that was written before. One that is sent
 * again may have been edited since, elsewhere.
 */
const completed = async (ledger: Ledger, { transactionId, reason }: Scheduled['data']): Promise<Transaction> => {
  const remembered = await ledger.transaction.recent(transactionId)
  if (remembered.status === 'C' && reason === undefined) return remembered
  return (await ledger.transaction.read(transactionId)) as Transaction
}

type Scheduled = Recorded<{
  readonly type: 'DeliveryScheduled'
  readonly data: Readonly<DeliveryEvents['DeliveryScheduled']>
}>

/** Body and headers of W-DEL-02 and W-DEL-03; the timestamp of the signature is that of this attempt. */
const request = async ({ at, data }: Scheduled, eventId: string, context: EffectContext) => {
  const { ledger, world, outbound } = context
  const record =
    data.reason === 'test'
      ? testRecord(at)
      : await openRecord(context.vault, data.transactionId, await completed(ledger, data))
  const body = JSON.stringify({ transaction: record, event_id: eventId, test: data.test })
  const key = await signingKey(context, data)
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': WEBHOOK_USER_AGENT,
      'X-Webhook-Event-Id': eventId,
      ...(key && { 'X-Webhook-Signature': outbound.sign(key, world.now(), body) }),
    },
  }
}
