import { pointsFor } from '../credit/billing.ts'
import { platformFee } from '../fees.ts'
import { PLATFORM } from '../platform.ts'
import type { Policy } from '../policy.ts'

/** Every live settlement is billed once: 0.2 % of its value from the seller's credit (I-FEE-01 to I-FEE-03). Test sales cost nothing, nor do top-ups. */
export const billSettlement: Policy = {
  name: 'bill-settlement',
  on: {
    ChallengeSettled: async ({ order, data }, { ledger }) => {
      const fee = platformFee(BigInt(data.usd))
      if (data.test || data.accountId === PLATFORM || fee === 0n) return
      const points = pointsFor(BigInt(data.usd))
      await ledger.creditAccount.charge(data.accountId, {
        amount: String(fee),
        ...(points > 0 && { points }),
        reason: 'platform-fee',
        ref: data.challengeId,
        source: 'bill-settlement',
        position: String(order),
      })
    },
  },
}
