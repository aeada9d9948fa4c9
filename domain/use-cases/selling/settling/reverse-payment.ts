import { isRefusal } from '../../../kernel/refusal.ts'
import { challengeParts, type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { EventData } from '../../../write-side/deciders.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { finishSettlement, readSet } from './settle-payment.ts'

/** A payment as its own stream has it. */
type PaymentRecord = {
  readonly challengeId: string | undefined
  readonly taken: { readonly accountId: string; readonly asset: string } | undefined
  readonly aside: object | undefined
  readonly transfer: TransferData | undefined
  readonly matched: boolean
  readonly inBooks: boolean
  readonly holder: string | undefined
  readonly reversed: number
}

/**
 * Takes back a payment that is not in the chain any more: its own stream says so first, and everything else follows
 * from that (N-24). Quiet when that was done before, and when it was taken anew since `known` was read.
 */
export const reversePayment = async (ledger: Ledger, known: PaymentRecord): Promise<void> => {
  const { challengeId, taken, aside, transfer, matched, inBooks, holder, reversed } = known
  if (!taken || !transfer) return
  // The process that claimed it may have died before it booked it. What is taken back has to be in the books first.
  if (challengeId !== undefined && !aside)
    await finishSettlement(ledger, {
      ...taken,
      challengeId,
      transfer,
      ...(matched && { matched: true }),
      ...(inBooks && { inBooks: true }),
      ...(holder !== undefined && { holder }),
      ...(reversed > 0 && { again: reversed }),
    }).catch((error: unknown) => {
      // Another look was faster.
      if (!isRefusal(error, 'transfer-taken')) throw error
    })
  const { events } = await ledger.transfer.reverse(transferId(transfer), { reason: 'reorganised', times: reversed })
  for (const { data } of events) await finishReversal(ledger, data as EventData<'TransferReversed'>)
}

/**
 * Makes a challenge unpaid whose transfer was taken back, and the request that it was opened for. Quiet when repeated,
 * also after it was paid again.
 */
export const finishReversal = async (
  ledger: Ledger,
  { challengeId, transfer, aside }: Pick<EventData<'TransferReversed'>, 'challengeId' | 'transfer' | 'aside'>,
): Promise<void> => {
  const parts = challengeId === null || aside ? undefined : challengeParts(challengeId)
  if (!parts || challengeId === null) return
  const { paymentRequest, rounds } = await readSet(ledger, parts.setId, parts.asset, transfer)
  const round = (rounds[parts.asset] ?? 0) - 1
  if (paymentRequest && round >= 0) await ledger.paymentRequest.reopen(paymentRequest.requestId, { challengeId, round })
}
