import test from 'ava'
import { type CardPaymentState, cardPayment, hasMoney } from '../../domain/card/payment.ts'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { given } from '../support/given.ts'
import { cardOpened, PAYMENT_ID } from './card-samples.ts'
import { ACCOUNT } from './samples.ts'

/** What one payment by card remembers, so that what is told again, or of something else, changes nothing. */

type Event = EventsOf<typeof cardPayment>
const { amount, currency, charged, paymentRequest, test: isTest } = cardOpened
const opened = { type: 'CardPaymentOpened', data: cardOpened } as const
const reported = {
  type: 'CardPaymentReported',
  data: {
    accountId: ACCOUNT,
    transactionId: paymentRequest.transactionId,
    amount,
    currency,
    charged,
    paymentId: PAYMENT_ID,
    processorEventId: 'evt_1',
  },
} as const
const taken = {
  accountId: ACCOUNT,
  resId: null,
  paymentRequest,
  amount,
  currency,
  charged,
  paymentId: PAYMENT_ID,
  test: isTest,
}
const doubled = { type: 'CardPaymentSetAside', data: { ...taken, reason: 'doubled' } } as const
const settled = {
  type: 'CardPaymentSettled',
  data: { ...taken, usd: cardOpened.usd, webhookUrl: null, settledAt: '2026-03-02T10:00:00.000Z' },
} as const
const failed = { type: 'CardPaymentFailed', data: { accountId: ACCOUNT, reason: 'failed' } } as const
const paid: readonly Event[] = [opened, reported, settled]

/** What all of it is worth. */
const worth = { usd: '52000000' }
const disputed = (disputeId: string, held = true, reason = 'fraudulent') =>
  ({
    type: 'CardPaymentDisputed',
    data: { accountId: ACCOUNT, disputeId, amount, currency, reason, held, test: isTest, worth },
  }) as const
const closed = (disputeId: string, held = true, outcome: 'won' | 'lost' = 'lost') =>
  ({
    type: 'CardDisputeClosed',
    data: { accountId: ACCOUNT, disputeId, amount, currency, held, outcome, test: isTest, worth },
  }) as const
const refundFailed = (refundId: string, came = '0', left = '0') =>
  ({
    type: 'CardRefundFailed',
    data: { accountId: ACCOUNT, refundId, currency, amount: came, total: left, charged: left, test: isTest },
  }) as const
const mismatched = (told: string) =>
  ({
    type: 'CardPaymentMismatched',
    data: { accountId: ACCOUNT, told, what: 'amount', expected: '4800', found: '1' },
  }) as const

const begun = (...history: readonly Event[]) => {
  const state = fold(cardPayment, history)
  if (state.status === 'none') throw new Error('it has not begun')
  return state
}
const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)

test('J-CARD-01 a sale on a page has no transaction of a request, and a payment for one names it', (t) => {
  const report = { paymentId: PAYMENT_ID, processorEventId: 'evt_1' }
  given(t, cardPayment, opened).when('report', report).yields(reported)
  const { paymentRequest: _, ...sale } = cardOpened
  given(t, cardPayment, { ...opened, data: { ...sale, resId: 'res_1' } })
    .when('report', report)
    .yields({ ...reported, data: { ...reported.data, transactionId: null } })
})

test('J-CARD-01 money has come once it was reported, whatever it was taken for, and in no other state', (t) => {
  const states: [CardPaymentState, boolean][] = [
    [cardPayment.initial, false],
    [begun(opened), false],
    [begun(opened, failed), false],
    [begun(opened, reported), true],
    [begun(...paid), true],
    [begun(opened, reported, doubled), true],
  ]
  for (const [state, expected] of states) t.is(hasMoney(state), expected, state.status)
})

test('N-68 a payment that was set aside is given back like one that has settled, and nothing before it has come', (t) => {
  const refund = { total: '4800', by: 'owner' }
  for (const history of [paid, [opened, reported, doubled]]) {
    const [event] = cardPayment.decide.refund(fold(cardPayment, history), refund, '')
    t.like(event, { type: 'CardRefunded', data: { charged: '4800', whole: true } })
  }
  for (const history of [[opened], [opened, failed], [opened, reported]])
    given(t, cardPayment, ...history)
      .when('refund', refund)
      .isRefused('state-forbids')
  given(t, cardPayment).when('refund', refund).isRefused('challenge-not-found')
})

test('N-31 what does not fit a payment is noted once, and the last eight of it are remembered', (t) => {
  const { accountId: _, ...told } = mismatched('evt_1').data
  given(t, cardPayment, opened).when('mismatch', told).yields(mismatched('evt_1'))
  given(t, cardPayment, opened, mismatched('evt_1')).when('mismatch', told).yieldsNothing()
  given(t, cardPayment, opened, mismatched('evt_2')).when('mismatch', told).yields(mismatched('evt_1'))
  t.deepEqual(begun(opened, ...names(9).map(mismatched)).mismatches, names(9).slice(1))
  const [long, kept] = [`a${'x'.repeat(100)}`, `a${'x'.repeat(99)}`]
  given(t, cardPayment, opened)
    .when('mismatch', { ...told, told: long, found: long })
    .yields({ ...mismatched(kept), data: { ...mismatched(kept).data, found: kept } })
})

test('N-68 the last eight refunds that failed are remembered, and each makes the next one another refund', (t) => {
  const state = begun(...paid, ...names(9).map((id) => refundFailed(id)))
  t.deepEqual([state.failedRefunds, state.refundTries], [names(9).slice(1), 9])
  t.is(begun(...paid).refunded, '0')
  t.deepEqual(fold(cardPayment, [refundFailed('re_1')]), cardPayment.initial)
})

test('each dispute is closed for itself, and the last eight are remembered', (t) => {
  const close = (disputeId: string, held = true) => ({ disputeId, charged, held, outcome: 'lost' }) as const
  const two = given(t, cardPayment, ...paid, disputed('dp_1'), disputed('dp_2', false))
  two.when('closeDispute', close('dp_2')).yields(closed('dp_2', false))
  two.when('closeDispute', close('dp_1', false)).yields(closed('dp_1'))
  const one = given(t, cardPayment, ...paid, disputed('dp_1'), disputed('dp_2', false), closed('dp_1'))
  one.when('closeDispute', close('dp_1')).yieldsNothing()
  one.when('closeDispute', close('dp_2')).yields(closed('dp_2', false))
  one.when('closeDispute', close('dp_3', false)).yields(disputed('dp_3', false, ''), closed('dp_3', false))
  const dispute = { disputeId: 'dp_3', charged, reason: 'fraudulent', held: true }
  one.when('dispute', dispute).yields(disputed('dp_3'))
  one.when('dispute', { ...dispute, disputeId: 'dp_2' }).yieldsNothing()
  t.deepEqual(
    begun(...paid, ...names(9).map((id) => disputed(id))).disputes.map(({ id }) => id),
    names(9).slice(1),
  )
})
