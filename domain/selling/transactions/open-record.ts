import { type Opener, openedText } from '../../kernel/opened-text.ts'
import { type Edits, isSealed, PERSONAL_KEYS } from './transaction-edits.ts'
import { type RecordSource, type TransactionRecord, transactionRecord } from './transaction-record.ts'

/** The record of a transaction for whoever may read it, with what is sealed in it opened. */
export const openRecord = async (vault: Opener, id: string, t: RecordSource): Promise<TransactionRecord> =>
  transactionRecord(id, {
    ...t,
    ...(t.edits && { edits: await openedEdits(vault, t.edits) }),
    ...(t.sealedDescription &&
      t.edits?.description === undefined && { description: await openedText(vault, t.sealedDescription) }),
    // What the tax rests on is told without the buyer's number once nobody can read that any more.
    ...(t.sealedVatDetails && { vatDetails: (await vault.open(t.sealedVatDetails)) ?? t.vatDetails }),
  })

/** Whether some of what its record tells is sealed. */
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
