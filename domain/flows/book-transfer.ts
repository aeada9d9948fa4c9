import { carriedOut } from '../gasless/authorization-terms.ts'
import type { Ledger } from '../ledger.ts'
import type { Chain } from '../ports.ts'
import { isRefusal, refuse } from '../refusal.ts'
import { isOpenTo } from '../sell/challenge.ts'
import { challengeParts, type TransferData, transferId } from '../sell/challenge-terms.ts'
import { judge, NOT_THIS } from '../sell/judge.ts'
import { type Outcome, settlePayment, transferData } from './settle-payment.ts'

export type Booked =
  | { outcome: Outcome }
  | { outcome: 'pending'; isEnough: boolean; confirmations: number; required: number }

/**
 * Books a transfer that is meant for a challenge as far as it is confirmed: noted while it lacks confirmations (T-CHL-02), settled or set
 * aside afterwards. What carried out an authorization pays the challenge that this was taken for, and no other. Refuses as `settlePayment` does.
 */
export const bookTransfer = async (
  ledger: Ledger,
  challengeId: string,
  transfer: TransferData,
  confirmations: number,
): Promise<Booked> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  const signed = await authorizationOf(ledger, transfer)
  if (signed && signed.challengeId !== challengeId) return refuse('payment-not-matching', NOT_THIS)
  const { entry, judgement } = judge(set, asset, transfer)
  const waits = (judgement === 'pays' || judgement === 'too-low') && isOpenTo(set, asset, transfer)
  const required = signed?.confirmations ?? entry.confirmations
  if (!waits || confirmations >= required) return { outcome: await settlePayment(ledger, challengeId, transfer) }
  await ledger.challenge.detect(setId, { challengeId, asset, transfer, confirmations, required })
  return { outcome: 'pending', isEnough: judgement === 'pays', confirmations, required }
}

/** The authorization that a transfer carried out, if it was taken here. */
export const authorizationOf = async (ledger: Ledger, transfer: TransferData) => {
  const id = carriedOut(transfer)
  if (id === undefined) return undefined
  const recent = await ledger.authorization.recent(id)
  // What this process has not heard of yet, another one may have taken.
  const known = recent.status === 'none' ? await ledger.authorization.read(id) : recent
  return known.status === 'none' ? undefined : known
}

/** A payment that was seen and waits for confirmations. */
export type PendingPayment = { challengeId: string; transferId: string; tx: string; height: number; blockHash: string }

/**
 * Looks again at a payment that was seen: books it when it is deep enough, notes where it has moved to, or takes it back when its block is
 * not in the chain any more and it is in no other (N-24). A node that merely lags behind changes nothing.
 */
export const recheckPayment = async (
  ledger: Ledger,
  chain: Chain,
  seen: PendingPayment,
  head: number,
): Promise<void> => {
  const { setId, asset } = challengeParts(seen.challengeId) ?? refuse('challenge-not-found')
  const retract = () => ledger.challenge.retract(setId, { ...seen, asset })
  const found = (await chain.transfersOf(seen.tx))?.map(transferData)
  const same = found?.find((transfer) => transferId(transfer) === seen.transferId)
  if (same) {
    await bookTransfer(ledger, seen.challengeId, same, head - same.height + 1).catch((error: unknown) => {
      if (!isRefusal(error, 'transfer-taken')) throw error
      return retract()
    })
    return
  }
  if ((await chain.hashAt(seen.height)) === seen.blockHash) return
  await retract()
  // In another block its place is another one too; the transaction is the same, and so is what it pays.
  const set = await ledger.challenge.read(setId)
  const moved = found?.find((transfer) => set.status === 'open' && judge(set, asset, transfer).judgement !== 'not-this')
  if (moved) await bookTransfer(ledger, seen.challengeId, moved, head - moved.height + 1)
}
