import { hasMoney } from '../../card/payment.ts'
import type { CardNotice, Charge, CheckoutRead, Dispute, DisputeOutcome } from '../../card/ports.ts'
import { isRefusal } from '../../refusal.ts'
import type { Flow } from '../flow.ts'
import { lookAtCheckout, takeCheckout } from './settle.ts'

/**
 * What a processor tells by itself. It may tell it twice, out of order, and of payments that are none of ours, because the account there is the
 * seller's own: what is not ours changes nothing. A refusal `unavailable` makes it tell again later.
 */
export const takeNotice = async (
  flow: Flow,
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
    case 'disputed':
      return disputed(known, notice.dispute)
    case 'dispute-closed':
      return disputed(known, notice.dispute, notice.outcome)
    default:
      return
  }
}

type Known = {
  readonly flow: Flow
  readonly accountId: string
  readonly paymentOf: Parameters<typeof takeNotice>[3]
}

const checkedOut = async (known: Known, session: CheckoutRead, eventId: string): Promise<void> => {
  const id = await own(known, session.reference)
  if (id !== undefined) await takeCheckout(known.flow, id, session, eventId)
}

const ended = async (known: Known, { reference, sessionId }: CheckoutRead, reason: 'expired' | 'failed') => {
  const id = await own(known, reference)
  const payment = id === undefined ? undefined : await known.flow.ledger.cardPayment.read(id)
  if (id !== undefined && payment?.status === 'open' && payment.sessionId === sessionId)
    await known.flow.ledger.cardPayment.fail(id, { reason })
}

const refunded = async (known: Known, charge: Charge, total: string): Promise<void> => {
  const id = await charged(known, charge)
  if (id === undefined) return
  const { ledger, cards } = known.flow
  const { accountId } = known
  await ledger.cardPayment.refund(id, { total, by: 'processor' }).catch((error: unknown) => {
    if (!isRefusal(error, 'state-forbids')) throw error
    cards.alarm('what was given back of a payment by card does not fit it', { cardPayment: id, accountId, total })
  })
}

const disputed = async (known: Known, dispute: Dispute, outcome?: DisputeOutcome): Promise<void> => {
  const { disputeId, amount, reason, held, currency, paymentId } = dispute
  const id = await charged(known, { reference: null, paymentId, currency })
  if (id === undefined) return
  const { ledger, cards } = known.flow
  const facts = { disputeId, charged: amount, held }
  if (outcome) await ledger.cardPayment.closeDispute(id, { ...facts, outcome })
  else {
    const { events } = await ledger.cardPayment.dispute(id, { ...facts, reason })
    if (events.length > 0) cards.alarm('a payment by card is disputed', { cardPayment: id, disputeId, reason })
  }
}

/** The card payment of a charge whose money is in the books. What is told before that it was paid is asked for first. */
const charged = async (known: Known, { reference, paymentId, currency }: Charge): Promise<string | undefined> => {
  const { flow, accountId, paymentOf } = known
  const id = await own(known, reference ?? (await paymentOf(accountId, paymentId)) ?? null)
  if (id === undefined) return undefined
  const before = await flow.ledger.cardPayment.read(id)
  if (!hasMoney(before) || before.status === 'reported') await lookAtCheckout(flow, id)
  const payment = await flow.ledger.cardPayment.read(id)
  const isIts = hasMoney(payment) && payment.status !== 'none' && payment.paymentId === paymentId
  return isIts && payment.currency === currency ? id : undefined
}

/** The id that a thing of the processor carries, if it is one of this seller's payments. */
const own = async ({ flow, accountId }: Known, reference: string | null): Promise<string | undefined> => {
  if (!/^cp_[a-z2-7]{26}$/.test(reference ?? '')) return undefined
  const payment = await flow.ledger.cardPayment.read(reference as string)
  return payment.status !== 'none' && payment.accountId === accountId ? (reference as string) : undefined
}
