import { decider } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
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
  }
}

export type RefundTransferCommands = {
  /** Refuses `transfer-taken` when it gives back another payment. */
  claim: RefundTransferEvents['RefundTransferClaimed']
}

type State = { readonly transactionId: string | undefined }

export const refundTransfer = decider<RefundTransferEvents, RefundTransferCommands, State>({
  category: 'refundTransfer',
  stateVersion: 1,
  initial: { transactionId: undefined },
  decide: {
    claim: ({ transactionId }, data) => {
      if (transactionId === undefined) return [{ type: 'RefundTransferClaimed', data }]
      return transactionId === data.transactionId ? [] : refuse('transfer-taken', OTHER_REFUND)
    },
  },
  evolve: {
    RefundTransferClaimed: (_, { transactionId }) => ({ transactionId }),
  },
})

/** What a refusal says of a transfer that is the refund of something else. */
export const OTHER_REFUND = 'hash: this chain transaction gives back another payment already'
