import { refuse } from '../refusal.ts'
import type { Attempt } from '../sell/delivery.ts'
import { isGone } from '../sell/transaction.ts'
import { awaitDelivery } from './await-delivery.ts'
import type { Flow } from './flow.ts'
import { webhookOf } from './webhook-of.ts'

/**
 * Delivers the webhook of a completed payment once more, under an `event_id` of its own (Q-19, W-RTY-02), and waits for the answer; undefined
 * when that is not known yet. Refuses `transaction-not-found`, `state-forbids`, `no-webhook-url`.
 */
export const resendWebhook = async (
  flow: Flow,
  accountId: string,
  transactionId: string,
): Promise<Attempt | undefined> => {
  const { ledger, world } = flow
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.accountId !== accountId) return refuse('transaction-not-found')
  if (transaction.status !== 'C') return refuse('state-forbids', 'only a completed payment has a webhook to send')
  const { url, ...whose } = await webhookOf(ledger, transaction)
  if (url === undefined) return refuse('no-webhook-url', 'no webhook is configured')
  const eventId = world.secret(16)
  const { test } = transaction
  await ledger.delivery.schedule(eventId, { accountId, transactionId, url, ...whose, test, reason: 'resend' })
  return awaitDelivery(flow, eventId)
}
