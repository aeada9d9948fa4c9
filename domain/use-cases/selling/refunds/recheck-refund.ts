import type { Chain } from '../../../kernel/ports.ts'
import { isRefusal } from '../../../kernel/refusal.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { EventData } from '../../../write-side/deciders.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { type BookedPlace, isVouchedFor, type RecheckContext, type RecheckResult } from '../settling/recheck-booked.ts'
import { noteRefund } from './refund-payment.ts'
import { noteReturn, unsendReturn } from './return-transfer.ts'

const UNDECIDED: RecheckResult = { undecided: true }

/**
 * Looks whether a refund that was found is still in the chain. One whose block was replaced, and that no other block
 * has, is taken back after as many blocks, and on the word of as many providers, as a payment is (N-24, N-68). One that
 * was taken back is found again by the clock, which looks for it as for any refund that a seller has named.
 */
export const recheckRefund = async (
  { ledger, chain, network, head }: Pick<RecheckContext, 'ledger' | 'chain' | 'network' | 'head'>,
  place: BookedPlace,
): Promise<RecheckResult> => {
  const isThere = (await chain.hashAt(place.height)) === place.blockHash
  if (isThere && !place.gone) return { undecided: false, height: place.height }
  // This is read before the chain is asked, so that a refund which is found again meanwhile is not undone.
  const known = await ledger.refundTransfer.read(place.transferId)
  const found = await standing(chain, place)
  if (found) return { undecided: false, height: found.height }
  if (isThere || head.height < place.height + network.confirmations) return UNDECIDED
  const claim = known.claim ?? known.returnClaim
  if (!claim) return { undecided: false, height: undefined }
  if (await isVouchedFor(chain, claim.transfer)) return UNDECIDED
  if (known.claim) await reverseRefund(ledger, known.claim, known.reversed)
  else if (known.returnClaim) await reverseReturn(ledger, known.returnClaim, known.reversed)
  return { undecided: false, height: undefined }
}

const standing = async (chain: Chain, { tx, transferId: id }: BookedPlace) =>
  (await chain.transfersOf(tx))?.find((each) => transferId(each) === id)

/** Takes back a refund that is not in its chain any more. Quiet when that was done since `claim` was read. */
const reverseRefund = async (
  ledger: Ledger,
  claim: EventData<'RefundTransferClaimed'> & { readonly transfer: TransferData },
  reversed: number,
): Promise<void> => {
  // The process that claimed it may have died before it noted it. What is taken back has to be in the books first.
  await noteRefund(ledger, { ...claim, again: reversed }).catch((error: unknown) => {
    // The payment was given back by as many transfers as are noted of one.
    if (!isRefusal(error, 'state-forbids')) throw error
  })
  const id = transferId(claim.transfer)
  const { events } = await ledger.refundTransfer.reverse(id, { reason: 'reorganised', times: reversed })
  for (const { data } of events) await unsendRefund(ledger, data as EventData<'RefundTransferReversed'>)
}

/** The same for money that settled nothing and was sent back (N-102). */
const reverseReturn = async (
  ledger: Ledger,
  claim: EventData<'ReturnTransferClaimed'>,
  reversed: number,
): Promise<void> => {
  await noteReturn(ledger, { ...claim, again: reversed })
  const id = transferId(claim.transfer)
  const { events } = await ledger.refundTransfer.reverse(id, { reason: 'reorganised', times: reversed })
  for (const { data } of events) await unsendReturn(ledger, data as EventData<'ReturnTransferReversed'>)
}

/**
 * Notes on the transaction that a transfer gives nothing back any more. Quiet when repeated, and once it does again.
 */
export const unsendRefund = (
  ledger: Ledger,
  { transactionId, coin, transfer, hash, reason, times }: EventData<'RefundTransferReversed'>,
) => ledger.transaction.unsend(transactionId, { coin, transfer, hash, reason, times })
