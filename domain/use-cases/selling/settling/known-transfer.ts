import type { OpenSet } from '../../../selling/challenge-state.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/**
 * The name that the ledger has a transfer under. In former releases the id of a token's transfer on an EVM chain ended
 * in the place of its log in its block; a reorganisation changes that place, so ids end otherwise now. What was booked,
 * set aside or seen under the former id keeps it, or an upgrade would book it once more.
 */

/**
 * A transfer under the one name that the ledger has it under, whoever found it: the former name where it was claimed or
 * set aside under that, else today's. A transfer with one name is answered as it is.
 */
export const knownTransfer = async (
  ledger: Ledger,
  { formerIndex, ...transfer }: TransferData,
): Promise<TransferData> => {
  if (formerIndex === undefined) return transfer
  const former = { ...transfer, index: formerIndex }
  const { transfer: booked } = await ledger.transfer.read(transferId(former))
  // After a reorganisation another transfer may have the place that this one had.
  const isBooked = booked && (booked.blockHash === transfer.blockHash || isAlike(booked, transfer))
  return isBooked ? former : transfer
}

/**
 * A known transfer under the name that a challenge has it under. The challenge also knows payments that wait for
 * confirmations, which nobody has claimed yet, and payments that a reorganisation has moved since they were booked
 * under their former name. An event of a former release may also tell of a payment that was booked under today's name
 * since.
 */
export const knownOn = async (
  ledger: Ledger,
  set: OpenSet,
  asset: string,
  transfer: TransferData,
): Promise<TransferData> => {
  const { detected, parts, settled } = set
  const seen = detected[asset] ?? []
  const booked = [settled[asset] ?? '', ...(parts[asset] ?? []).map(({ id }) => id)]
  const id = transferId(transfer)
  if (booked.includes(id) || seen.some((each) => each.id === id)) return transfer
  for (const other of booked) {
    const index = otherName(other, transfer)
    if (index === undefined) continue
    const { transfer: known } = await ledger.transfer.read(other)
    if (known && isAlike(known, transfer)) return { ...transfer, index }
  }
  for (const { id: other, amount } of seen) {
    const index = otherName(other, transfer)
    if (index !== undefined && amount === transfer.amount) return { ...transfer, index }
  }
  return transfer
}

/**
 * The transfer that a payment was seen as, under the name that it was seen under; undefined where it is not among them.
 * A former name means this transfer in that very block alone.
 */
export const sameAs = (
  { transferId: id, blockHash }: { readonly transferId: string; readonly blockHash: string },
  found: readonly TransferData[],
): TransferData | undefined => {
  for (const { formerIndex, ...transfer } of found) {
    if (transferId(transfer) === id) return transfer
    const former = { ...transfer, index: formerIndex ?? transfer.index }
    if (transferId(former) === id && transfer.blockHash === blockHash) return former
  }
  return undefined
}

/** The index of another id of the same transaction, when that id is from the other release than the transfer's own. */
const otherName = (id: string, { network, tx, index }: TransferData): string | undefined => {
  const transaction = `${network}:${tx}:`
  const other = id.startsWith(transaction) ? id.slice(transaction.length) : index
  return isPlaceInBlock(other) === isPlaceInBlock(index) ? undefined : other
}

const isPlaceInBlock = (index: string): boolean => /^\d+$/.test(index)

/** Whether two transfers of one transaction are alike: nobody can tell such two apart. */
const isAlike = (a: TransferData, b: TransferData): boolean =>
  a.asset === b.asset && a.from === b.from && a.to === b.to && a.amount === b.amount
