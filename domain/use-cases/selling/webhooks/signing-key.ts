import type { Vault } from '../../../kernel/ports.ts'
import type { DeliveryEvents } from '../../../selling/webhooks/delivery.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

type DeliveryTarget = Pick<DeliveryEvents['DeliveryScheduled'], 'accountId' | 'slot' | 'storeId'>

/**
 * What signs a delivery: the store's own secret where its URL is called, else the account's (Q-20, S-STO-02). What was
 * scheduled for a store that is gone by now is signed with the account's. Undefined when there is none, or it was
 * erased.
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
