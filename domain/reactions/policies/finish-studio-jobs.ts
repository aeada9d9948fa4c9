import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

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
