import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import { soughtIn } from '../../../domain/selling/transactions/coin-refund.ts'
import type { Transaction } from '../../../domain/selling/transactions/transaction.ts'
import { type RefundStatus, refundStatusOf } from '../../../domain/selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'

/** What is known of a refund: that money is on its way only where a chain or a card processor says so. */
export type KnownRefund = {
  readonly status: RefundStatus
  /** "12.5 ETH", where a part was given back; undefined for the whole payment. */
  readonly part: string | undefined
  /** The transaction that is looked for; empty where none is. */
  readonly hash: string
}

/** Undefined where nothing was given back, or there is no such transaction. */
export const refundOf = async (
  { ledger }: UseCaseContext,
  transactionId: string | null | undefined,
  symbol: string,
): Promise<KnownRefund | undefined> => {
  if (!transactionId) return undefined
  const transaction = await ledger.transaction.read(transactionId)
  const status = transaction.status === 'none' ? undefined : refundStatus(transaction)
  if (transaction.status === 'none' || status === undefined) return undefined
  const { refundedPart, challengeId, currency, coinRefund } = transaction
  const unit = isCardPaymentId(challengeId) ? currency : symbol
  const part = refundedPart === undefined ? undefined : `${refundedPart} ${unit}`
  return { status, part, hash: (status === 'pending' ? soughtIn(coinRefund) : undefined) ?? '' }
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
