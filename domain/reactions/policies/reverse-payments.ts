import { challengeParts, transferId } from '../../selling/challenge-terms.ts'
import { finishReversal } from '../../use-cases/selling/settling/reverse-payment.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A transfer that was taken back pays its challenge no longer, also when the process died between the two (N-24). */
export const reversePayments: Policy = {
  name: 'reverse-payments',
  on: {
    TransferReversed: ({ data }, { ledger }) => finishReversal(ledger, data),
    // What it was carried out in before is nobody's payment any more, unless it came back meanwhile.
    SettlementMoved: async ({ data: { challengeId, asset, from, times } }, { ledger }) => {
      const id = transferId(from)
      const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? '')
      if (set.status === 'none' || set.settled[asset] === id) return
      await ledger.transfer.reverse(id, { reason: 'reorganised', times: times - 1 })
    },
  },
}
