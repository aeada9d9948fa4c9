import type { KnownRefund } from '../core/known-refund.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'

/** What a buyer is told of a refund. */
export const refundWords = (
  refund: KnownRefund | undefined,
  { words: { receipt } }: BuyerLocale,
): string | undefined => {
  if (refund === undefined) return undefined
  const { status, part = receipt.thisPayment, hash } = refund
  return status === 'pending' ? receipt.pending(part, hash) : receipt[status](part)
}
