import { idOf } from '../../kernel/decider.ts'
import type { Opener } from '../../kernel/opened-text.ts'
import type { RecordedEvent } from '../../kernel/ports.ts'
import { openRecord } from '../transactions/open-record.ts'
import { testRecord } from '../transactions/test-record.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { DeliveryEvents } from './delivery.ts'

/**
 * What is sent to a merchant: body and headers of W-DEL-02 and W-DEL-03. The same facts make the same bytes, also years
 * later.
 */

export type ScheduledDelivery = RecordedEvent<{
  readonly type: 'DeliveryScheduled'
  readonly data: Readonly<DeliveryEvents['DeliveryScheduled']>
}>

/** The fixed identifier of document 3 (N-66). */
export const WEBHOOK_USER_AGENT = 'Daybook-Webhook/1'

/** The body of a delivery. Without a transaction it has a made-up one, to try a URL out. */
export const deliveryBody = async (
  vault: Opener,
  { at, stream, data }: Pick<ScheduledDelivery, 'at' | 'stream' | 'data'>,
  transaction: Transaction | undefined,
): Promise<string> => {
  const record = transaction ? await openRecord(vault, data.transactionId, transaction) : testRecord(at)
  return JSON.stringify({ transaction: record, event_id: idOf(stream), test: data.test })
}

/**
 * The headers of a delivery. `correlationId` is that of its event; one of a form that no header should have is left
 * out.
 */
export const deliveryHeaders = (eventId: string, signature: string | undefined, correlationId?: string) => ({
  'Content-Type': 'application/json',
  'User-Agent': WEBHOOK_USER_AGENT,
  'X-Webhook-Event-Id': eventId,
  ...(signature !== undefined && { 'X-Webhook-Signature': signature }),
  ...(correlationId !== undefined && PLAIN.test(correlationId) && { 'X-Correlation-Id': correlationId }),
})

const PLAIN = /^[\w.-]{1,64}$/
