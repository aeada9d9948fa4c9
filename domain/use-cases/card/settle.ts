import { type CardPayment, hasMoney } from '../../card/payment.ts'
import type { CardAsideReason, Mismatch } from '../../card/payment-events.ts'
import type { CheckoutRead } from '../../card/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'
import { isPaidElsewhere, paysRequest } from '../selling/challenges/pays-request.ts'
import { claimPieces } from '../selling/stock/lend-pieces.ts'
import { modeFor, processorFor } from './processor.ts'

/**
 * Makes a sale of what a processor says about a checkout session. Its notice and the buyer who comes back may race,
 * come twice, or come after a crash: every step is quiet when repeated, so that one payment settles once (X-IDEM-04).
 */

/**
 * What became of a payment by card. `waiting`: the money is on its way, or was not even sent. `unasked`: the seller has
 * no such processor any more.
 */
export type CardOutcome = 'settled' | 'doubled' | 'waiting' | 'failed' | 'mismatch' | 'unasked'

/** Takes what a processor says about a session. `eventId`: the notice's event; null when the processor was asked. */
export const takeCheckout = async (
  { ledger, cards }: Pick<UseCaseContext, 'ledger' | 'cards'>,
  id: string,
  told: CheckoutRead,
  eventId: string | null,
): Promise<CardOutcome> => {
  const payment = await ledger.cardPayment.read(id)
  if (payment.status === 'none')
    return refuse('challenge-not-found', 'There is no such payment by card. Open the page of the sale again.')
  if (!told.isPaid || told.paymentId === null) return outcomeOf(payment)
  const wrong = mismatchOf(payment, told)
  if (wrong) {
    const facts = { told: eventId ?? told.sessionId, ...wrong }
    const { events } = await ledger.cardPayment.mismatch(id, facts)
    if (events.length > 0) cards.alarm('a payment by card is not what was asked', { cardPayment: id, ...facts })
    return 'mismatch'
  }
  // The process that opened the page may have died before it wrote the page down. The reference says that it is ours.
  await ledger.cardPayment.place(id, { sessionId: told.sessionId })
  await ledger.cardPayment.report(id, { paymentId: told.paymentId, processorEventId: eventId })
  return finishCardPayment(ledger, id)
}

/**
 * Takes a payment that has come for the sale it is meant for, unless that sale was paid before; also when the process
 * died in between.
 */
export const finishCardPayment = async (ledger: Ledger, id: string): Promise<CardOutcome> => {
  const payment = await ledger.cardPayment.read(id)
  if (payment.status !== 'reported') return outcomeOf(payment)
  if (await isPaidElsewhere(ledger, payment, id)) return aside(ledger, id, 'doubled')
  if (!(await claimPieces(ledger, { ...payment, paymentId: id }, id))) return aside(ledger, id, 'sold_out')
  if (!(await paysRequest(ledger, payment, id))) return aside(ledger, id, 'doubled')
  const { state } = await ledger.cardPayment.settle(id, {})
  return outcomeOf(state)
}

/** Sets money aside that sells nothing: the seller gives it back. */
const aside = async (ledger: Ledger, id: string, reason: CardAsideReason): Promise<CardOutcome> => {
  const { state } = await ledger.cardPayment.setAside(id, { reason })
  return outcomeOf(state)
}

/** Asks the processor what has become of an open payment, as when its buyer comes back. Refuses `unavailable`. */
export const lookAtCheckout = async (flow: UseCaseContext, id: string): Promise<CardOutcome> => {
  const payment = await flow.ledger.cardPayment.read(id)
  if (payment.status === 'none' || hasMoney(payment) || payment.sessionId === undefined)
    return finishCardPayment(flow.ledger, id)
  const processor = await processorFor(flow, payment)
  const told = processor && (await flow.cards.readCheckout(processor.secretKey, payment.sessionId))
  return told ? takeAnswer(flow, id, told) : 'unasked'
}

/** Takes what a processor has said when it was asked. Refuses `unavailable` when it spoke of something else. */
export const takeAnswer = async (flow: UseCaseContext, id: string, told: CheckoutRead): Promise<CardOutcome> => {
  const payment = await flow.ledger.cardPayment.read(id)
  if (payment.status === 'none' || told.sessionId !== payment.sessionId)
    return refuse('unavailable', 'The card processor answers for another payment. Try again in a moment.')
  if (told.status === 'expired') await flow.ledger.cardPayment.fail(id, { reason: 'expired' })
  return takeCheckout(flow, id, told, null)
}

const outcomeOf = ({ status }: { readonly status: CardPayment['status'] | 'none' }): CardOutcome =>
  status === 'settled' || status === 'doubled' || status === 'failed' ? status : 'waiting'

/** The first fact of a session that is not what was asked for. */
export const mismatchOf = (
  payment: CardPayment,
  told: CheckoutRead,
): { what: Mismatch; expected: string; found: string } | undefined => {
  const { sessionId = told.sessionId, charged, currency, test } = payment
  const pairs: readonly (readonly [Mismatch, string, string])[] = [
    ['session', sessionId, told.sessionId],
    ['amount', charged, told.charged ?? ''],
    ['currency', currency, told.currency ?? ''],
    ['mode', modeFor(test), told.live ? 'live' : 'test'],
  ]
  const wrong = pairs.find(([, expected, found]) => expected !== found)
  return wrong && { what: wrong[0], expected: wrong[1], found: wrong[2] }
}
