import type { CardPayment } from '../../../domain/card/payment.ts'
import type { Flow } from '../../../domain/flows/flow.ts'
import type { Frame } from '../pages/buyer-page.ts'
import { cardUnpaidPage, cardWaitsPage, doubledCardPage } from '../pages/card.ts'
import { paidPage } from '../pages/outcomes.ts'
import { price } from '../pages/plain-words.ts'
import type { Sold } from './doors.ts'

/** The page of a payment by card, whatever has become of it. */

/** Without script the page looks again by itself. */
const REFRESH_S = 10

type Onward = { readonly href: string; readonly to: string } | undefined

export const cardPage = (
  { flow, sold, path }: { readonly flow: Flow; readonly sold: Sold; readonly path: string },
  id: string,
  payment: CardPayment,
  redirect: Onward,
): Pick<Frame, 'title' | 'main' | 'live'> => {
  const cost = price(payment.amount, payment.currency)
  const reference = payment.resId === null ? sold.reference : `${payment.resId}.${id}`
  const charge = payment.paymentId ?? ''
  switch (cardState(payment, flow.world.now().toISOString())) {
    case 'settled': {
      const receipt = { price: cost, title: sold.title, reference, charge }
      return { title: 'Paid', main: paidPage(receipt, redirect, sold.orderAt), live: { state: 'settled' } }
    }
    case 'doubled':
      return {
        title: 'This was paid before',
        main: doubledCardPage({ price: cost, reference, charge }),
        live: { state: 'doubled' },
      }
    case 'failed':
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

/** A word for what is shown, which changes when the page would. */
export const cardState = (
  { status, expiresAt }: CardPayment,
  now: string,
): 'open' | 'failed' | 'settled' | 'doubled' => {
  if (status === 'settled' || status === 'doubled' || status === 'failed') return status
  return status === 'open' && now > expiresAt ? 'failed' : 'open'
}
