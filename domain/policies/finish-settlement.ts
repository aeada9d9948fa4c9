import { finishSettlement as finish } from '../flows/settle-payment.ts'
import type { Policy } from '../policy.ts'
import { isRefusal } from '../refusal.ts'
import { transferId } from '../sell/challenge-terms.ts'

/**
 * A transfer that was claimed settles its challenge, also when the process died between the two. One that was taken
 * back since pays nothing until it is claimed anew.
 */
export const finishSettlement: Policy = {
  name: 'finish-settlement',
  on: {
    TransferClaimed: async ({ data }, { ledger }) => {
      const { challengeId, reversed } = await ledger.transfer.read(transferId(data.transfer))
      if (challengeId !== data.challengeId || reversed !== (data.again ?? 0)) return
      await finish(ledger, data).catch((error: unknown) => {
        if (!isRefusal(error, 'transfer-taken')) throw error
      })
    },
  },
}
