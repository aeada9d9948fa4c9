import type { Ledger } from '../ledger.ts'
import type { Transfer } from '../ports.ts'
import { isRefusal, refuse } from '../refusal.ts'
import { isOpenTo, type OpenSet } from '../sell/challenge.ts'
import { challengeParts, type TransferData, transferId } from '../sell/challenge-terms.ts'
import { inStore } from '../sell/in-store.ts'
import { judge, NOT_THIS } from '../sell/judge.ts'
import type { SetAside } from '../sell/transfer.ts'
import { paysRequest } from './pays-request.ts'

/** What became of a confirmed transfer that was meant for a challenge. */
export type Outcome = 'settled' | 'underpaid' | 'late' | 'doubled'

/**
 * Books a confirmed transfer for the challenge it is meant for: it is claimed first, then the challenge settles (I-SET-01); money that
 * settles nothing is set aside (N-24). Every step is quiet when repeated, so whoever comes first (watcher, buyer, seller) and whoever
 * comes again end in one settlement (X-IDEM-04). Refuses `challenge-not-found`, `challenge-is-test`, `payment-not-matching`,
 * `transfer-taken`.
 */
export const settlePayment = async (ledger: Ledger, challengeId: string, transfer: TransferData): Promise<Outcome> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  if (set.settled[asset] === transferId(transfer)) return 'settled'
  if (set.underpaid[asset] === transferId(transfer)) return 'underpaid'
  const { judgement } = judge(set, asset, transfer)
  if (judgement === 'not-this') return refuse('payment-not-matching', NOT_THIS)
  const payment = { accountId: set.accountId, challengeId, asset, transfer }
  if (judgement === 'late') return setAside(ledger, set, payment, 'late')
  if (!isOpenTo(set, asset, transfer)) return setAside(ledger, set, payment, 'doubled')
  if (judgement === 'too-low') {
    await ledger.challenge.underpay(setId, { challengeId, asset, transfer })
    return 'underpaid'
  }
  await ledger.transfer.claim(transferId(transfer), payment)
  return finishSettlement(ledger, payment)
}

/** A transfer, the challenge it is meant for, and the seller whose money it is. */
export type Payment = { accountId: string; challengeId: string; asset: string; transfer: TransferData }

/** Settles the challenge that a transfer was claimed for, unless another one settled it, or its payment request, in between. */
export const finishSettlement = async (ledger: Ledger, payment: Payment): Promise<'settled' | 'doubled'> => {
  const { challengeId } = payment
  const { setId } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  if (!(await paysRequest(ledger, set, challengeId))) return setAside(ledger, set, payment, 'doubled')
  const settled = await settle(ledger, setId, payment)
  return settled ? 'settled' : setAside(ledger, set, payment, 'doubled')
}

/** False when another payment settled it first, or it is kept for another. */
const settle = async (ledger: Ledger, setId: string, { challengeId, asset, transfer }: Payment): Promise<boolean> => {
  try {
    const { state } = await ledger.challenge.settle(setId, { challengeId, asset, transfer })
    return state.status === 'open' && state.settled[asset] === transferId(transfer)
  } catch (error) {
    if (isRefusal(error, 'already-paid')) return false
    throw error
  }
}

const setAside = async <R extends SetAside>(
  ledger: Ledger,
  { entries, storeId }: OpenSet,
  payment: Payment,
  reason: R,
): Promise<R> => {
  const decimals = entries.find(({ asset }) => asset === payment.asset)?.decimals
  const data = { ...payment, ...inStore(storeId), ...(decimals !== undefined && { decimals }), reason }
  await ledger.transfer.setAside(transferId(payment.transfer), data)
  return reason
}

/** A transfer as an event keeps it: the amount as text. */
export const transferData = (transfer: Transfer): TransferData => ({ ...transfer, amount: String(transfer.amount) })
