import { refuse } from '../refusal.ts'
import type { DeliveryEvents } from '../sell/delivery.ts'
import { isGone } from '../sell/transaction.ts'
import type { Flow } from './flow.ts'
import { webhookOf } from './webhook-of.ts'

/** How long a caller waits for the receiver: its own seven seconds, and one for the way there. */
const ANSWER_WAIT_MS = 8_000
const LOOK_EVERY_MS = 50

/** What the receiver answered; undefined when that is not known yet. */
type Attempt = Pick<DeliveryEvents['DeliveryFailed'], 'status' | 'reason' | 'bodyHead'> | undefined

/**
 * Delivers the webhook of a completed payment once more, under an `event_id` of its own (Q-19, W-RTY-02), and waits for the answer.
 * Refuses `transaction-not-found`, `state-forbids`, `no-webhook-url`.
 */
export const resendWebhook = async (flow: Flow, accountId: string, transactionId: string): Promise<Attempt> => {
  const { ledger, world } = flow
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.accountId !== accountId) return refuse('transaction-not-found')
  if (transaction.status !== 'C') return refuse('state-forbids', 'only a completed payment has a webhook to send')
  const { slot, url } = webhookOf(transaction, (await ledger.webhook.read(accountId)).urls)
  if (url === undefined) return refuse('no-webhook-url', 'no webhook is configured')
  const eventId = world.secret(16)
  const { test } = transaction
  await ledger.delivery.schedule(eventId, { accountId, transactionId, url, slot, test, reason: 'resend' })
  for (let waited = 0; waited < ANSWER_WAIT_MS; waited += LOOK_EVERY_MS) {
    await world.pause(LOOK_EVERY_MS)
    const delivery = await ledger.delivery.read(eventId)
    if (delivery.status === 'done') return delivery.outcome
  }
  return undefined
}
