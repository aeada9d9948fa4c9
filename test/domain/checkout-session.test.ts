import test from 'ava'
import { checkoutSession } from '../../domain/commerce/session.ts'
import type { SessionEvents } from '../../domain/commerce/session-events.ts'
import { statusAt } from '../../domain/commerce/session-state.ts'
import type { Of } from '../../domain/kernel/decider.ts'
import { given, NOW } from '../support/given.ts'
import { mandate, ORDER_ID, SESSION_EXPIRES, sessionCreated, terms } from './commerce-samples.ts'
import { ACCOUNT } from './samples.ts'

const LATE = '2026-03-02T16:00:00.001Z'
const call = { id: 'call_1', request: 'digest' }
const otherBody = { id: 'call_1', request: 'another' }

type Event = Of<SessionEvents>
const own = { accountId: ACCOUNT }
const created: Event = { type: 'CheckoutSessionCreated', data: { ...sessionCreated, createdAt: NOW } }
const updated: Event = { type: 'CheckoutSessionUpdated', data: { ...terms, ...own, updatedAt: NOW, call } }
const readied: Event = { type: 'CheckoutSessionReadied', data: { ...own, requestId: 'pr_1', readiedAt: NOW } }
const agreed: Event = { type: 'CheckoutSessionAgreed', data: { ...own, mandate } }
const taken: Event = {
  type: 'CheckoutSessionPaymentTaken',
  data: { ...own, authorizationId: 'a1', takenAt: NOW },
}
const failed: Event = { type: 'CheckoutSessionPaymentFailed', data: { ...own, authorizationId: 'a1' } }
const paid = { orderId: ORDER_ID, transactionId: '7', challengeId: 'ch_1.eth' }
const completed: Event = {
  type: 'CheckoutSessionCompleted',
  data: { ...paid, ...own, completedAt: NOW, delivered: [{ id: 'li_2', quantity: 1 }] },
}
const canceled: Event = {
  type: 'CheckoutSessionCanceled',
  data: { ...own, reason: 'asked', canceledAt: NOW },
}
const ready = { terms: 0, requestId: 'pr_1', mandate: null }

const session = (t: Parameters<typeof given>[0], ...history: Event[]) => given(t, checkoutSession, created, ...history)

test('C-SES-01 T-SES-01 a session is made once', (t) => {
  given(t, checkoutSession).when('create', sessionCreated).yields(created)
  session(t).when('create', sessionCreated).isRefused('id-taken')
})

test('C-SES-06 T-SES-02 a session is readied once, on the terms that were looked at, and not after its time', (t) => {
  session(t).when('ready', ready).yields(readied)
  session(t, readied).when('ready', ready).yieldsNothing()
  session(t, updated).when('ready', ready).isRefused('version-conflict')
  session(t, updated)
    .when('ready', { ...ready, terms: 1, call: { id: 'call_2', request: 'r' } })
    .yields({ ...readied, data: { ...readied.data, call: { id: 'call_2', request: 'r' } } } as Event)
  session(t).when('ready', ready, LATE).isRefused('session-closed')
  for (const over of [canceled, completed]) session(t, readied, over).when('ready', ready).isRefused('session-closed')
  given(t, checkoutSession).when('ready', ready).isRefused('session-not-found')
})

test('C-SES-07 the first agreement is kept, also one that comes after the challenges were minted', (t) => {
  session(t)
    .when('ready', { ...ready, mandate })
    .yields(readied, agreed)
  session(t, readied)
    .when('ready', { ...ready, mandate })
    .yields(agreed)
  session(t, readied, agreed)
    .when('ready', { ...ready, mandate: { ...mandate, keyThumbprint: 'another' } })
    .yieldsNothing()
})

test('X-IDEM-01 a call under one key changes a session once, and another body under it is refused', (t) => {
  session(t)
    .when('update', { ...terms, call })
    .yields(updated)
  session(t, updated)
    .when('update', { ...terms, call })
    .yieldsNothing()
  session(t, updated)
    .when('update', { ...terms, call: otherBody })
    .isRefused('idempotency-conflict')
  const withCall = { ...canceled, data: { ...canceled.data, call } } as Event
  session(t).when('cancel', { reason: 'asked', call }).yields(withCall)
  session(t, withCall).when('cancel', { reason: 'asked', call }).yieldsNothing()
  session(t, withCall).when('cancel', { reason: 'asked', call: otherBody }).isRefused('idempotency-conflict')
})

