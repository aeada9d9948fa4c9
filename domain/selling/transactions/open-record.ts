import { type Opener, openedText } from '../../kernel/opened-text.ts'
import { type Edits, isSealed, PERSONAL_KEYS } from './transaction-edits.ts'
import { type RecordSource, type TransactionRecord, transactionRecord } from './transaction-record.ts'

/** The record of a transaction with its sealed values opened, for whoever may read it. */
export const openRecord = async (vault: Opener, id: string, t: RecordSource): Promise<TransactionRecord> =>
  transactionRecord(id, {
    ...t,
    ...(t.edits && { edits: await openedEdits(vault, t.edits) }),
    ...(t.sealedDescription &&
      t.edits?.description === undefined && { description: await openedText(vault, t.sealedDescription) }),
    // Once nobody can open the buyer's number any more, the VAT details are shown without it.
    ...(t.sealedVatDetails && { vatDetails: (await vault.open(t.sealedVatDetails)) ?? t.vatDetails }),
  })

/** Whether the record has sealed values. */
export const holdsSealed = ({
  edits,
  sealedDescription,
  sealedVatDetails,
}: Pick<RecordSource, 'edits' | 'sealedDescription' | 'sealedVatDetails'>): boolean =>
  (edits ? isSealed(edits) : false) || Boolean(sealedDescription) || Boolean(sealedVatDetails)

export const openedEdits = async (vault: Opener, edits: Edits): Promise<Edits> => {
  const opened: Record<string, string> = { ...edits }
  for (const key of PERSONAL_KEYS) if (edits[key]) opened[key] = await openedText(vault, edits[key])
  return opened
}
