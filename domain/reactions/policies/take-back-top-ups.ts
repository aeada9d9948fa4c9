import type { Policy } from '../subscriber/policy.ts'

const NAME = 'take-back-top-ups'

/** What a top-up had credited, and whose funds are not in their chain any more, leaves the user's balance again (N-24). */
export const takeBackTopUps: Policy = {
  name: NAME,
  on: {
    TopUpReversed: ({ order, data }, { ledger }) => {
      const { sub, transferId, ledgerRef, total: amount, clientId, topUpId } = data
      const terms = { transferId, ledgerRef, kind: 'top-up' as const, clientId, description: null, topUpId }
      return ledger.userBalance.takeBack(sub, {
        ...terms,
        from: 'platform',
        amount,
        source: NAME,
        position: String(order),
      })
    },
  },
}