test('A session whose challenges are minted is not changed any more, and one is changed a hundred times at most', (t) => {
  session(t, readied).when('update', terms).isRefused('session-closed')
  session(t).when('update', terms, LATE).isRefused('session-closed')
  const unkeyed = { type: 'CheckoutSessionUpdated', data: { ...terms, ...own, updatedAt: NOW } } as const
  session(t, ...Array<Event>(99).fill(unkeyed))
    .when('update', terms)
    .yields(unkeyed)
  session(t, ...Array<Event>(100).fill(unkeyed))
    .when('update', terms)
    .isRefused('session-closed')
})

test('C-SES-14 T-SES-04 N-05 a session is canceled until it is paid, or is being paid', (t) => {
  for (const history of [[], [updated], [readied], [readied, taken, failed]])
    session(t, ...history)
      .when('cancel', { reason: 'asked' })
      .yields(canceled)
  session(t, readied, taken).when('cancel', { reason: 'asked' }).isRefused('already-paid')
  for (const over of [canceled, completed]) {
    session(t, readied, over).when('cancel', { reason: 'asked' }).isRefused('session-closed')
    session(t, readied, over).when('cancel', { reason: 'expired' }).yieldsNothing()
  }
  session(t, readied, taken).when('cancel', { reason: 'expired' }).yieldsNothing()
})

test('N-05 one that nobody paid in time is canceled already, and what its seller withdrew is so too', (t) => {
  session(t).when('cancel', { reason: 'asked' }, LATE).isRefused('session-closed')
  const withdrawn: Event = { type: 'CheckoutSessionCanceled', data: { ...own, reason: 'withdrawn', canceledAt: NOW } }
  session(t, readied).when('cancel', { reason: 'withdrawn' }).yields(withdrawn)
  session(t, readied, taken).when('cancel', { reason: 'withdrawn' }).yieldsNothing()
  session(t, readied, withdrawn).when('complete', paid).yieldsNothing()
})

test('C-SES-13 T-SES-03 N-06 a settled payment completes the session and places its order, once, and opens what is a resource', (t) => {
  session(t, readied).when('complete', paid).yields(completed)
  session(t, readied, taken)
    .when('complete', paid, LATE)
    .yields({
      type: 'CheckoutSessionCompleted',
      data: { ...paid, ...own, completedAt: LATE, delivered: [{ id: 'li_2', quantity: 1 }] },
    })
  session(t, readied, completed).when('complete', paid).yieldsNothing()
  session(t, readied, canceled).when('complete', paid).yieldsNothing()
  const expired: Event = { type: 'CheckoutSessionCanceled', data: { ...own, reason: 'expired', canceledAt: NOW } }
  session(t, readied, expired).when('complete', paid).yields(completed)
})

test('One signed payment is taken at a time, the next when that has failed', (t) => {
  const take = (authorizationId: string, over: string | null = null) => ({ authorizationId, over })
  session(t).when('takePayment', take('a1')).isRefused('session-closed')
  session(t, readied).when('takePayment', take('a1')).yields(taken)
  session(t, readied, taken).when('takePayment', take('a1')).yieldsNothing()
  session(t, readied, taken).when('takePayment', take('a2')).isRefused('already-paid')
  const next = { type: 'CheckoutSessionPaymentTaken', data: { ...own, authorizationId: 'a2', takenAt: NOW } } as const
  session(t, readied, taken).when('takePayment', take('a2', 'a1')).yields(next)
  session(t, readied, taken, failed).when('takePayment', take('a2')).yields(next)
  session(t, readied, taken).when('failPayment', { authorizationId: 'a2' }).yieldsNothing()
  session(t, readied, taken).when('failPayment', { authorizationId: 'a1' }).yields(failed)
  session(t, readied, taken, completed).when('failPayment', { authorizationId: 'a1' }).yieldsNothing()
})

test('X-IDEM-01 the key of a completion that pays is kept with its payment, and may carry it on', (t) => {
  const take = (authorizationId: string, key = call) => ({ authorizationId, over: null, call: key })
  const keyed: Event = { type: 'CheckoutSessionPaymentTaken', data: { ...taken.data, call } } as Event
  session(t, readied).when('takePayment', take('a1')).yields(keyed)
  session(t, readied, keyed).when('takePayment', take('a1')).yieldsNothing()
  session(t, readied, keyed).when('takePayment', take('a1', otherBody)).isRefused('idempotency-conflict')
  session(t, readied, keyed, failed).when('takePayment', take('a1')).yields(taken)
})

