import type { Ledger } from '../ledger.ts'
import type { Transfer } from '../ports.ts'
import { refuse } from '../refusal.ts'
import { challengeParts, payable, type TransferData, transferId } from '../sell/challenge.ts'

/**
 * Settles a challenge by a confirmed transfer: the transfer is claimed first, then the challenge settles (I-SET-01). Both steps are quiet
 * when repeated, so whoever comes first (watcher, buyer, seller) and whoever comes again end in one settlement (X-IDEM-04).
 */
export const settlePayment = async (ledger: Ledger, challengeId: string, transfer: TransferData): Promise<void> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  if (set.settled[asset] !== undefined) return
  // A payment that could not settle this challenge must not be claimed for it either.
  payable(set, asset, transfer)
  await ledger.transfer.claim(transferId(transfer), { accountId: set.accountId, challengeId, asset, transfer })
  await ledger.challenge.settle(setId, { challengeId, asset, transfer })
}

/** A transfer as an event keeps it: the amount as text. */
export const transferData = (transfer: Transfer): TransferData => ({ ...transfer, amount: String(transfer.amount) })
