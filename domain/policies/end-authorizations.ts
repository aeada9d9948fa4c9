import { payerOf, settleAuthorization } from '../flows/settle-authorization.ts'
import { callerId } from '../gasless/caller.ts'
import { idOf, type Policy } from '../policy.ts'
import { challengeParts } from '../sell/challenge-terms.ts'

/**
 * A signed payment that has settled, or failed, keeps nothing back any more: not of its payer's balance, not of a cap,
 * no challenge.
 */
export const endAuthorizations: Policy = {
  name: 'end-authorizations',
  on: {
    ChallengeSettled: ({ data }, { ledger }) => settleAuthorization(ledger, data),
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
