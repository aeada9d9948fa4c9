import { idOf } from '../../kernel/stream-id.ts'
import { webhookOf } from '../../use-cases/selling/webhooks/webhook-of.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A completed payment is told to the merchant once; a payout, which the merchant made itself, never (W-NOT-01). */
export const notifyMerchant: Policy = {
  name: 'notify-merchant',
  on: {
    TransactionCompleted: async ({ stream, data: { accountId, test } }, { ledger, world }) => {
      const transactionId = idOf(stream)
      const transaction = await ledger.transaction.read(transactionId)
      if (transaction.status === 'none') throw new Error(`${stream} was completed but never created`)
      if (transaction.payoutId !== undefined) return
      const { url, ...whose } = await webhookOf(ledger, transaction)
      // The id is made from the transaction: a second run meets the first one's decision, which stands.
      const eventId = world.digest(`delivery|${transactionId}|completed`).slice(0, 32)
      if (url === undefined) await ledger.delivery.skip(eventId, { accountId, transactionId })
      else await ledger.delivery.schedule(eventId, { accountId, transactionId, url, ...whose, test })
    },
  },
}
