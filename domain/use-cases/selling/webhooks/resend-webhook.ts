import type { World } from '../../../kernel/ports.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { isGone } from '../../../selling/transactions/transaction.ts'
import type { Attempt } from '../../../selling/webhooks/delivery.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import type { UseCaseContext } from '../../context.ts'
import { awaitDelivery } from './await-delivery.ts'
import { webhookOf } from './webhook-of.ts'

/**
 * Delivers the webhook of a completed payment once more, under an `event_id` of its own (Q-19, W-RTY-02), and waits for
 * the answer; undefined when that is not known yet. Refuses `transaction-not-found`, `state-forbids`, `no-webhook-url`.
 */
export const resendWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  transactionId: string,
): Promise<Attempt | undefined> => {
  const eventId = flow.world.secret(16)
  await scheduleResend(flow.ledger, eventId, { accountId, transactionId })
  return awaitDelivery(flow, eventId)
}

type ResendRequest = { readonly accountId: string; readonly transactionId: string; readonly run?: string }

/** Schedules it, unless there is one of that id. Refuses as `resendWebhook` does. */
export const scheduleResend = async (ledger: Ledger, eventId: string, resent: ResendRequest): Promise<void> => {
  const { accountId, transactionId } = resent
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.accountId !== accountId) return refuse('transaction-not-found')
  if (transaction.status !== 'C') return refuse('state-forbids', 'only a completed payment has a webhook to send')
  if (transaction.payoutId !== undefined) return refuse('state-forbids', 'no webhook tells of a payout')
  const { url, ...whose } = await webhookOf(ledger, transaction)
  if (url === undefined) return refuse('no-webhook-url', 'no webhook is configured')
  await ledger.delivery.schedule(eventId, { ...resent, url, ...whose, test: transaction.test, reason: 'resend' })
}

/**
 * The `event_id` under which a run sends a payment again: the same for the same run, so that what it has sent is known
 * to it.
 */
export const runEventId = (world: Pick<World, 'digest'>, run: string, transactionId: string): string =>
  world.digest(`delivery|${transactionId}|run|${run}`).slice(0, 32)
