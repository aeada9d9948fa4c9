import { decider, whenExists } from '../kernel/decider.ts'
import { inStore } from '../kernel/in-store.ts'
import { mulDivFloor, type Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import { lockedWorth, shareOf, shareOfWorth } from '../selling/sale-rate.ts'
import { worthOfCharged } from './minor-units.ts'
import type { CardAsideReason, CardPaymentEvents, CardPlace, Mismatch } from './payment-events.ts'
import type { DisputeOutcome } from './ports.ts'

/**
 * One payment by card, from the page of the processor to the money, and what became of that afterwards (J-CARD-01,
 * N-31). Whether it pays for what it was meant for is not decided here: a payment request takes one payment, whichever
 * it is.
 */

export type CardPaymentCommands = {
  open: CardPaymentEvents['CardPaymentOpened']
  place: { sessionId: string }
  report: { paymentId: string; processorEventId: string | null }
  settle: Record<never, never>
  setAside: { reason: CardAsideReason }
  fail: { reason: 'expired' | 'failed' }
  mismatch: { told: string; what: Mismatch; expected: string; found: string }
  /** `total`: all that was given back until now, in the processor's units. */
  refund: { total: Units; by: string }
  /** The processor would not give it back; `tries`: how often it had refused that before. */
  refuseRefund: { tries: number }
  /** A refund came to nothing; `total` as the processor counts it now. */
  unrefund: { refundId: string; total: Units }
  /** `charged` in the processor's units. */
  dispute: { disputeId: string; charged: Units; reason: string; held: boolean }
  closeDispute: { disputeId: string; charged: Units; held: boolean; outcome: DisputeOutcome }
}

export type CardPayment = CardPaymentEvents['CardPaymentOpened'] & {
  /** `doubled`: the money came and sells nothing. */
  status: 'open' | 'failed' | 'reported' | 'settled' | 'doubled'
  /** There was no piece left of what it was meant for. */
  soldOut?: true
  sessionId: string | undefined
  paymentId: string | undefined
  /** The sum of refunds, in the processor's units. */
  refunded: Units
  /** Number of refunds that failed or were refused, so that the next one is a new request. */
  refundTries: number
  /** Ids of the newest refunds that failed. */
  failedRefunds: readonly string[]
  /** The newest disputes, and the outcome of each. */
  disputes: readonly { id: string; held: boolean; outcome: DisputeOutcome | undefined }[]
  /** The newest mismatches, so that one that is reported again is recorded once. */
  mismatches: readonly string[]
}
export type CardPaymentState = { status: 'none' } | CardPayment

/** Disputes that are remembered: a charge is disputed once, seldom twice. */
const DISPUTES_MAX = 8
const MISMATCHES_MAX = 8
const FAILED_REFUNDS_MAX = 8
/** Characters of what a processor said that are kept. */
const SAID_MAX = 100

export const cardPayment = decider<CardPaymentEvents, CardPaymentCommands, CardPaymentState>({
  category: 'cardPayment',
  stateVersion: 2,
  initial: { status: 'none' },
  decide: {
    open: (state, data) => (state.status === 'none' ? [{ type: 'CardPaymentOpened', data }] : []),
    place: (state, { sessionId }) => {
      const { accountId, sessionId: known } = begun(state)
      return known === undefined ? [{ type: 'CardCheckoutOpened', data: { accountId, sessionId } }] : []
    },
    // Money that came counts, even when the payment was thought to have failed.
    report: (state, { paymentId, processorEventId }) => {
      const payment = begun(state)
      if (payment.status !== 'open' && payment.status !== 'failed') return []
      const { accountId, amount, currency, charged, paymentRequest } = payment
      const transactionId = paymentRequest?.transactionId ?? null
      const data = { accountId, transactionId, amount, currency, charged, paymentId, processorEventId }
      return [{ type: 'CardPaymentReported', data }]
    },
    settle: (state, _, now) => {
      const payment = begun(state)
      if (payment.status !== 'reported') return []
      const { usd, webhookUrl } = payment
      const worth = { usd, ...lockedWorth(payment) }
      return [{ type: 'CardPaymentSettled', data: { ...paidOf(payment), ...worth, webhookUrl, settledAt: now } }]
    },
    setAside: (state, { reason }) => {
      const payment = begun(state)
      if (payment.status !== 'reported') return []
      const worth = moneyWorth(payment, payment.amount)
      return [{ type: 'CardPaymentSetAside', data: { ...paidOf(payment), reason, worth } }]
    },
    fail: (state, { reason }) => {
      const { status, accountId } = begun(state)
      return status === 'open' ? [{ type: 'CardPaymentFailed', data: { accountId, reason } }] : []
    },
    mismatch: (state, { told, what, expected, found }) => {
      const { accountId, mismatches } = begun(state)
      const data = { accountId, told: said(told), what, expected, found: said(found) }
      return mismatches.includes(data.told) ? [] : [{ type: 'CardPaymentMismatched', data }]
    },
    refund: (state, { total, by }) => {
      const payment = paid(state)
      const { accountId, currency, charged, refunded, test } = payment
      const [all, before] = [BigInt(total), BigInt(refunded)]
      if (all <= before) return []
      if (all > BigInt(charged)) return refuse('state-forbids', 'more than was paid cannot be given back')
      const worth = (units: bigint) => worthOf(String(units), currency)
      const data = { accountId, currency, amount: worth(all - before), total: worth(all), charged: total }
      const usd = String(earnedBy(payment, before) - earnedBy(payment, all))
      return [
        {
          type: 'CardRefunded',
          data: {
            ...data,
            whole: total === charged,
            usd,
            by,
            test,
            ...taxedBetween(payment, before, all),
            worth: moneyWorth(payment, data.amount),
          },
        },
      ]
    },
    // Two refusals at once, with the same number of tries, are recorded once.
    refuseRefund: (state, { tries }) => {
      const { accountId, refundTries } = paid(state)
      return tries === refundTries ? [{ type: 'CardRefundRefused', data: { accountId, tries: tries + 1 } }] : []
    },
    // A failed refund is noted even when the refund itself was never reported, because that report may still come.
    unrefund: (state, { refundId, total }) => {
      const payment = paid(state)
      const { accountId, currency, refunded, failedRefunds, test } = payment
      if (failedRefunds.includes(refundId)) return []
      const before = BigInt(refunded)
      const all = BigInt(total) < before ? BigInt(total) : before
      const worth = (units: bigint) => worthOf(String(units), currency)
      const data = {
        accountId,
        refundId,
        currency,
        amount: worth(before - all),
        total: worth(all),
        charged: String(all),
        usd: String(earnedBy(payment, all) - earnedBy(payment, before)),
      }
      const facts = { ...taxedBetween(payment, all, before), worth: moneyWorth(payment, data.amount) }
      return [{ type: 'CardRefundFailed', data: { ...data, test, ...facts } }]
    },
    dispute: (state, { disputeId, charged, reason, held }) => {
      const payment = paid(state)
      const { accountId, currency, disputes, test } = payment
      if (disputes.some(({ id }) => id === disputeId)) return []
      const amount = worthOf(charged, currency)
      const worth = moneyWorth(payment, amount)
      const data = { accountId, disputeId, amount, currency, reason: said(reason), held, test, worth }
      return [{ type: 'CardPaymentDisputed', data }]
    },
    // The outcome of a dispute may be reported before the dispute itself.
    closeDispute: (state, { disputeId, charged, held, outcome }) => {
      const payment = paid(state)
      const { accountId, currency, disputes, test } = payment
      const known = disputes.find(({ id }) => id === disputeId)
      if (known?.outcome !== undefined) return []
      const amount = worthOf(charged, currency)
      const opened = { accountId, disputeId, amount, currency, held, test, worth: moneyWorth(payment, amount) }
      const closed = { type: 'CardDisputeClosed', data: { ...opened, held: known?.held ?? held, outcome } } as const
      return known ? [closed] : [{ type: 'CardPaymentDisputed', data: { ...opened, reason: '' } }, closed]
    },
  },
  evolve: {
    CardPaymentOpened: (_, data) => ({
      ...data,
      status: 'open',
      sessionId: undefined,
      paymentId: undefined,
      refunded: '0',
      refundTries: 0,
      failedRefunds: [],
      disputes: [],
      mismatches: [],
    }),
    CardCheckoutOpened: (state, { sessionId }) => withFacts(state, { sessionId }),
    CardPaymentReported: (state, { paymentId }) => withFacts(state, { status: 'reported', paymentId }),
    CardPaymentSettled: (state) => withFacts(state, { status: 'settled' }),
    CardPaymentSetAside: (state, { reason }) =>
      withFacts(state, { status: 'doubled', ...(reason === 'sold_out' && { soldOut: true as const }) }),
    CardPaymentFailed: (state) => withFacts(state, { status: 'failed' }),
    CardPaymentMismatched: whenExists((state, { told }) => ({
      ...state,
      mismatches: [...state.mismatches, told].slice(-MISMATCHES_MAX),
    })),
    CardRefunded: (state, { charged }) => withFacts(state, { refunded: charged }),
    CardRefundRefused: (state, { tries }) => withFacts(state, { refundTries: tries }),
    CardRefundFailed: (state, { refundId, charged }) => {
      if (state.status === 'none') return state
      const failedRefunds = [...state.failedRefunds, refundId].slice(-FAILED_REFUNDS_MAX)
      return { ...state, failedRefunds, refunded: charged, refundTries: state.refundTries + 1 }
    },
    CardPaymentDisputed: whenExists((state, { disputeId: id, held }) => ({
      ...state,
      disputes: [...state.disputes, { id, held, outcome: undefined }].slice(-DISPUTES_MAX),
    })),
    CardDisputeClosed: whenExists((state, { disputeId, outcome }) => ({
      ...state,
      disputes: state.disputes.map((each) => (each.id === disputeId ? { ...each, outcome } : each)),
    })),
  },
})

/** Whether the money came, whatever it was taken for. */
export const hasMoney = ({ status }: CardPaymentState): boolean =>
  status === 'reported' || status === 'settled' || status === 'doubled'

const begun = (state: CardPaymentState): CardPayment =>
  state.status === 'none'
    ? refuse('challenge-not-found', 'There is no such payment by card. Open the page of the sale again.')
    : state

/** A payment that was settled or set aside, so that the books have the money that a refund gives back. */
const paid = (state: CardPaymentState): CardPayment => {
  const payment = begun(state)
  if (payment.status === 'settled' || payment.status === 'doubled') return payment
  return refuse('state-forbids', 'this payment by card has not come')
}

const paidOf = ({ accountId, storeId, resId, paymentRequest, ...facts }: CardPayment) => {
  const { amount, currency, charged, vat, paymentId = '', test } = facts
  const place: CardPlace = { accountId, ...inStore(storeId), resId, ...(paymentRequest && { paymentRequest }) }
  return { ...place, amount, currency, charged, ...(vat !== undefined && { vat }), paymentId, test }
}

/** What a part of the price was worth when the payment was opened; more than the price is worth as much more. */
const moneyWorth = (payment: CardPayment, amount: Units) => ({
  usd: shareOf(amount, payment.amount, payment.usd),
  ...shareOfWorth(payment, amount, payment.amount),
})

/** The VAT in a refund that raises what was given back to `total`; none where the payment had paid for nothing. */
const taxedBetween = (payment: CardPayment, before: bigint, total: bigint): { aside?: true; vat?: Units } => {
  if (payment.status === 'doubled') return { aside: true }
  const vat = taxIn(payment, before) - taxIn(payment, total)
  return vat === 0n ? {} : { vat: String(vat) }
}

/** The VAT in what is kept of a payment once so much of it was given back. */
const taxIn = ({ vat = '0', charged }: CardPayment, refunded: bigint): bigint =>
  mulDivFloor(BigInt(vat), BigInt(charged) - refunded, BigInt(charged))

const worthOf = (charged: Units, currency: string): Units => worthOfCharged(charged, currency) ?? refuse('internal')

/**
 * What the sale has earned once so much of it was given back, in millionths of a US dollar. A payment that bought
 * nothing has earned nothing.
 */
const earnedBy = ({ status, usd, charged }: CardPayment, refunded: bigint): bigint =>
  status === 'doubled' ? 0n : mulDivFloor(BigInt(usd), BigInt(charged) - refunded, BigInt(charged))

const said = (text: string): string => text.slice(0, SAID_MAX).toWellFormed()

const withFacts = (state: CardPaymentState, facts: Partial<CardPayment>): CardPaymentState =>
  state.status === 'none' ? state : { ...state, ...facts }
