import { decider } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import type { PaidCoin } from './coin-refund.ts'

/**
 * One movement of coins on a chain that gives a payment back. It gives back one payment, once, for ever, whichever
 * seller names it (J-TXN-06, N-68). The stream is `chain:tx:index`, as that of a payment is.
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
}

export type RefundTransferCommands = {
  /** Refuses `transfer-taken` when it gives back another payment, or did so before it was taken back. */
  claim: Omit<RefundTransferEvents['RefundTransferClaimed'], 'again'>
  /**
   * `times`: how often it had been taken back when it was looked for in the chain. Does nothing when that has changed.
   */
  reverse: { reason: Reversal; times: number }
}

type RefundClaim = RefundTransferEvents['RefundTransferClaimed']

type State = {
  /** The payment that it gives back; it never is another one's. */
  readonly transactionId: string | undefined
  /** Undefined while it is not in the chain. */
  readonly claim: RefundClaim | undefined
  readonly reversed: number
}

export const refundTransfer = decider<RefundTransferEvents, RefundTransferCommands, State>({
  category: 'refundTransfer',
  stateVersion: 2,
  initial: { transactionId: undefined, claim: undefined, reversed: 0 },
  decide: {
    claim: ({ transactionId, claim, reversed }, data) => {
      if (transactionId !== undefined && transactionId !== data.transactionId)
        return refuse('transfer-taken', OTHER_REFUND)
      if (claim) return []
      return [{ type: 'RefundTransferClaimed', data: reversed > 0 ? { ...data, again: reversed } : data }]
    },
    reverse: ({ claim, reversed }, { reason, times }) => {
      if (!claim || reversed !== times) return []
      const { accountId, transactionId, coin, transfer, hash } = claim
      const gone = { accountId, transactionId, coin, transfer, hash, reason, times: times + 1 }
      return [{ type: 'RefundTransferReversed', data: gone }]
    },
  },
  evolve: {
    RefundTransferClaimed: ({ reversed }, claim) => ({ transactionId: claim.transactionId, claim, reversed }),
    RefundTransferReversed: (state, { times }) => ({ ...state, claim: undefined, reversed: times }),
  },
})

/** What a refusal says of a transfer that is the refund of something else. */
export const OTHER_REFUND = 'hash: this chain transaction gives back another payment already; send that of this refund'
