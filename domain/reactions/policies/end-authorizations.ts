import { callerId } from '../../gasless/caller.ts'
import { idOf } from '../../kernel/stream-id.ts'
import { carriedOut } from '../../selling/authorization-terms.ts'
import { isClosed } from '../../selling/challenge-state.ts'
import { challengeParts, transferId } from '../../selling/challenge-terms.ts'
import { payerOf, settleAuthorization } from '../../use-cases/gasless/settle-authorization.ts'
import type { Policy } from '../subscriber/policy.ts'

/**
 * A signed payment that has settled, or failed, keeps nothing back any more: not of its payer's balance, not of a cap,
 * no challenge.
 */
export const endAuthorizations: Policy = {
  name: 'end-authorizations',
  on: {
    ChallengeSettled: ({ data }, { ledger }) => settleAuthorization(ledger, data),
    SettlementMoved: async ({ data: { from, transfer } }, { ledger }) => {
      const id = carriedOut(transfer)
      if (id === undefined) return
      await ledger.authorization.move(id, { from: from.tx, transferId: transferId(transfer), tx: transfer.tx })
    },
    // It can be carried out no more: another payment may take its challenge (N-42).
    PaymentReversed: async ({ data: { challengeId, asset, transfer, reason } }, { ledger }) => {
      const id = carriedOut(transfer)
      const parts = challengeParts(challengeId)
      if (id === undefined || !parts || (await ledger.authorization.read(id)).status === 'none') return
      const set = await ledger.challenge.read(parts.setId)
      if (set.status === 'none' || isClosed(set, asset)) return
      await ledger.authorization.reverse(id, { transferId: transferId(transfer), tx: transfer.tx, reason })
      await ledger.challenge.release(parts.setId, { challengeId, asset, authorizationId: id })
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
