import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import { soughtIn } from '../../../domain/selling/transactions/coin-refund.ts'
import type { Transaction } from '../../../domain/selling/transactions/transaction.ts'
import { type RefundStatus, refundStatusOf } from '../../../domain/selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'

/** What a buyer is told of a refund: that money is on its way only where a chain or a card processor says so. */

/** Undefined where nothing was given back, or there is no such transaction. */
export const refundWords = async (
  { ledger }: UseCaseContext,
  transactionId: string | null | undefined,
  symbol: string,
): Promise<string | undefined> => {
  if (!transactionId) return undefined
  const transaction = await ledger.transaction.read(transactionId)
  const status = transaction.status === 'none' ? undefined : refundStatus(transaction)
  if (transaction.status === 'none' || status === undefined) return undefined
  const { refundedPart, challengeId, currency, coinRefund } = transaction
  const unit = isCardPaymentId(challengeId) ? currency : symbol
  const amount = refundedPart === undefined ? 'this payment' : `${refundedPart} ${unit}`
  if (status === 'sent') return `${amount} was sent back.`
  if (status === 'pending')
    return `The seller has recorded that ${amount} was given back by transaction ${soughtIn(coinRefund)}. It is not confirmed yet: recorded, not sent.`
  return `The seller has recorded that ${amount} was given back. Its chain does not show that: recorded, not sent.`
}

/**
 * How far a refund is; undefined where nothing was given back. What a former release has recorded of a coin was seen by
 * nobody.
 */
export const refundStatus = (transaction: Transaction): RefundStatus | undefined => {
  const { refundedAt, refundedPart, challengeId } = transaction
  const known = refundStatusOf(transaction)
  if (known !== undefined || (refundedAt === undefined && refundedPart === undefined)) return known
  return isCardPaymentId(challengeId) ? 'sent' : 'recorded'
}
