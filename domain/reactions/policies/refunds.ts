import { isRefusal } from '../../kernel/refusal.ts'
import { transferId } from '../../selling/challenge-terms.ts'
import { unsendRefund } from '../../use-cases/selling/refunds/recheck-refund.ts'
import { noteRefund } from '../../use-cases/selling/refunds/refund-payment.ts'
import { noteReturn, unsendReturn } from '../../use-cases/selling/refunds/return-transfer.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * A transfer that was claimed as a refund stands on its transaction, as a return does on the money that it sends back,
 * and one that its chain has lost does not, also when the process died between the two.
 */
export const finishRefunds: Policy = policy({
  name: 'finish-refunds',
  // Transfers are noted on what they give back in the order in which they were claimed, and each is claimed before it
  // is taken back.
  keys: {
    RefundTransferClaimed: ({ stream, data }) => [stream, data.transactionId],
    RefundTransferReversed: ({ stream, data }) => [stream, data.transactionId],
    ReturnTransferClaimed: ({ stream, data }) => [stream, data.returned],
    ReturnTransferReversed: ({ stream, data }) => [stream, data.returned],
  },
  on: {
    RefundTransferClaimed: async ({ data }, { ledger }) => {
      const { reversed } = await ledger.refundTransfer.read(transferId(data.transfer))
      if (reversed !== (data.again ?? 0)) return
      await noteRefund(ledger, data).catch((error: unknown) => {
        // The payment was given back by as many transfers as are noted of one.
        if (!isRefusal(error, 'state-forbids')) throw error
      })
    },
    RefundTransferReversed: async ({ data }, { ledger }) => {
      await unsendRefund(ledger, data)
    },
    ReturnTransferClaimed: async ({ data }, { ledger }) => {
      const { reversed } = await ledger.refundTransfer.read(transferId(data.transfer))
      if (reversed === (data.again ?? 0)) await noteReturn(ledger, data)
    },
    ReturnTransferReversed: async ({ data }, { ledger }) => {
      await unsendReturn(ledger, data)
    },
  },
})
