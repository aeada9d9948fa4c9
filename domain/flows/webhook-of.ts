import type { WebhookSlot } from '../account/webhook.ts'
import { ownWebhookOf, type Transaction } from '../sell/transaction.ts'

/**
 * Where a payment is told: the transaction's own URL, else the agent slot for a payment of a resource (its reference starts `res_`), else
 * the account's (Q-01, W-URL-02). No URL, no delivery.
 */
export const webhookOf = (
  transaction: Pick<Transaction, 'webhookUrl' | 'externalReference' | 'edits'>,
  urls: { readonly [S in WebhookSlot]?: string | undefined },
): { slot: 'transaction' | WebhookSlot; url: string | undefined } => {
  const own = ownWebhookOf(transaction)
  if (own) return { slot: 'transaction', url: own }
  if (transaction.externalReference.startsWith('res_') && urls.agent) return { slot: 'agent', url: urls.agent }
  return { slot: 'account', url: urls.account }
}
