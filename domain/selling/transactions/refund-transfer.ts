import { decider } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import type { PaidCoin } from './coin-refund.ts'

/**
 * One movement of coins on a chain that gives a payment back, or sends money back that settled nothing. It gives back
 * one payment, once, for ever, whichever seller names it (J-TXN-06, N-68, N-102). The stream is `chain:tx:index`, as
 * that of a payment is.
 */

export type RefundTransferEvents = {
  /** This transfer gives back this payment, and no other. */
  RefundTransferClaimed: {
    accountId: string
    transactionId: string
    /** What was paid, in whose coin it was given back. */
    coin: PaidCoin
    transfer: TransferData
    /** The hash in the words of the seller who named it. */
    hash: string
    by: string
    /** Number of chain providers that reported the transfer; absent where nobody counted. */
    voices?: number
    /** How often it was taken back before; absent when it never was. */
    again?: number
  }
  /** Its block was replaced, and no other block has it: it gives nothing back until it is found again (N-24). */
  RefundTransferReversed: {
    accountId: string
    transactionId: string
    coin: PaidCoin
    transfer: TransferData
    hash: string
    reason: Reversal
    /** How often it was taken back by now. */
    times: number
  }
  /** This transfer sends that money back which settled nothing, and gives back nothing else. */
  ReturnTransferClaimed: {
    accountId: string
    /** The id of the transfer that is sent back. */
    returned: string
    transfer: TransferData
    /** The hash in the words of the seller who named it. */
    hash: string
    by: string
    /** Number of chain providers that reported the transfer; absent where nobody counted. */
    voices?: number
    /** How often it was taken back before; absent when it never was. */
    again?: number
  }
  /** Its block was replaced, and no other block has it. */
  ReturnTransferReversed: {
    accountId: string
    returned: string
    transfer: TransferData
    hash: string
    reason: Reversal
    /** How often it was taken back by now. */
    times: number
  }
}

export type RefundTransferCommands = {
  /** Refuses `transfer-taken` when it gives back another payment, or did so before it was taken back. */
  claim: Omit<RefundTransferEvents['RefundTransferClaimed'], 'again'>
  /** Refuses `transfer-taken` when it gives back anything else. */
  claimReturn: Omit<RefundTransferEvents['ReturnTransferClaimed'], 'again'>
  /**
   * `times`: how often it had been taken back when it was looked for in the chain. Does nothing when that has changed.
   */
  reverse: { reason: Reversal; times: number }
}

type RefundClaim = RefundTransferEvents['RefundTransferClaimed']
type ReturnClaim = RefundTransferEvents['ReturnTransferClaimed']

type State = {
  /** The payment that it gives back, or the transfer that it sends back; it never is another one's. */
  readonly transactionId: string | undefined
  readonly returned: string | undefined
  /** Undefined while it is not in the chain, as is `returnClaim`. */
  readonly claim: RefundClaim | undefined
  readonly returnClaim: ReturnClaim | undefined
  readonly reversed: number
}

export const refundTransfer = decider<RefundTransferEvents, RefundTransferCommands, State>({
  category: 'refundTransfer',
  stateVersion: 3,
  initial: { transactionId: undefined, returned: undefined, claim: undefined, returnClaim: undefined, reversed: 0 },
  decide: {
    claim: ({ transactionId, returned, claim, reversed }, data) => {
      if (returned !== undefined || (transactionId !== undefined && transactionId !== data.transactionId))
        return refuse('transfer-taken', OTHER_REFUND)
      if (claim) return []
      return [{ type: 'RefundTransferClaimed', data: reversed > 0 ? { ...data, again: reversed } : data }]
    },
    claimReturn: ({ transactionId, returned, returnClaim, reversed }, data) => {
      if (transactionId !== undefined || (returned !== undefined && returned !== data.returned))
        return refuse('transfer-taken', OTHER_REFUND)
      if (returnClaim) return []
      return [{ type: 'ReturnTransferClaimed', data: reversed > 0 ? { ...data, again: reversed } : data }]
    },
    reverse: ({ claim, returnClaim, reversed }, { reason, times }) => {
      if (reversed !== times) return []
      if (returnClaim) {
        const { accountId, returned, transfer, hash } = returnClaim
        const gone = { accountId, returned, transfer, hash, reason, times: times + 1 }
        return [{ type: 'ReturnTransferReversed', data: gone }]
      }
      if (!claim) return []
      const { accountId, transactionId, coin, transfer, hash } = claim
      const gone = { accountId, transactionId, coin, transfer, hash, reason, times: times + 1 }
      return [{ type: 'RefundTransferReversed', data: gone }]
    },
  },
  evolve: {
    RefundTransferClaimed: (state, claim) => ({ ...state, transactionId: claim.transactionId, claim }),
    RefundTransferReversed: (state, { times }) => ({ ...state, claim: undefined, reversed: times }),
    ReturnTransferClaimed: (state, returnClaim) => ({ ...state, returned: returnClaim.returned, returnClaim }),
    ReturnTransferReversed: (state, { times }) => ({ ...state, returnClaim: undefined, reversed: times }),
  },
})

/** What a refusal says of a transfer that is the refund of something else. */
export const OTHER_REFUND = 'hash: this chain transaction gives back another payment already; send that of this refund'
