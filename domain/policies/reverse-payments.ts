import { finishReversal } from '../flows/reverse-payment.ts'
import type { Policy } from '../policy.ts'

/** A transfer that was taken back pays its challenge no longer, also when the process died between the two (N-24). */
export const reversePayments: Policy = {
  name: 'reverse-payments',
  on: {
    TransferReversed: ({ data }, { ledger }) => finishReversal(ledger, data),
  },
}
