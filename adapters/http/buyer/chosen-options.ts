import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { ChosenOption } from '../pages/buyer/receipt.ts'

/**
 * What a buyer chose among what the seller offers (S-FLD-04). Whoever has the link sees the receipt, so nothing stands
 * there that a buyer has typed: an answer is shown when it is one of the options of a field that the seller has.
 */
export const chosenOptions = async (
  { ledger, vault }: UseCaseContext,
  accountId: string,
  transactionId: string | null | undefined,
): Promise<readonly ChosenOption[]> => {
  const transaction = transactionId ? await ledger.transaction.read(transactionId) : undefined
  if (!transaction || transaction.status === 'none' || !transaction.sealedDescription) return []
  if (transaction.edits.description !== undefined) return []
  const lines = new Set((await vault.open(transaction.sealedDescription))?.split('\n') ?? [])
  const { fields } = await ledger.customFields.recent(accountId)
  return fields.flatMap(({ type, label, options }) => {
    if (type !== 'select') return []
    const value = options.find((option) => lines.has(`${label}: ${option}`))
    return value === undefined ? [] : [{ label, value }]
  })
}
