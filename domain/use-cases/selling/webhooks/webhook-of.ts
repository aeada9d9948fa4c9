import { ownWebhookOf, storeOf, type Transaction } from '../../../selling/transactions/transaction.ts'
import type { DeliverySlot } from '../../../selling/webhooks/delivery.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

type WebhookSubject = Pick<Transaction, 'accountId' | 'webhookUrl' | 'externalReference' | 'storeId' | 'edits'>

/** The URL, and which setting named it; that of a store says whose. */
export type Webhook = { slot: DeliverySlot; url: string | undefined; storeId?: number }

/**
 * Where a payment is told: the transaction's own URL, else its store's, else the agent slot for a payment of a resource
 * (its reference starts `res_`), else the account's (Q-01, W-URL-02). No URL, no delivery.
 */
export const webhookOf = async (ledger: Pick<Ledger, 'stores' | 'webhook'>, told: WebhookSubject): Promise<Webhook> => {
  const { accountId, externalReference } = told
  const own = ownWebhookOf(told)
  if (own) return { slot: 'transaction', url: own }
  const [{ stores }, { urls }] = await Promise.all([ledger.stores.read(accountId), ledger.webhook.read(accountId)])
  const storeId = storeOf(told)
  const url = stores[storeId]?.webhookUrl
  if (url) return { slot: 'store', url, storeId }
  if (externalReference.startsWith('res_') && urls.agent) return { slot: 'agent', url: urls.agent }
  return { slot: 'account', url: urls.account }
}
