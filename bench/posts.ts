import { idOf } from '../domain/kernel/decider.ts'
import { sendDelivery } from '../domain/reactions/effects/send-delivery.ts'
import type { Transaction } from '../domain/selling/transactions/transaction.ts'
import { transactionRecord } from '../domain/selling/transactions/transaction-record.ts'
import { WEBHOOK_USER_AGENT } from '../domain/selling/webhooks/delivery-request.ts'
import { shownSteps } from './sales.ts'

/** Webhook POSTs as the product makes them, for contestants that send the same without it. */

/** The product's own concurrency. */
export const IN_FLIGHT = sendDelivery.concurrency

/** The POSTs that came to the receiver. */
export type Taken = { readonly posts: number; readonly signed: number; readonly bytes: number }

export type Post = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/** The POST of sale `n`, under a signature of the right form. */
export const postOf = (n: number): Post => {
  const [created, completed, scheduled] = shownSteps(n)
  const id = idOf(created?.stream ?? '')
  const eventId = idOf(scheduled?.stream ?? '')
  const transaction = { ...created?.data, ...completed?.data, status: 'C' } as Transaction
  return {
    body: JSON.stringify({ transaction: transactionRecord(id, transaction), event_id: eventId, test: false }),
    headers: {
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      'x-webhook-event-id': eventId,
      'x-webhook-signature': `t=1772445960,v1=${eventId}${eventId}`,
    },
  }
}
