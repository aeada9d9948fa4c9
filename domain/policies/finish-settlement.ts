import type { Policy } from '../policy.ts'
import { challengeParts } from '../sell/challenge.ts'

/** A transfer that was claimed settles its challenge, also when the process died between the two. */
export const finishSettlement: Policy = {
  name: 'finish-settlement',
  on: {
    TransferClaimed: async ({ data: { challengeId, asset, transfer } }, { ledger }) => {
      const parts = challengeParts(challengeId)
      if (parts) await ledger.challenge.settle(parts.setId, { challengeId, asset, transfer })
    },
  },
}
