import { isFinal, Refusal, refuse } from '../../../kernel/refusal.ts'
import { isGone } from '../../../selling/transactions/transaction.ts'
import type { UseCaseContext } from '../../context.ts'
import { verifyPayment } from './verify-payment.ts'

/**
 * Looks up a hash that the merchant says pays a transaction (J-TXN-08), for each challenge that it may pay. `by` is the
 * merchant's key, whose word counts for a payment that is nobody's; without it the transaction is only looked at.
 * Refuses `transaction-not-found`, `state-forbids`, and as `verifyPayment` does when it pays none of them.
 */
export const submitHash = async (
  flow: UseCaseContext,
  transactionId: string,
  hash: string,
  challengesOf: (requestId: string) => Promise<readonly string[]>,
  by: string | undefined,
): Promise<void> => {
  const transaction = await flow.ledger.transaction.read(transactionId)
  if (isGone(transaction)) return refuse('transaction-not-found')
  if (transaction.status !== 'P' && transaction.rejected !== 'underpaid')
    return refuse('state-forbids', 'only a pending or underpaid transaction takes a hash')
  const { requestId, challengeId, payoutId } = transaction
  if (payoutId !== undefined)
    return refuse('state-forbids', 'A payout is not paid here. Complete it by POST /v1/payout-info.')
  const challenges = requestId ? await challengesOf(requestId) : challengeId ? [challengeId] : []
  let refusal = new Refusal('state-forbids', 'no coin was chosen for this payment yet')
  for (const each of challenges)
    try {
      await verifyPayment(flow, each, hash, by)
      return
    } catch (error) {
      if (!isFinal(error)) throw error
      refusal = error
    }
  throw refusal
}
