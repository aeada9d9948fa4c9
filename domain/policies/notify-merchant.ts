import { idOf, type Policy } from '../policy.ts'

/**
 * A completed payment is told to the merchant once, at the first URL that is set: the transaction's own, the agent slot (every payment of
 * a resource carries a `res_` reference), then the account's. No URL, no delivery.
 */
export const notifyMerchant: Policy = {
  name: 'notify-merchant',
  on: {
    TransactionCompleted: async ({ stream, data: { accountId, test } }, { ledger, world }) => {
      const transactionId = idOf(stream)
      const transaction = await ledger.transaction.read(transactionId)
      if (transaction.status === 'none') throw new Error(`${stream} was completed but never created`)
      const { urls } = await ledger.webhook.read(accountId)
      const agent = transaction.externalReference.startsWith('res_') ? urls.agent : undefined
      const [slot, url] = transaction.webhookUrl
        ? (['transaction', transaction.webhookUrl] as const)
        : agent
          ? (['agent', agent] as const)
          : (['account', urls.account] as const)
      // The id is made from the transaction: a second run meets the first one's decision, which stands.
      const eventId = world.digest(`delivery|${transactionId}|completed`).slice(0, 32)
      if (url === undefined) await ledger.delivery.skip(eventId, { accountId, transactionId })
      else await ledger.delivery.schedule(eventId, { accountId, transactionId, url, slot, test })
    },
  },
}
