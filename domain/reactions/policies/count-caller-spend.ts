import { callerId } from '../../gasless/caller.ts'
import { carriedOut } from '../../selling/authorization-terms.ts'
import type { Policy } from '../subscriber/policy.ts'

/** What a payer has spent on a resource counts towards its cap, on whatever rail it was paid. Not every chain names one payer. */
export const countCallerSpend: Policy = {
  name: 'count-caller-spend',
  on: {
    ChallengeSettled: async ({ order, data }, { ledger }) => {
      const { accountId, resId, challengeId, amount, transfer, settledAt, test } = data
      if (resId === null || test || transfer.from === '') return
      await ledger.caller.spend(callerId(resId, transfer.from), {
        accountId,
        challengeId,
        authorizationId: carriedOut(transfer) ?? null,
        amount,
        at: settledAt,
        source: 'count-caller-spend',
        position: String(order),
      })
    },
    PaymentReversed: async ({ order, data }, { ledger }) => {
      const { accountId, resId, challengeId, amount, unsettled, test } = data
      if (resId === null || test || !unsettled || unsettled.payer === '') return
      await ledger.caller.unspend(callerId(resId, unsettled.payer), {
        accountId,
        challengeId,
        amount,
        source: 'count-caller-spend',
        position: String(order),
      })
    },
  },
}
