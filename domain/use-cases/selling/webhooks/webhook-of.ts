import type { Vault } from '../../../kernel/ports.ts'
import { ownWebhookOf, storeOf, type Transaction } from '../../../selling/transactions/transaction.ts'
import { BUILT_IN_RECEIVER, type DeliveryEvents, type DeliverySlot } from '../../../selling/webhooks/delivery.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

type WebhookSubject = Pick<Transaction, 'accountId' | 'webhookUrl' | 'externalReference' | 'storeId' | 'edits' | 'test'>

/** The URL, and which setting named it; `storeId` says which store has it. */
export type Webhook = { slot: DeliverySlot; url: string | undefined; storeId?: number }

/**
 * The webhook that is told of a payment: the transaction's own URL, else its store's, else the agent slot for a payment
 * of a resource (its reference starts `res_`), else the account's (Q-01, W-URL-02), else, for a test, the built-in
 * receiver where the seller has chosen that (N-86). No URL, no delivery.
 */
export const webhookOf = async (ledger: Pick<Ledger, 'stores' | 'webhook'>, told: WebhookSubject): Promise<Webhook> => {
  const { accountId, externalReference } = told
  const own = ownWebhookOf(told)
  if (own) return { slot: 'transaction', url: own }
  const [{ stores }, { urls, receiver }] = await Promise.all([
    ledger.stores.recent(accountId),
    ledger.webhook.recent(accountId),
  ])
  const storeId = storeOf(told)
  const url = stores[storeId]?.webhookUrl
  if (url) return { slot: 'store', url, storeId }
  if (externalReference.startsWith('res_') && urls.agent) return { slot: 'agent', url: urls.agent }
  if (urls.account === undefined && told.test && receiver === 'built-in')
    return { slot: 'receiver', url: BUILT_IN_RECEIVER }
  return { slot: 'account', url: urls.account }
}

type DeliveryTarget = Pick<DeliveryEvents['DeliveryScheduled'], 'accountId' | 'slot' | 'storeId'>

/**
 * The secret that signs a delivery: the store's own where its URL is called, else the account's (Q-20, S-STO-02). A
 * delivery that was scheduled for a store which is gone by now is signed with the account's. Undefined when there is
 * none, or it was erased.
 */
export const signingKey = async (
  { ledger, vault }: { readonly ledger: Pick<Ledger, 'stores' | 'webhook'>; readonly vault: Vault },
  { accountId, slot, storeId }: DeliveryTarget,
): Promise<string | undefined> => {
  const store =
    slot === 'store' && storeId !== undefined ? (await ledger.stores.read(accountId)).stores[storeId] : undefined
  const sealed = store?.secret?.secret ?? (await ledger.webhook.read(accountId)).secret?.value
  return sealed && vault.open(sealed)
}

/** Whether the webhook that a delivery was scheduled for was cleared since. A URL that was changed does not count. */
export const isCleared = async (
  { webhook }: Pick<Ledger, 'webhook'>,
  { accountId, slot }: DeliveryTarget,
): Promise<boolean> => {
  if (slot !== 'account' && slot !== 'agent' && slot !== 'receiver') return false
  const { urls, receiver } = await webhook.read(accountId)
  return slot === 'receiver' ? receiver !== 'built-in' : urls[slot] === undefined
}
