import { billedForGas } from '../../gasless/authorization.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { Policy } from '../subscriber/policy.ts'

/**
 * The gas of a signed payment, plus 21 %, is billed once, beside the platform fee, and no more than was said when it
 * was offered (J-GAS-02, Q-12).
 */
export const billGas: Policy = {
  name: 'bill-gas',
  on: {
    AuthorizationGasSpent: async ({ order, data }, { ledger }) => {
      const amount = billedForGas(data)
      if (data.accountId === PLATFORM || amount === '0') return
      await ledger.creditAccount.charge(data.accountId, {
        amount,
        reason: 'gasless-fee',
        gasUsd: data.gasUsd,
        ref: data.challengeId,
        source: 'bill-gas',
        position: String(order),
      })
    },
    // A payment that its network has lost costs its seller nothing (N-24).
    AuthorizationReversed: async ({ order, data: { accountId, challengeId, billedUsd = '0' } }, { ledger }) => {
      if (accountId === PLATFORM || billedUsd === '0') return
      await ledger.creditAccount.grant(accountId, {
        amount: billedUsd,
        reason: 'gas-returned',
        ref: challengeId,
        source: 'bill-gas',
        position: String(order),
      })
    },
  },
}
