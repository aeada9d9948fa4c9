import { deletedOr, refuse } from '../../../kernel/refusal.ts'
import { openedEdits } from '../../../selling/transactions/open-record.ts'
import { isGone, type Transaction } from '../../../selling/transactions/transaction.ts'
import {
  type Edits,
  PERSONAL_KEYS,
  WRITABLE_KEYS,
  type WritableKey,
} from '../../../selling/transactions/transaction-edits.ts'
import { transactionRecord } from '../../../selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../context.ts'
import { type EditParts, followEdit } from './follow-edit.ts'

type Hand = { readonly transactionId: string; readonly by: string }

/**
 * Writes on a transaction by hand (M-TXN-10); answers it as it then stands. Personal values are sealed, and compared
 * unsealed, so that writing the same once more changes nothing. What asks for its payment follows. Refuses
 * `transaction-not-found`, and as `followEdit` does.
 */
export const editTransaction = async (
  flow: UseCaseContext,
  { transactionId, by }: Hand,
  values: { readonly [K in WritableKey]?: string | undefined },
  parts: EditParts,
): Promise<Transaction> => {
  const { ledger, vault } = flow
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction)) return refuse('transaction-not-found')
  const present = await openedEdits(vault, transaction.edits)
  const changes: Record<string, string> = {}
  for (const key of WRITABLE_KEYS) {
    const value = values[key]
    if (value === undefined || value === present[key]) continue
    const seals = value !== '' && PERSONAL_KEYS.includes(key)
    changes[key] = seals ? await vault.seal(transaction.accountId, value) : value
  }
  const worth = await followEdit(flow, transaction, unlikeShown(transaction, changes), parts)
  const { state } = await ledger.transaction.edit(transactionId, { changes: { ...changes, ...worth }, by })
  return isGone(state) ? refuse('transaction-not-found') : state
}

/** The changes without those that say what is shown already. */
const unlikeShown = (transaction: Transaction, changes: Record<string, string>): Edits => {
  const record: Readonly<Record<string, string | undefined>> = transactionRecord('', transaction)
  return Object.fromEntries(Object.entries(changes).filter(([key, value]) => value !== (record[key] ?? '')))
}

/**
 * Hides a transaction (M-TXN-12). Its payment request is withdrawn first, so that nobody pays for a deleted
 * transaction, also when this call breaks off before its end and has to be repeated.
 */
export const deleteTransaction = async ({ ledger }: UseCaseContext, { transactionId, by }: Hand): Promise<void> => {
  const transaction = await ledger.transaction.read(transactionId)
  if (transaction.status === 'none') return refuse('transaction-not-found')
  if (transaction.requestId !== undefined)
    await ledger.paymentRequest.withdraw(transaction.requestId, { reason: 'deleted' })
  deletedOr(await ledger.transaction.delete(transactionId, { by }), 'transaction-not-found')
}
