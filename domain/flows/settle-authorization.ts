import type { Ledger } from '../ledger.ts'
import { isRefusal } from '../refusal.ts'
import { type TransferData, transferId } from '../sell/challenge-terms.ts'

/** What a transfer carried out has settled, and keeps nothing back of its payer's balance any more. Both are quiet when repeated. */
export const settleAuthorization = async (ledger: Ledger, id: string, transfer: TransferData): Promise<void> => {
  const by = { transferId: transferId(transfer), tx: transfer.tx }
  await Promise.all([
    ledger.authorization.settle(id, by).catch((error: unknown) => {
      // One that was never taken here was carried out for somebody else.
      if (!isRefusal(error, 'authorization-unknown')) throw error
    }),
    ledger.payer.release(payerOf(id), { authorizationId: id, failed: false }),
  ])
}

/** The id of an authorization is its payer's, a colon and the nonce. */
export const payerOf = (id: string): string => id.slice(0, id.lastIndexOf(':'))
