import { authorizationOf, bookTransfer } from '../flows/book-transfer.ts'
import type { Ledger } from '../ledger.ts'
import type { Policy } from '../policy.ts'
import { Refusal } from '../refusal.ts'
import { type TransferData, transferId } from '../sell/challenge-terms.ts'
import { formerHolderOf, holderOf, ownersOf, receiveAddressId } from '../sell/receive-address.ts'

/**
 * A transfer that carried out an authorization pays what this was taken for, also when somebody else than the relayer sent it. Another one
 * to an address, or of an amount, that stands for one challenge pays it without a call (T-CHL-01, Q-55). One that stands for
 * none is nobody's by guess: it is set aside for the seller whose address it came to.
 */
export const attributeTransfers: Policy = {
  name: 'attribute-transfers',
  on: {
    TransfersSeen: async ({ data: { transfers, head } }, { ledger }) => {
      for (const transfer of transfers) {
        const { network, asset, to, amount, minedAt } = transfer
        const address = await ledger.receiveAddress.read(receiveAddressId({ network, coin: asset, to }))
        const signed = await authorizationOf(ledger, transfer)
        if (signed) {
          if (signed.status !== 'settled') await book(ledger, signed.challengeId, transfer, head)
          continue
        }
        const units = BigInt(amount)
        const challengeId = holderOf(address, units, minedAt) ?? formerHolderOf(address, units, minedAt)
        if (challengeId === undefined) await setAside(ledger, transfer, ownersOf(address))
        else await book(ledger, challengeId, transfer, head)
      }
    },
  },
}

/**
 * A transfer that cannot be booked (taken, of a challenge that never came to be) is nobody's fault and must not hold up the others; one
 * that only has to wait for a contended stream is tried again.
 */
const book = async (ledger: Ledger, challengeId: string, transfer: TransferData, head = Number.MAX_SAFE_INTEGER) => {
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
