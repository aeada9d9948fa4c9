import { isRefusal } from '../../kernel/refusal.ts'
import { carriedOut } from '../../selling/authorization-terms.ts'
import { challengeParts, type TransferData, transferId } from '../../selling/challenge-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/**
 * Settles the authorization that a transfer carried out, with the challenge that the transfer paid, and gives back what
 * it reserved of its payer's balance. An authorization that was taken for another challenge, after somebody else had
 * carried it out, has paid nothing there: it fails. Every step is quiet when repeated.
 */
export const settleAuthorization = async (
  ledger: Ledger,
  { challengeId, transfer }: { readonly challengeId: string; readonly transfer: TransferData },
): Promise<void> => {
  const id = carriedOut(transfer)
  if (id === undefined) return
  const { status } = await ledger.authorization.recent(id)
  // The transfer may have been taken back since; then it settles nothing any more.
  if (status === 'failed' && !(await stillSettles(ledger, challengeId, transfer))) return
  const isOver = status === 'settled'
  if (!isOver && !(await settled(ledger, id, { challengeId, transferId: transferId(transfer), tx: transfer.tx })))
    return
  // The release comes last, so that a call which reserves it again meanwhile finds it settled, and gives that back.
  await ledger.payer.release(payerOf(id), { authorizationId: id, failed: false, paid: true })
}

const stillSettles = async (ledger: Ledger, challengeId: string, transfer: TransferData): Promise<boolean> => {
  const { setId = '', asset = '' } = challengeParts(challengeId) ?? {}
  const set = await ledger.challenge.read(setId)
  return set.status === 'open' && set.settled[asset] === transferId(transfer)
}

/** False when it was taken for another challenge, and so has failed: a policy gives back what that kept. */
const settled = async (
  ledger: Ledger,
  id: string,
  by: { challengeId: string; transferId: string; tx: string },
): Promise<boolean> => {
  try {
    await ledger.authorization.settle(id, by)
    return true
  } catch (error) {
    // One that was never taken here was carried out for somebody else.
    if (isRefusal(error, 'authorization-unknown')) return true
    if (!isRefusal(error, 'transfer-taken')) throw error
    await ledger.authorization.fail(id, { reason: 'nonce-used' })
    return false
  }
}

/** The payer's id, from the id of an authorization, which is the payer's id, a colon and the nonce. */
export const payerOf = (id: string): string => id.slice(0, id.lastIndexOf(':'))