test('A hundred signed payments of one session are tried, whoever sends them', (t) => {
  const tries = (count: number) => Array.from({ length: count }, () => [taken, failed]).flat()
  const next = { authorizationId: 'a1', over: null }
  session(t, readied, ...tries(99))
    .when('takePayment', next)
    .yields(taken)
  session(t, readied, ...tries(100))
    .when('takePayment', next)
    .isRefused('session-closed')
})

test('C-ORD-01 its seller delivers no more of an order than was bought, and gives it back once', (t) => {
  const shipment = (id: string, quantity: number) => ({
    ...own,
    type: 'delivered' as const,
    lines: [{ id, quantity }],
    description: '',
    trackingUrl: null,
    occurredAt: NOW,
  })
  const delivered = (number: number, id: string, quantity: number): Event => ({
    type: 'OrderFulfilled',
    data: { ...shipment(id, quantity), orderId: ORDER_ID, number },
  })
  const order = (...history: Event[]) => session(t, readied, completed, ...history)
  session(t, readied).when('fulfill', shipment('li_1', 1)).isRefused('order-not-found')
  order()
    .when('fulfill', { ...shipment('li_1', 1), accountId: 'acc_other' })
    .isRefused('order-not-found')
  order()
    .when('fulfill', shipment('li_1', 1))
    .yields(delivered(2, 'li_1', 1))
  order(delivered(2, 'li_1', 1))
    .when('fulfill', shipment('li_1', 1))
    .yields(delivered(3, 'li_1', 1))
  order(delivered(2, 'li_1', 1))
    .when('fulfill', shipment('li_1', 2))
    .isRefused('invalid-request')
  for (const wrong of [shipment('li_2', 1), shipment('li_9', 1)])
    order().when('fulfill', wrong).isRefused('invalid-request')
  const refund = { type: 'refund', occurredAt: NOW } as const
  const adjusted: Event = {
    type: 'OrderAdjusted',
    data: { ...refund, ...own, orderId: ORDER_ID, number: 2, amount: '6100' },
  }
  order().when('adjust', refund).yields(adjusted)
  order(adjusted).when('adjust', refund).yieldsNothing()
  session(t, readied).when('adjust', refund).yieldsNothing()
  const failed = { type: 'refund-failed', occurredAt: NOW } as const
  const unadjusted: Event = {
    type: 'OrderAdjusted',
    data: { ...failed, ...own, orderId: ORDER_ID, number: 3, amount: '6100' },
  }
  order().when('adjust', failed).yieldsNothing()
  order(adjusted).when('adjust', failed).yields(unadjusted)
  order(adjusted, unadjusted).when('adjust', failed).yieldsNothing()
  order(adjusted, unadjusted)
    .when('adjust', refund)
    .yields({ type: 'OrderAdjusted', data: { ...adjusted.data, number: 4 } } as Event)
})

test('N-24 C-ORD-01 an order says since when its payment is lost, until it is paid again, whatever is told twice', (t) => {
  const order = (...history: Event[]) => session(t, readied, completed, ...history)
  const told = (stands: boolean, position: string) => ({ stands, occurredAt: NOW, position })
  const adjusted = (type: 'reversal' | 'reversal-ended', number: number, position: string): Event => ({
    type: 'OrderAdjusted',
    data: { ...own, orderId: ORDER_ID, number, type, amount: '6100', occurredAt: NOW, position },
  })
  const lost = adjusted('reversal', 2, '20')
  order().when('notePayment', told(true, '10')).yieldsNothing()
  order().when('notePayment', told(false, '20')).yields(lost)
  order(lost).when('notePayment', told(false, '20')).yieldsNothing()
  order(lost).when('notePayment', told(true, '10')).yieldsNothing()
  const again = adjusted('reversal-ended', 3, '30')
  order(lost).when('notePayment', told(true, '30')).yields(again)
  order(lost, again).when('notePayment', told(false, '20')).yieldsNothing()
  session(t, readied).when('notePayment', told(false, '20')).yieldsNothing()
})

test('a session that nobody paid in time is over, and one that is being paid is waited for', (t) => {
  const at = (status: 'incomplete' | 'ready_for_complete' | 'completed', now: string, payment: boolean) =>
    statusAt(
      { status, expiresAt: SESSION_EXPIRES, payment: payment ? { authorizationId: 'a', takenAt: NOW } : null },
      now,
    )
  t.is(at('incomplete', SESSION_EXPIRES, false), 'incomplete')
  t.is(at('incomplete', LATE, false), 'canceled')
  t.is(at('ready_for_complete', LATE, false), 'canceled')
  t.is(at('ready_for_complete', LATE, true), 'ready_for_complete')
  t.is(at('completed', LATE, false), 'completed')
})
