import { refuse } from '../../../domain/kernel/refusal.ts'
import { isGone, isTestRecord, storeOf, type Transaction } from '../../../domain/selling/transactions/transaction.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { mayUse } from './actor.ts'
import type { Actor } from './endpoint.ts'

/**
 * A transaction as the ledger has it. Refuses `transaction-not-found`, also for one that was deleted, or that the key
 * may not see (X-TEN-01, J-AUTH-04).
 */
export const ownTransaction = async (ledger: Transactions, actor: Actor, id: string): Promise<Transaction> => {
  const found = await everOwn(ledger, actor, id)
  return isGone(found) ? notFound() : found
}

/** A transaction that the key may see, also one that was deleted before. Refuses `transaction-not-found`. */
export const everOwn = async ({ transaction }: Transactions, actor: Actor, id: string): Promise<Transaction> => {
  const found = /^\d{1,20}$/.test(id) ? await transaction.read(id) : undefined
  if (!found || found.status === 'none') return notFound()
  return mayUse(actor, { ...found, test: isTestRecord(found), storeId: storeOf(found) }) ? found : notFound()
}

/**
 * Lets a key write on a transaction that it sees. A sandbox key sees a live payment whose record its seller has called
 * a test, and changes nothing of it: refuses `state-forbids`.
 */
export const mayChange = <T extends Transaction>(actor: Actor, found: T): T =>
  actor.testOnly && !found.test ? refuse('state-forbids', LIVE_MONEY) : found

const LIVE_MONEY =
  'transaction_id: its record says that it is a test, but its payment is a live one. Use a live key to change it.'

type Transactions = Pick<Ledger, 'transaction'>

const notFound = () => refuse('transaction-not-found')
