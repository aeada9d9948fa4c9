import { isRefusal } from '../../kernel/refusal.ts'
import { transferId } from '../../selling/challenge-terms.ts'
import { finishSettlement as finish } from '../../use-cases/selling/settling/settle-payment.ts'
import type { Policy } from '../subscriber/policy.ts'

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
