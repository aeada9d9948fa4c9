import type { KnownRefund } from '../core/known-refund.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import type { Onward } from '../pages/buyer/receipt.ts'

/** What a receipt says of what came after the payment, and where it leads. */

/** What a buyer is told of a refund. */
export const refundWords = (
  refund: KnownRefund | undefined,
  { words: { receipt } }: BuyerLocale,
): string | undefined => {
  if (refund === undefined) return undefined
  const { status, part = receipt.thisPayment, hash } = refund
  return status === 'pending' ? receipt.pending(part, hash) : receipt[status](part)
}

/** The link on to the seller: only to the web, and never followed before the buyer sees where it leads. */
export const onward = (redirect: string): Onward | undefined => {
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined
  return url && /^https?:$/.test(url.protocol) ? { href: url.href, to: url.host } : undefined
}
