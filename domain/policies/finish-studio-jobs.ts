import type { Policy } from '../policy.ts'
import { idOf } from '../stream-id.ts'

/** A work whose fee lies in escrow is made, also when whoever ordered it broke off right then. */
export const finishStudioJobs: Policy = {
  name: 'finish-studio-jobs',
  on: {
    GameUnitsStaked: async ({ stream, data }, { ledger }) => {
      if (data.for.kind !== 'studio') return
      const { jti, order } = data.for
      await ledger.gameStudioJob.order(jti, { ...order, member: idOf(stream), linkId: data.linkId })
    },
  },
}
