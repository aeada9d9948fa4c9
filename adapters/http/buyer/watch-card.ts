import type { CardPayment } from '../../../domain/card/payment.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Frame } from '../pages/buyer-page.ts'
import { cardUnpaidPage, cardWaitsPage, doubledCardPage, oddCardPage } from '../pages/card.ts'
import { paidPage } from '../pages/outcomes.ts'
import { price } from '../pages/plain-words.ts'
import type { SaleItem } from './doors.ts'

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

type Onward = { readonly href: string; readonly to: string } | undefined

export const cardPage = (
  { sold, path, refund }: { readonly sold: SaleItem; readonly path: string; readonly refund?: string | undefined },
  id: string,
  payment: CardPayment,
  redirect: Onward,
): Pick<Frame, 'title' | 'main' | 'live'> => {
  const cost = price(payment.amount, payment.currency)
  const reference = payment.resId === null ? sold.reference : `${payment.resId}.${id}`
  const charge = payment.paymentId ?? ''
  switch (cardState(payment)) {
    case 'settled': {
      const receipt = { price: cost, title: sold.title, reference, charge, refund }
      return { title: 'Paid', main: paidPage(receipt, redirect, sold.orderAt), live: { state: 'settled' } }
    }
    case 'doubled':
      return {
        title: 'This was paid before',
        main: doubledCardPage({ price: cost, reference, charge }),
        live: { state: 'doubled' },
      }
    case 'failed':
      if (payment.mismatches.length > 0)
        return { title: 'This payment does not count', main: oddCardPage(reference), live: { state: 'failed' } }
      return {
        title: 'Not paid',
        main: cardUnpaidPage(sold.status === 'open' ? path : undefined),
        live: { state: 'failed' },
      }
    default:
      return {
        title: 'Waiting for your payment',
        main: cardWaitsPage(cost, sold.title, path),
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
