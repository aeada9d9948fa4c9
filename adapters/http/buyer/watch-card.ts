import type { CardPayment } from '../../../domain/card/payment.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Frame } from '../pages/buyer/buyer-page.ts'
import { cardUnpaidPage, cardWaitsPage, oddCardPage, strayCardPage } from '../pages/buyer/card.ts'
import { paidPage, type Receipt } from '../pages/buyer/receipt.ts'
import type { ReceiptMail } from '../pages/buyer/receipt-mail.ts'
import type { SaleItem, SaleParts } from './doors.ts'
import { rowsOf } from './progress.ts'
import { isMailable, onward, paidFacts } from './receipt-words.ts'

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

type Main = Pick<Frame, 'title' | 'main' | 'live'>

/** The page of a payment by card, whatever has become of it. Refuses `challenge-not-found`. */
export const watchedCard = async (parts: SaleParts, id: string, mailed: ReceiptMail['mailed']): Promise<Main> => {
  const { flow, sold, path, redirect, locale } = parts
  const payment = await paymentOf(flow, sold, id)
  if (payment.status !== 'settled') return unsettledCardPage(parts, id, payment)
  const mail = isMailable(sold, payment) ? { path, challengeId: id, mailed } : undefined
  const ways = { redirect: onward(redirect), orderAt: sold.orderAt, mail }
  const main = paidPage(await receiptOf(parts, id, payment), ways, locale)
  return { title: locale.words.receipt.title, main, live: { state: cardState(payment) } }
}

/** The receipt of a payment by card that may be sent by mail. Refuses `challenge-not-found`. */
export const mailableCard = async (parts: SaleParts, id: string): Promise<Receipt> => {
  const payment = await paymentOf(parts.flow, parts.sold, id)
  return payment.status === 'settled' && isMailable(parts.sold, payment)
    ? receiptOf(parts, id, payment)
    : refuse('challenge-not-found')
}

const receiptOf = async (parts: SaleParts, id: string, payment: CardPayment): Promise<Receipt> => {
  const { sold, brand } = parts
  const { price, reference, charge } = factsOf(parts, id, payment)
  const rows = await rowsOf(parts, id, { state: 'settled', hash: charge })
  const row = rows.find(({ hash }) => hash === charge)
  return {
    ...(await paidFacts(parts, row, '')),
    seller: brand.name,
    price,
    title: sold.title,
    note: sold.note,
    reference,
    card: { charge, ...(row && { at: row.at }) },
  }
}

type PricedSale = Pick<SaleParts, 'sold' | 'locale'>

const factsOf = ({ sold, locale }: PricedSale, id: string, payment: CardPayment) => ({
  price: locale.price(payment.amount, payment.currency),
  // What the seller's records call it (J-RES-14).
  reference: payment.resId === null ? sold.reference : `${payment.resId}.${id}`,
  charge: payment.paymentId ?? '',
})

/** The page while a payment has not come, or after it has come for nothing. */
export const unsettledCardPage = (
  { sold, path, locale }: PricedSale & Pick<SaleParts, 'path'>,
  id: string,
  payment: CardPayment,
): Main => {
  const { words } = locale
  const { price, reference, charge } = factsOf({ sold, locale }, id, payment)
  switch (cardState(payment)) {
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
        main: cardWaitsPage(price, sold.title, path, locale),
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
