import { PLATFORM } from '../../../domain/kernel/platform.ts'
import type { SettlementRow } from '../../../projections/selling/settlement-queries.ts'
import { type KnownRefund, refundOf } from '../core/known-refund.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import type { Onward, Receipt } from '../pages/buyer/receipt.ts'
import { chosenOptions } from './chosen-options.ts'
import type { SaleItem, SaleParts } from './doors.ts'

/** What a receipt says beside the payment itself, and where it leads. */

export type PaidFacts = Pick<Receipt, 'refund' | 'chosen'>

/** `symbol`: the coin that was paid; a payment by card has none. */
export const paidFacts = async (
  { flow, sold, locale }: SaleParts,
  row: SettlementRow | undefined,
  symbol: string,
): Promise<PaidFacts> => ({
  refund: refundWords(await refundOf(flow, row?.transactionId, symbol), locale),
  chosen: await chosenOptions(flow, sold.accountId, row?.transactionId),
})

/** A test costs nothing, so that its receipts would be a way to write to strangers. */
export const isMailable = ({ accountId }: SaleItem, { test }: { readonly test: boolean }): boolean =>
  !test && accountId !== PLATFORM

/** The link on to the seller: only to the web, and never followed before the buyer sees where it leads. */
export const onward = (redirect: string): Onward | undefined => {
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined
  return url && /^https?:$/.test(url.protocol) ? { href: url.href, to: url.host } : undefined
}

/** What a buyer is told of a refund. */
const refundWords = (refund: KnownRefund | undefined, { words: { receipt } }: BuyerLocale): string | undefined => {
  if (refund === undefined) return undefined
  const { status, part = receipt.thisPayment, hash } = refund
  return status === 'pending' ? receipt.pending(part, hash) : receipt[status](part)
}
