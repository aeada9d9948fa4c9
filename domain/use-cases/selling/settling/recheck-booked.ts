import type { VoiceCounter } from '../../../chains/second-voice.ts'
import type { Network } from '../../../kernel/networks.ts'
import type { Chain, ChainHead, Transfer } from '../../../kernel/ports.ts'
import { carriedOut } from '../../../selling/authorization-terms.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { attributeFound } from './attribute-transfer.ts'
import { reversePayment } from './reverse-payment.ts'
import { transferData } from './settle-payment.ts'

/**
 * A payment that was booked, or set aside, or a refund that was found, in a block that may still be replaced. `gone`:
 * it was taken back.
 */
export type BookedPlace = {
  readonly transferId: string
  readonly tx: string
  readonly height: number
  readonly blockHash: string
  readonly gone: boolean
  /** Set when it gives a payment back. */
  readonly refund?: boolean
}

/** `height`: where it stands in the chain; undefined where it does not. `undecided`: nobody can say yet. */
export type RecheckResult =
  | { readonly undecided: true }
  | { readonly undecided: false; readonly height: number | undefined }

export type RecheckContext = {
  readonly ledger: Ledger
  readonly chain: Chain
  readonly network: Pick<Network, 'confirmations'>
  readonly head: ChainHead
  /** Counts the providers that have a payment which is booked anew. */
  readonly hear: VoiceCounter
  /** Whether a transfer that carried out an authorization may yet be mined, by whoever sends it. */
  mayCome(authorizationId: string, head: ChainHead): Promise<boolean>
}

const UNDECIDED: RecheckResult = { undecided: true }

/**
 * Looks whether a booked payment is still in the chain (N-24, N-25). A payment whose block was replaced, and that no
 * other block has, is taken back once the chain has grown by as many blocks more as a payment needs on its network: a
 * node that lags behind, or a block that is about to take the payment in, takes nothing back. A signed payment is not
 * taken back while it can still be carried out. A payment that was taken back and is there again is booked anew.
 */
export const recheckBooked = async (looking: RecheckContext, booked: BookedPlace): Promise<RecheckResult> => {
  const { ledger, chain, network, head } = looking
  const isThere = (await chain.hashAt(booked.height)) === booked.blockHash
  if (isThere && !booked.gone) return { undecided: false, height: booked.height }
  // This is read before the chain is asked, so that a payment which is booked anew meanwhile is not undone.
  const known = await ledger.transfer.read(booked.transferId)
  if (!known.transfer) return { undecided: false, height: undefined }
  const found = (await chain.transfersOf(booked.tx))?.find((each) => isSame(each, known.transfer))
  if (found) {
    if (!known.taken) await bookAnew(looking, booked.transferId, transferData(found))
    return { undecided: false, height: found.height }
  }
  if (isThere || head.height < booked.height + network.confirmations) return UNDECIDED
  if (!known.taken) return { undecided: false, height: undefined }
  const authorizationId = carriedOut(known.transfer)
  if (authorizationId !== undefined && (await looking.mayCome(authorizationId, head))) return UNDECIDED
  if (await isVouchedFor(chain, known.transfer)) return UNDECIDED
  await reversePayment(ledger, known)
  return { undecided: false, height: undefined }
}

/** Whether another provider has the payment where it was booked. A provider that hides a payment takes nothing back. */
export const isVouchedFor = async (chain: Chain, transfer: TransferData): Promise<boolean> => {
  const voices = await chain.voicesOf?.({ ...transfer, amount: BigInt(transfer.amount) }, 1)
  return voices !== undefined && voices.same.length > 0
}

/**
 * Whether two transfers are the same money, in whatever block. The id of a transfer from an earlier release names the
 * place of its log in its block, which another block changes.
 */
const isSame = (found: Transfer, known: TransferData | undefined): boolean =>
  known !== undefined &&
  (transferId(found) === transferId(known) ||
    (found.asset === known.asset &&
      found.from === known.from &&
      found.to === known.to &&
      String(found.amount) === known.amount))

const bookAnew = async ({ ledger, head, hear }: RecheckContext, id: string, found: TransferData): Promise<void> => {
  await ledger.transfer.restore(id, { blockHash: found.blockHash })
  await attributeFound(ledger, found, hear, head.height)
}
