import { z } from 'zod'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { Transaction } from '../../../domain/selling/transactions/transaction.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import { payoutUrl } from '../agent/selling/payout-info.ts'
import { ownTransaction } from '../core/own-transaction.ts'
import { consoleFunction } from './console-function.ts'
import { TransactionId } from './fields.ts'

/** The link at which anybody sees a payment, and the id that stands in it (M-TXN-03, M-TXN-04, M-SET-07). */

const common = {
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.view', sandbox: 'secret' },
  body: z.object({ transaction_id: TransactionId }),
} as const

/** One page is the invoice while it is to be paid and the receipt afterwards, so both functions lead there. */
const link = (name: 'invoice' | 'payment-link', summary: string) =>
  consoleFunction(name, {
    ...common,
    summary,
    returns: z.object({ url: z.string() }),
    refusals: ['transaction-not-found', 'state-forbids'],
    async answer({ body, actor, flow, queries }) {
      const url = await pageOf(flow, queries, await ownTransaction(flow.ledger, actor, body.transaction_id))
      return {
        url: url ?? refuse('state-forbids', 'This payment has no page. Choose one that was asked for by a link.'),
      }
    },
  })

const encryption = consoleFunction('encryption', {
  ...common,
  summary: 'The id of a transaction as links have it, which nobody can guess',
  returns: z.object({ encrypted_id: z.string() }),
  refusals: ['transaction-not-found', 'state-forbids'],
  async answer({ body, actor, flow }) {
    const { requestId, challengeId, payoutId, type } = await ownTransaction(flow.ledger, actor, body.transaction_id)
    const id = requestId ?? payoutId ?? (type === 'resource' ? challengeId : null)
    return {
      encrypted_id:
        id ?? refuse('state-forbids', 'No link leads to this payment. Choose one that was asked for by a link.'),
    }
  },
})

/**
 * The page of a transaction: the link of its request or of its payout, or the page of its challenge when it is of a
 * resource. What is sold elsewhere, or not sold any more, has none.
 */
const pageOf = async (
  { origins }: UseCaseContext,
  queries: Queries,
  { requestId, resId, challengeId, payoutId }: Transaction,
): Promise<string | undefined> => {
  if (payoutId !== undefined) return payoutUrl(origins.pay, payoutId)
  if (requestId !== undefined) return `${origins.pay}/id/${requestId}`
  const row = resId === null ? undefined : await queries.resource(resId)
  if (!row || challengeId === null) return undefined
  return `${origins.pay}/checkout/${row.checkoutId}?${new URLSearchParams({ challenge: challengeId })}`
}

export const linkFunctions = [
  ...link('invoice', 'The page that states a transaction, for anybody who has the link'),
  ...link('payment-link', 'Where a transaction is paid, for anybody who has the link'),
  ...encryption,
]
