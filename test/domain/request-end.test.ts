import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import type { OpenSet } from '../../domain/selling/challenge-state.ts'
import { judge } from '../../domain/selling/judge.ts'
import {
  type PaymentRequestEvents,
  paymentRequest,
  type WithdrawalReason,
} from '../../domain/selling/payment-request.ts'
import { asRequested } from '../../domain/selling/request-end.ts'
import { EXPIRES, opened, requestOpened, transferData } from './samples.ts'

/** How challenges end when their request is withdrawn, or asks for another price (M-TXN-10, T-SES-04). */

const AT = '2026-03-02T10:20:00.000Z'
const refs = { accountId: requestOpened.accountId, transactionId: requestOpened.transactionId }
const requested = { type: 'PaymentRequestOpened', data: requestOpened } as const
const inCart = { type: 'PaymentRequestOpened', data: { ...requestOpened, checkoutSession: 'cs_1' } } as const
const withdrawn = (reason?: WithdrawalReason) =>
  ({ type: 'PaymentRequestWithdrawn', data: { ...refs, ...(reason && { reason, withdrawnAt: AT }) } }) as const
const priced = (amount: string, changedAt: string) =>
  ({ type: 'PaymentRequestChanged', data: { ...refs, amount, changedAt } }) as const

type History = Parameters<typeof fold<typeof paymentRequest>>[1]
const setUnder = (history: History, terms?: number): OpenSet => {
  const ref = { requestId: 'pr_1', transactionId: refs.transactionId, ...(terms !== undefined && { terms }) }
  const set = fold(challenge, [{ type: 'ChallengeOpened', data: { ...opened, resId: null, paymentRequest: ref } }])
  return asRequested(set as OpenSet, fold(paymentRequest, history))
}
const judged = (set: OpenSet, minedAt: string, network = 'eth') => {
  const entries = set.entries.map((entry) => ({ ...entry, network }))
  return judge({ ...set, entries }, 'eth', { ...transferData, network, minedAt }).judgement
}

test('M-TXN-12 what a seller withdraws still takes what was paid before, and anything later is late', (t) => {
  for (const reason of ['deleted', 'by-hand'] as const) {
    const set = setUnder([requested, withdrawn(reason)])
    t.is(set.expiresAt, AT)
    t.is(judged(set, AT), 'pays', reason)
    t.is(judged(set, '2026-03-02T10:20:01.000Z'), 'late', reason)
    // A block of Bitcoin may be mined, or seem to be, long after the payment was sent.
    t.is(judged(set, '2026-03-02T11:00:00.000Z', 'btc'), 'pays')
  }
  // Older events do not say when, and ended nothing.
  t.is(judged(setUnder([requested, withdrawn()]), EXPIRES), 'pays')
  t.is(judged(setUnder([requested]), EXPIRES), 'pays')
})

test('T-SES-04 after a cart was canceled, everything is late, whenever it was mined', (t) => {
  for (const reason of ['canceled', 'deleted'] as const) {
    const set = setUnder([inCart, withdrawn(reason)])
    t.is(judged(set, '2026-03-02T10:00:01.000Z'), 'late')
    t.is(judged(set, AT, 'btc'), 'late')
  }
  // What carries out a signature that was taken before is not: a cart that it pays is not canceled.
  const set = setUnder([inCart, withdrawn('canceled')])
  const kept = { ...set, reserved: { eth: 'eth:usdc:0xfrom:0x1' } }
  t.is(judge({ ...kept, gone: { eth: {} } }, 'eth', transferData).judgement, 'late')
})

test('M-TXN-10 challenges of an old price end two minutes after it, each with the next price, and those of the new one do not', (t) => {
  const history: History = [requested, priced('5', AT), priced('6', '2026-03-02T10:40:00.000Z')]
  const first = setUnder(history)
  t.is(first.expiresAt, '2026-03-02T10:22:00.000Z')
  t.is(judged(first, '2026-03-02T10:22:00.000Z'), 'pays')
  t.is(judged(first, '2026-03-02T10:22:01.000Z'), 'late')
  t.is(setUnder(history, 1).expiresAt, '2026-03-02T10:42:00.000Z')
  t.is(setUnder(history, 2).expiresAt, EXPIRES)
  // Another redirect ends nothing, and no end is later than its own.
  const led = { type: 'PaymentRequestChanged', data: { ...refs, redirect: 'https://a.test', changedAt: AT } } as const
  t.is(setUnder([requested, led]).expiresAt, EXPIRES)
  t.is(setUnder([requested, priced('5', '2026-03-02T10:59:30.000Z')]).expiresAt, EXPIRES)
})

test('M-TXN-10 an old price that another process asks for meanwhile has ended before anybody is told of it', (t) => {
  const state = fold(paymentRequest, [requested, priced('5', AT)])
  if (state.status === 'none') return t.fail()
  t.deepEqual([state.amount, state.repriced], ['5', [AT]])
  const events: (keyof PaymentRequestEvents)[] = ['PaymentRequestOpened', 'PaymentRequestChanged']
  t.true(events.every((type) => type in paymentRequest.evolve))
})
