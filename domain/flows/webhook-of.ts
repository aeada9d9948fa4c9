import type { WebhookSlot } from '../account/webhook.ts'
import type { Transaction } from '../sell/transaction.ts'

/**
 * Where a payment is told: the transaction's own URL, else the agent slot for a payment of a resource (its reference starts `res_`), else
 * the account's (Q-01, W-URL-02). No URL, no delivery.
 */
export const webhookOf = (
  { webhookUrl, externalReference }: Pick<Transaction, 'webhookUrl' | 'externalReference'>,
  urls: { readonly [S in WebhookSlot]?: string | undefined },
): { slot: 'transaction' | WebhookSlot; url: string | undefined } => {
  if (webhookUrl) return { slot: 'transaction', url: webhookUrl }
  if (externalReference.startsWith('res_') && urls.agent) return { slot: 'agent', url: urls.agent }
  return { slot: 'account', url: urls.account }
}
