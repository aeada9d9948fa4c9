import { PLATFORM } from '../platform.ts'
import type { Policy } from '../policy.ts'

/** A top-up that was paid raises the seller's credit by exactly what was asked for, once (I-CRD-02). */
export const grantTopUp: Policy = {
  name: 'grant-top-up',
  on: {
    ChallengeSettled: async ({ order, data: { accountId, challengeId, paymentRequest } }, { ledger }) => {
      if (accountId !== PLATFORM || !paymentRequest) return
      const request = await ledger.paymentRequest.read(paymentRequest.requestId)
      if (request.status === 'none' || !request.topUp || request.paidBy !== challengeId) return
      await ledger.creditAccount.grant(request.topUp.accountId, {
        amount: request.topUp.amount,
        reason: 'top-up',
        ref: paymentRequest.requestId,
        source: 'grant-top-up',
        position: String(order),
      })
    },
  },
}
