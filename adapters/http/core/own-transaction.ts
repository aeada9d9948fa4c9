import { refuse } from '../../../domain/kernel/refusal.ts'
import { isGone, storeOf, type Transaction } from '../../../domain/selling/transactions/transaction.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { mayUse } from './actor.ts'
import type { Actor } from './endpoint.ts'

/**
 * A transaction as the ledger has it. Refuses `transaction-not-found`, also for what was deleted, and what is not the
 * key's to see (X-TEN-01, J-AUTH-04).
 */
export const ownTransaction = async (ledger: Transactions, actor: Actor, id: string): Promise<Transaction> => {
  const found = await everOwn(ledger, actor, id)
  return isGone(found) ? notFound() : found
}

/** Also one that was deleted before. */
export const everOwn = async ({ transaction }: Transactions, actor: Actor, id: string): Promise<Transaction> => {
  const found = /^\d{1,20}$/.test(id) ? await transaction.read(id) : undefined
  if (!found || found.status === 'none') return notFound()
  return mayUse(actor, { ...found, storeId: storeOf(found) }) ? found : notFound()
}

type Transactions = Pick<Ledger, 'transaction'>

const notFound = () => refuse('transaction-not-found', 'No such transaction.')
