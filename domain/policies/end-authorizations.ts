import { carriedOut } from '../gasless/authorization-terms.ts'
import { callerId } from '../gasless/caller.ts'
import type { Ledger } from '../ledger.ts'
import { idOf, type Policy } from '../policy.ts'
import { isRefusal } from '../refusal.ts'
import { challengeParts, transferId } from '../sell/challenge-terms.ts'

/** A signed payment that has settled, or failed, keeps nothing back any more: not of its payer's balance, not of a cap, no challenge. */
export const endAuthorizations: Policy = {
  name: 'end-authorizations',
  on: {
    ChallengeSettled: async ({ data: { transfer } }, { ledger }) => {
      const id = carriedOut(transfer)
      if (id === undefined) return
      await settled(ledger, id, { transferId: transferId(transfer), tx: transfer.tx })
      await ledger.payer.release(payerOf(id), { authorizationId: id, failed: false })
    },
    AuthorizationFailed: async ({ stream, data }, { ledger }) => {
      const id = idOf(stream)
      const { accountId, resId, challengeId, payer } = data
      const parts = challengeParts(challengeId)
      if (parts) await ledger.challenge.release(parts.setId, { challengeId, asset: parts.asset, authorizationId: id })
      if (resId !== null) await ledger.caller.release(callerId(resId, payer), { accountId, authorizationId: id })
      await ledger.payer.release(payerOf(id), { authorizationId: id, failed: true })
    },
  },
}

/** One that was never taken here was carried out for somebody else. */
const settled = async (ledger: Ledger, id: string, by: { transferId: string; tx: string }): Promise<void> => {
  try {
    await ledger.authorization.settle(id, by)
  } catch (error) {
    if (!isRefusal(error, 'authorization-unknown')) throw error
  }
}

/** The id of an authorization is its payer's, a colon and the nonce. */
const payerOf = (id: string): string => id.slice(0, id.lastIndexOf(':'))
