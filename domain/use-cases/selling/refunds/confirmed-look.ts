import { addressClaimId, claimantOf } from '../../../account/address-claim.ts'
import type { Chain } from '../../../kernel/ports.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { OTHER_REFUND } from '../../../selling/transactions/refund-transfer.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import { knownTransfer } from '../settling/known-transfer.ts'

/** What refunds and returns have in common: which transfer is theirs, and when a chain has confirmed it. */

/** What a chain says of the transaction that is to give a payment back. */
export type RefundLook =
  | { readonly outcome: 'found'; readonly transfer: TransferData; readonly voices: number | undefined }
  /** It is not there yet, or lacks confirmations. `transfer` is what it carries, once that is known. */
  | {
      readonly outcome: 'pending'
      readonly transfer: TransferData | undefined
      readonly confirmations: number
      readonly required: number
    }

/** A transfer that a chain has, the confirmations that it needs, and its worth in millionths of a US dollar. */
type SeenTransfer = { readonly transfer: TransferData; readonly required: number; readonly usd: bigint }

/** Whether a transfer is confirmed as a payment would have to be. Refuses `unavailable` while no chain answers. */
export const confirmedLook = async (
  { secondVoice }: Pick<UseCaseContext, 'secondVoice'>,
  chain: Chain,
  { transfer, required, usd }: SeenTransfer,
): Promise<RefundLook> => {
  const { network } = transfer
  const { height: head } = await mustAnswer(network, chain.head())
  // A provider may still tell of a block that another one has replaced meanwhile.
  const block = await mustAnswer(network, chain.hashAt(transfer.height))
  if (block !== undefined && block !== transfer.blockHash)
    return { outcome: 'pending', transfer, confirmations: 0, required }
  const confirmations = Math.max(0, head - transfer.height + 1)
  if (confirmations < required) return { outcome: 'pending', transfer, confirmations, required }
  const voices = await secondVoice.heard({ transfer, usd, confirmations: required })
  // A provider that lies can invent a refund as well as a payment.
  if (voices === undefined) return { outcome: 'pending', transfer, confirmations: required, required }
  return { outcome: 'found', transfer, voices }
}

/** What a transfer was claimed for, as far as it was. */
type ClaimState = { readonly transactionId: string | undefined; readonly returned: string | undefined }

/**
 * The first of the transfers that is nobody else's: no other refund or return, no payment that the ledger knows, and
 * not sent from an address of another seller. Refuses `transfer-taken`.
 */
export const freeOne = async (
  ledger: Ledger,
  accountId: string,
  transfers: readonly TransferData[],
  isOwn: (claim: ClaimState) => boolean,
): Promise<TransferData> => {
  let why = OTHER_REFUND
  for (const { formerIndex: _, ...transfer } of transfers) {
    const claim = await ledger.refundTransfer.read(transferId(transfer))
    const isClaimed = claim.transactionId !== undefined || claim.returned !== undefined
    if (isClaimed && !isOwn(claim)) continue
    if (await isPayment(ledger, transfer))
      why = 'hash: this chain transaction is the payment of something else; send that of the refund'
    else if (await isOfAnother(ledger, accountId, transfer))
      why = 'hash: this chain transaction was sent from an address of another seller; send that of your refund'
    else return transfer
  }
  return refuse('transfer-taken', why)
}

const isPayment = async (ledger: Ledger, found: TransferData): Promise<boolean> => {
  const { taken } = await ledger.transfer.read(transferId(await knownTransfer(ledger, found)))
  return taken !== undefined
}

const isOfAnother = async (ledger: Ledger, accountId: string, { network, from, minedAt }: TransferData) => {
  const claim = await ledger.addressClaim.read(addressClaimId({ network, address: from }))
  const claimant = claimantOf(claim, minedAt)
  return claimant !== undefined && 'accountId' in claimant && claimant.accountId !== accountId
}
