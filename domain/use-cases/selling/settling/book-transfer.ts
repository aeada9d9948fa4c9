import { usdAtStake, type VoiceCounter } from '../../../chains/second-voice.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { carriedOut } from '../../../selling/authorization-terms.ts'
import { isOpenTo } from '../../../selling/challenge-state.ts'
import { challengeParts, type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { judge, NOT_THIS } from '../../../selling/judge.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { keepIfThere } from '../stock/lend-pieces.ts'
import { knownOn, knownTransfer } from './known-transfer.ts'
import { readSet, setAside, settlePayment, type TransferOutcome } from './settle-payment.ts'

/** What became of a transfer, under the name that the ledger has it under. */
export type BookingResult = { transfer: TransferData } & (
  | { outcome: TransferOutcome }
  | { outcome: 'pending'; isEnough: boolean; confirmations: number; required: number }
)

/**
 * Books a transfer that is meant for a challenge as far as it is confirmed: noted while it lacks confirmations
 * (T-CHL-02), settled or set aside afterwards. A transfer that carried out an authorization pays the challenge that the
 * authorization was taken for, and no other. While a second provider has to confirm it and has not (`hear`), it waits
 * as if it lacked confirmations. Refuses as `settlePayment` does.
 */
export const bookTransfer = async (
  ledger: Ledger,
  challengeId: string,
  found: TransferData,
  confirmations: number,
  hear: VoiceCounter,
): Promise<BookingResult> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const known = await knownTransfer(ledger, found)
  const transfer = await knownOn(ledger, await readSet(ledger, setId, asset, known), asset, known)
  const set = await readSet(ledger, setId, asset, transfer)
  const signed = await authorizationOf(ledger, transfer)
  if (signed && signed.challengeId !== challengeId) return refuse('payment-not-matching', NOT_THIS)
  const { entry, judgement } = judge(set, asset, transfer)
  const waits = (judgement === 'pays' || judgement === 'adds') && isOpenTo(set, asset, transfer)
  const required = signed?.confirmations ?? entry.confirmations
  if (!waits) return { transfer, outcome: await settlePayment(ledger, challengeId, transfer) }
  if (confirmations >= required) {
    const voices = await hear({ transfer, usd: usdAtStake(set, entry, transfer), confirmations: required })
    if (voices !== undefined) return { transfer, outcome: await settlePayment(ledger, challengeId, transfer, voices) }
  }
  if (judgement === 'pays') await keepIfThere(ledger, { ...set, paymentId: challengeId, setId })
  const { state } = await ledger.challenge.detect(setId, { challengeId, asset, transfer, confirmations, required })
  // The challenge has settled meanwhile, or so many payments wait already that this one is not remembered.
  if (state.status === 'open' && !state.detected[asset]?.some(({ id }) => id === transferId(transfer)))
    return {
      transfer,
      outcome: await setAside(ledger, state, { accountId: state.accountId, challengeId, asset, transfer }, 'doubled'),
    }
  return { transfer, outcome: 'pending', isEnough: judgement === 'pays', confirmations, required }
}

/** The authorization that a transfer carried out, if it was taken here. */
export const authorizationOf = async (ledger: Ledger, transfer: TransferData) => {
  const id = carriedOut(transfer)
  if (id === undefined) return undefined
  const recent = await ledger.authorization.recent(id)
  // Another process may have taken it without this one knowing yet.
  const known = recent.status === 'none' ? await ledger.authorization.read(id) : recent
  return known.status === 'none' ? undefined : known
}

/** A payment that was seen and waits for confirmations. */
export type PendingPayment = { challengeId: string; transferId: string; tx: string; height: number; blockHash: string }
