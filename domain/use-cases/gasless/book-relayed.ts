import type { VoiceCounter } from '../../chains/second-voice.ts'
import type { RelayOutcome, RelayReceipt } from '../../gasless/relay.ts'
import { isFinal } from '../../kernel/refusal.ts'
import { transferId } from '../../selling/challenge-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { bookTransfer } from '../selling/settling/book-transfer.ts'
import { knownTransfer } from '../selling/settling/known-transfer.ts'
import { settleAuthorization } from './settle-authorization.ts'

/** Payments of one transaction that are booked at the same time. */
const AT_ONCE = 50

/**
 * Books what a relay transaction has brought about: the payments that it carried out, with their gas. Every step is
 * quiet when repeated.
 */
export const bookRelayed = async (
  ledger: Ledger,
  { network, block, outcomes }: RelayReceipt,
  hear: VoiceCounter,
): Promise<void> => {
  const head = Math.max(block, (await ledger.chainWatch.recent(network)).height)
  for (let n = 0; n < outcomes.length; n += AT_ONCE)
    await Promise.all(outcomes.slice(n, n + AT_ONCE).map((outcome) => book(ledger, outcome, head, hear)))
}

const book = async (ledger: Ledger, outcome: RelayOutcome, head: number, hear: VoiceCounter): Promise<void> => {
  const { authorizationId, gasUsd } = outcome
  const known = await ledger.authorization.recent(authorizationId)
  if (known.status === 'none') throw new Error(`something was carried out that was never taken: ${authorizationId}`)
  const isBooked = known.status === 'settled' && known.gasUsd !== undefined && known.tx === outcome.transfer?.tx
  if (!outcome.transfer || isBooked) return
  const transfer = await knownTransfer(ledger, outcome.transfer)
  const carried = { transferId: transferId(transfer), tx: transfer.tx }
  const gasBooked =
    gasUsd !== undefined && gasUsd !== '0' && ledger.authorization.spendGas(authorizationId, { ...carried, gasUsd })
  const booking = bookTransfer(ledger, known.challengeId, transfer, head - transfer.height + 1, hear)
  const [booked] = await Promise.allSettled([booking, gasBooked])
  await gasBooked
  // The payment stands in the chain and cannot be taken back: one that cannot be booked must not hold up the others.
  if (booked.status === 'rejected' && !isFinal(booked.reason)) throw booked.reason
  if (booked.status === 'rejected') return
  // A policy would do it too, one payment after the other, while the payers wait.
  if (booked.value.outcome === 'settled')
    await settleAuthorization(ledger, { challengeId: known.challengeId, transfer: booked.value.transfer })
}
