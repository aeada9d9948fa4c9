import { finishSettlement as finish } from '../flows/settle-payment.ts'
import type { Policy } from '../policy.ts'

/** A transfer that was claimed settles its challenge, also when the process died between the two. */
export const finishSettlement: Policy = {
  name: 'finish-settlement',
  on: {
    TransferClaimed: ({ data }, { ledger }) => finish(ledger, data),
  },
}
