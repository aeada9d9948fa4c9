import type { Ledger } from '../ledger.ts'
import { Refusal } from '../refusal.ts'
import { type TransferData, transferId } from '../sell/challenge-terms.ts'
import { formerHolderOf, holderOf, ownersOf, receiveAddressId } from '../sell/receive-address.ts'
import { authorizationOf, bookTransfer } from './book-transfer.ts'

/**
 * Whose payment a transfer is that was found on the chain, whoever found it; and books it. One that carried out an authorization pays what
 * this was taken for, also when somebody else than the relayer sent it. Another one to an address, or of an amount, that stands for one
 * challenge pays it without a call (T-CHL-01, Q-55). One that stands for none is nobody's by guess: it is set aside for the seller whose
 * address it came to. `head` is the height of the chain; without it the transfer counts as confirmed.
 */
export const attributeTransfer = async (
  ledger: Ledger,
  transfer: TransferData,
  head = Number.MAX_SAFE_INTEGER,
): Promise<void> => {
  const { network, asset, to, amount, minedAt } = transfer
  const address = await ledger.receiveAddress.read(receiveAddressId({ network, coin: asset, to }))
  const signed = await authorizationOf(ledger, transfer)
  if (signed) {
    if (signed.status !== 'settled') await book(ledger, signed.challengeId, transfer, head)
    return
  }
  const units = BigInt(amount)
  const challengeId = holderOf(address, units, minedAt) ?? formerHolderOf(address, units, minedAt)
  if (challengeId === undefined) await setAside(ledger, transfer, ownersOf(address))
  else await book(ledger, challengeId, transfer, head)
}

/**
 * A transfer that cannot be booked (taken, of a challenge that never came to be) is nobody's fault and must not hold up the others; one
 * that only has to wait for a contended stream is tried again.
 */
const book = async (ledger: Ledger, challengeId: string, transfer: TransferData, head: number) => {
  await bookTransfer(ledger, challengeId, transfer, head - transfer.height + 1).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.code === 'busy' || error.code === 'unavailable') throw error
  })
}

const setAside = async (ledger: Ledger, transfer: TransferData, owners: readonly string[]) => {
  const [accountId, ...others] = owners
  // Two sellers with one address: whose money it is, the log does not know.
  if (accountId === undefined || others.length > 0) return
  const { asset } = transfer
  await ledger.transfer.setAside(transferId(transfer), {
    accountId,
    challengeId: null,
    asset,
    reason: 'unmatched',
    transfer,
  })
}
