import { type CardPayment, hasMoney } from '../../card/payment.ts'
import type { CardNotice, Charge, CheckoutRead, Dispute, DisputeOutcome, RefundRead } from '../../card/ports.ts'
import { isRefusal, refuse } from '../../kernel/refusal.ts'
import { isCardPaymentId } from '../../selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../context.ts'
import { connectedFor, processorFor, processorOf } from './processor.ts'
import { mismatchOf, takeCheckout } from './settle.ts'

/**
 * Takes what a processor tells by itself. It may tell it twice, out of order, and of payments that are not ours,
 * because the account there is the seller's own: what is not ours changes nothing. A refusal `unavailable` makes the
 * processor tell it again later.
 */
export const takeNotice = async (
  flow: UseCaseContext,
  accountId: string,
  notice: CardNotice,
  /** The card payment that a charge was made for. */
  paymentOf: (accountId: string, paymentId: string) => Promise<string | undefined>,
): Promise<void> => {
  const known = { flow, accountId, paymentOf }
  switch (notice.kind) {
    case 'checkout':
      return checkedOut(known, notice.session, notice.eventId)
    case 'ended':
      return ended(known, notice.session, notice.reason)
    case 'refunded':
      return refunded(known, notice.charge, notice.total)
    case 'refund-failed':
      return refundFailed(known, notice.refund)
    case 'disputed':
      return disputed(known, notice.dispute)
    case 'dispute-closed':
      return disputed(known, notice.dispute, notice.outcome)
    case 'unread':
      flow.cards.alarm('a notice of a card processor is not what it should be', { accountId, type: notice.type })
      return refuse('unavailable', 'This notice cannot be read yet. Send it again later: the operator was told.')
    case 'other':
      return
  }
}

type NoticeContext = {
  readonly flow: UseCaseContext
  readonly accountId: string
  readonly paymentOf: Parameters<typeof takeNotice>[3]
}

const checkedOut = async (known: NoticeContext, session: CheckoutRead, eventId: string): Promise<void> => {
  const id = await own(known, session.reference)
  if (id !== undefined) await takeCheckout(known.flow, id, await sure(known, id, session), eventId)
}

/**
 * A notice has the shape of the API version that its endpoint was made for. When it does not fit the payment, the
 * session is read again in our own version before it counts.
 */
const sure = async ({ flow }: NoticeContext, id: string, told: CheckoutRead): Promise<CheckoutRead> => {
  const payment = await flow.ledger.cardPayment.read(id)
  if (payment.status === 'none' || !mismatchOf(payment, told)) return told
  const processor = await processorFor(flow, payment)
  return (processor && (await flow.cards.readCheckout(processor.secretKey, told.sessionId))) ?? told
}

const ended = async (known: NoticeContext, { reference, sessionId }: CheckoutRead, reason: 'expired' | 'failed') => {
  const id = await own(known, reference)
  const payment = id === undefined ? undefined : await known.flow.ledger.cardPayment.read(id)
  if (id !== undefined && payment?.status === 'open' && payment.sessionId === sessionId)
    await known.flow.ledger.cardPayment.fail(id, { reason })
}

const refunded = async (known: NoticeContext, charge: Charge, total: string): Promise<void> => {
  const booked = await charged(known, charge)
  if (!booked) return
  // A total that was told before a refund failed may arrive after the failure.
  const isSure = booked.payment.failedRefunds.length === 0
  await givenBack(known, booked.id, isSure ? total : await totalOf(known, booked))
}

const refundFailed = async (known: NoticeContext, { refundId, charge }: RefundRead): Promise<void> => {
  const booked = await charged(known, charge)
  if (!booked || booked.payment.failedRefunds.includes(refundId)) return
  const { ledger, cards } = known.flow
  const total = await totalOf(known, booked)
  const { events } = await ledger.cardPayment.unrefund(booked.id, { refundId, total })
  if (events.length > 0)
    cards.alarm('a refund of a payment by card has failed', { cardPayment: booked.id, refundId, total })
  await givenBack(known, booked.id, total)
}

/** The total that is given back of a payment now, as the processor itself says when it is asked. */
const totalOf = async ({ flow }: NoticeContext, { payment }: BookedCharge): Promise<string> => {
  const { secretKey } = await connectedFor(flow, payment)
  return flow.cards.refundedOf(secretKey, payment.paymentId ?? '')
}

const givenBack = async (
  { flow: { ledger, cards }, accountId }: NoticeContext,
  id: string,
  total: string,
): Promise<void> => {
  await ledger.cardPayment.refund(id, { total, by: 'processor' }).catch((error: unknown) => {
    if (!isRefusal(error, 'state-forbids')) throw error
    cards.alarm('what was given back of a payment by card does not fit it', { cardPayment: id, accountId, total })
  })
}

const disputed = async (known: NoticeContext, dispute: Dispute, outcome?: DisputeOutcome): Promise<void> => {
  const { disputeId, amount, reason, held, currency, paymentId } = dispute
  const booked = await charged(known, { reference: null, paymentId, currency })
  if (!booked) return
  const { id } = booked
  const { ledger, cards } = known.flow
  const facts = { disputeId, charged: amount, held }
  if (outcome) await ledger.cardPayment.closeDispute(id, { ...facts, outcome })
  else {
    const { events } = await ledger.cardPayment.dispute(id, { ...facts, reason })
    if (events.length > 0) cards.alarm('a payment by card is disputed', { cardPayment: id, disputeId, reason })
  }
}

type BookedCharge = { readonly id: string; readonly payment: CardPayment }

/**
 * The card payment of a charge, once its money is in the books. When the notice comes before the payment is booked, or
 * before any row names the payment, the processor is asked first.
 */
const charged = async (
  known: NoticeContext,
  { reference, paymentId, currency }: Charge,
): Promise<BookedCharge | undefined> => {
  const { flow, accountId, paymentOf } = known
  const named = await own(known, reference ?? (await paymentOf(accountId, paymentId)) ?? null)
  const before = named === undefined ? undefined : await flow.ledger.cardPayment.read(named)
  const isTaken = before !== undefined && hasMoney(before) && before.status !== 'reported'
  const id = isTaken ? named : ((await askedFor(known, paymentId)) ?? named)
  if (id === undefined) return undefined
  const payment = await flow.ledger.cardPayment.read(id)
  if (
    payment.status !== 'none' &&
    hasMoney(payment) &&
    payment.paymentId === paymentId &&
    payment.currency === currency
  )
    return { id, payment }
  flow.cards.alarm('what was told of a payment by card does not fit it', {
    cardPayment: id,
    accountId,
    paymentId,
    currency,
  })
  return undefined
}

/**
 * Books the sale that a charge was made for, where it is one of ours. The seller's key may read sessions, because it
 * opens them.
 */
const askedFor = async (known: NoticeContext, paymentId: string): Promise<string | undefined> => {
  const { flow, accountId } = known
  const processor = paymentId === '' ? undefined : await processorOf(flow, accountId)
  const told = processor && (await flow.cards.checkoutOfCharge(processor.secretKey, paymentId))
  const id = await own(known, told?.reference ?? null)
  if (id !== undefined && told) await takeCheckout(flow, id, told, null)
  return id
}

/** The reference that an object of the processor carries, if it is the id of one of this seller's payments. */
const own = async ({ flow, accountId }: NoticeContext, reference: string | null): Promise<string | undefined> => {
  if (!isCardPaymentId(reference)) return undefined
  const payment = await flow.ledger.cardPayment.read(reference)
  return payment.status !== 'none' && payment.accountId === accountId ? reference : undefined
}
