import { isRefusal } from '../../kernel/refusal.ts'
import { noteRefund } from '../../use-cases/selling/refunds/refund-payment.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A transfer that was claimed as a refund stands on its transaction, also when the process died between the two. */
export const finishRefunds: Policy = {
  name: 'finish-refunds',
  on: {
    RefundTransferClaimed: async ({ data }, { ledger }) => {
      await noteRefund(ledger, data).catch((error: unknown) => {
        // The payment was given back by as many transfers as are noted of one.
        if (!isRefusal(error, 'state-forbids')) throw error
      })
    },
  },
}
