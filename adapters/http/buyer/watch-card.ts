import type { CardPayment } from '../../../domain/card/payment.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Frame } from '../pages/buyer/buyer-page.ts'
import { cardUnpaidPage, cardWaitsPage, oddCardPage, strayCardPage } from '../pages/buyer/card.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import { paidPage, type Receipt } from '../pages/buyer/receipt.ts'
import type { SaleItem } from './doors.ts'
import { onward } from './receipt-words.ts'

/** The page of a payment by card, whatever has become of it. */

/** Seconds after which a page without script loads itself again. */
const REFRESH_S = 10

/**
 * Refuses `challenge-not-found`, also for the payment of another sale: one seller's page shows nothing that was paid to
 * another.
 */
export const paymentOf = async ({ ledger }: UseCaseContext, sold: SaleItem, id: string): Promise<CardPayment> => {
  const payment = isCardPaymentId(id) ? await ledger.cardPayment.read(id) : undefined
  if (payment === undefined || payment.status === 'none' || !isOf(sold, payment))
    return refuse('challenge-not-found', 'There is no such payment by card. Open the page of the sale again.')
  return payment
}

const isOf = (sold: SaleItem, { resId, paymentRequest }: CardPayment): boolean =>
  paymentRequest ? paymentRequest.requestId === sold.id : resId === sold.id

type CardSaleParts = {
  readonly sold: SaleItem
  readonly path: string
  readonly redirect: string
  readonly brand: { readonly name: string }
  readonly locale: BuyerLocale
}

export const cardPage = (
  { sold, path, redirect, brand, locale }: CardSaleParts,
  id: string,
  payment: CardPayment,
  paid: Pick<Receipt, 'refund' | 'chosen'>,
): Pick<Frame, 'title' | 'main' | 'live'> => {
  const { words } = locale
  const price = locale.price(payment.amount, payment.currency)
  const reference = payment.resId === null ? sold.reference : `${payment.resId}.${id}`
  const charge = payment.paymentId ?? ''
  const { title, note } = sold
  switch (cardState(payment)) {
    case 'settled': {
      const receipt = { ...paid, seller: brand.name, price, title, note, reference, charge }
      const main = paidPage(receipt, { redirect: onward(redirect), orderAt: sold.orderAt }, locale)
      return { title: words.receipt.title, main, live: { state: 'settled' } }
    }
    case 'doubled':
      return {
        title: payment.soldOut ? words.stray.soldOut : words.stray.doubled,
        main: strayCardPage(payment.soldOut ? 'soldOut' : 'doubled', { price, reference, charge }, locale),
        live: { state: 'doubled' },
      }
    case 'failed':
      if (payment.mismatches.length > 0)
        return { title: words.stray.title, main: oddCardPage(reference, locale), live: { state: 'failed' } }
      return {
        title: words.card.unpaidTitle,
        main: cardUnpaidPage(sold.status === 'open' ? path : undefined, locale),
        live: { state: 'failed' },
      }
    default:
      return {
        title: words.card.waits,
        main: cardWaitsPage(price, title, path, locale),
        live: { state: 'open', events: `/pay/${id}/events`, refreshS: REFRESH_S },
      }
  }
}

/**
 * A word for the state of the payment, which changes whenever the page would. Only the processor knows that nothing was
 * paid, whatever time it is.
 */
export const cardState = ({ status }: CardPayment): 'open' | 'failed' | 'settled' | 'doubled' =>
  status === 'reported' ? 'open' : status
