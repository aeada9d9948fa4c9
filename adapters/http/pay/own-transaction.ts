import type { Ledger } from '../../../domain/ledger.ts'
import { refuse } from '../../../domain/refusal.ts'
import { DEFAULT_STORE } from '../../../domain/sell/in-store.ts'
import type { Transaction } from '../../../domain/sell/transaction.ts'
import { mayUse } from '../actor.ts'
import type { Actor } from '../endpoint.ts'

/** A transaction as the ledger has it. Refuses `transaction-not-found`, also for what is not the key's to see (X-TEN-01, J-AUTH-04). */
export const ownTransaction = async (
  { transaction }: Pick<Ledger, 'transaction'>,
  actor: Actor,
  id: string,
): Promise<Transaction> => {
  const found = /^\d{1,20}$/.test(id) ? await transaction.read(id) : undefined
  return found && found.status !== 'none' && mayUse(actor, { ...found, storeId: found.storeId ?? DEFAULT_STORE })
    ? found
    : refuse('transaction-not-found', 'No such transaction.')
}
