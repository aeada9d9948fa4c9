import { gaslessFee } from '../fees.ts'
import { PLATFORM } from '../platform.ts'
import type { Policy } from '../policy.ts'

/** The gas of a signed payment, plus 21 %, is billed once, beside the platform fee (J-GAS-02, Q-12). */
export const billGas: Policy = {
  name: 'bill-gas',
  on: {
    AuthorizationGasSpent: async ({ order, data }, { ledger }) => {
      const fee = gaslessFee(BigInt(data.gasUsd))
      if (data.accountId === PLATFORM || fee === 0n) return
      await ledger.creditAccount.charge(data.accountId, {
        amount: String(fee),
        reason: 'gasless-fee',
        gasUsd: data.gasUsd,
        ref: data.challengeId,
        source: 'bill-gas',
        position: String(order),
      })
    },
    // A payment that its network has lost costs its seller nothing (N-24).
    AuthorizationReversed: async ({ order, data: { accountId, challengeId, gasUsd = '0' } }, { ledger }) => {
      const fee = gaslessFee(BigInt(gasUsd))
      if (accountId === PLATFORM || fee === 0n) return
      await ledger.creditAccount.grant(accountId, {
        amount: String(fee),
        reason: 'gas-returned',
        ref: challengeId,
        source: 'bill-gas',
        position: String(order),
      })
    },
  },
}
