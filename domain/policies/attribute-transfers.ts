import { settlePayment } from '../flows/settle-payment.ts'
import type { Policy } from '../policy.ts'
import { Refusal } from '../refusal.ts'
import { holderOf } from '../sell/receive-address.ts'

/** A confirmed transfer whose exact amount an open challenge asks for settles it without a call (T-CHL-01, Q-55). */
export const attributeTransfers: Policy = {
  name: 'attribute-transfers',
  on: {
    TransfersSeen: async ({ data: { transfers } }, { ledger }) => {
      for (const transfer of transfers) {
        const { network, asset, to, amount, minedAt } = transfer
        const slots = await ledger.receiveAddress.read(`${network}:${asset}:${to}`)
        const challengeId = holderOf(slots, BigInt(amount), minedAt)
        if (challengeId === undefined) continue
        // A transfer that cannot settle (late, taken) is nobody's fault and must not hold up the others; one that only has to wait
        // for a contended stream is tried again.
        await settlePayment(ledger, challengeId, transfer).catch((error: unknown) => {
          if (!(error instanceof Refusal) || error.code === 'busy') throw error
        })
      }
    },
  },
}
