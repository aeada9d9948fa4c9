import { readFileSync } from 'node:fs'
import test from 'ava'
import {
  allowing,
  duePeriod,
  type MandateTerms,
  newStandingOrder,
  nextAllowedAt,
  orderAfterDebit,
  orderStateAt,
} from '../../../domain/balance/standing-order.ts'
import { userBalance } from '../../../domain/balance/user-balance.ts'
import type { Refusal } from '../../../domain/kernel/refusal.ts'
import { given } from '../../support/given.ts'
import {
  APPROVED,
  activated,
  debit,
  debiting,
  factsOf,
  funds,
  missed,
  missing,
  plan,
  schedule,
  terms,
} from './samples.ts'

type Golden = { type: string; data: { auto?: boolean } }
const golden: Golden[] = JSON.parse(readFileSync(new URL('../../golden/events.json', import.meta.url), 'utf8'))

test('A-MAN-06 a schedule debits its amount when a period is due, and months that are too short give their last day', (t) => {
  const active = [funds(), activated(schedule)]
  given(t, userBalance, ...active)
    .when('debit', debiting('3', 0), APPROVED)
    .yields(debit('3', '997', { period: 0, remainingCap: '7', nextDebitAt: '2026-02-28T12:00:00.000Z' }))
  const first = [...active, debit('3', '997', { period: 0, remainingCap: '7' })] as unknown as typeof active
  const refused = factsOf(t, first, 1, '3', '2026-02-28T11:59:59.999Z')
  t.deepEqual([refused?.code, refused?.facts], ['cooldown-active', { next_allowed_at: '2026-02-28T12:00:00.000Z' }])
  given(t, userBalance, ...first)
    .when('debit', debiting('3', 1, 'so:2'), '2026-02-28T12:00:00.000Z')
    .yields(
      debit(
        '3',
        '994',
        { period: 1, at: '2026-02-28T12:00:00.000Z', remainingCap: '4', nextDebitAt: '2026-03-31T12:00:00.000Z' },
        2,
        'so:2',
      ),
    )
})

test('a schedule is not debited by an app, an order without one not by the clock, and no period twice or by another amount', (t) => {
  given(t, userBalance, funds(), activated(schedule))
    .when('debit', debiting('3'), APPROVED)
    .isRefused('mandate-mode-mismatch')
  given(t, userBalance, funds(), activated())
    .when('debit', debiting('3', 0), APPROVED)
    .isRefused('mandate-mode-mismatch')
  given(t, userBalance, funds(), activated(schedule))
    .when('debit', debiting('2', 0), APPROVED)
    .isRefused('mandate-mode-mismatch')
  given(t, userBalance, funds(), activated(schedule), debit('3', '997', { period: 2 }))
    .when('debit', debiting('3', 2, 'so:2'), '2026-06-01T00:00:00.000Z')
    .isRefused('mandate-mode-mismatch')
})

test('a debit that was refused is tried a day later, then three days after that, then its period passes', (t) => {
  const day = (n: number) => new Date(Date.parse(APPROVED) + n * 86_400_000).toISOString()
  const february = '2026-02-28T12:00:00.000Z'
  const history = [
    activated(schedule),
    missed(0, 1, day(1), day(1)),
    missed(0, 2, day(4), day(4)),
    missed(0, 3, null, february),
  ]
  given(t, userBalance, ...history.slice(0, 1))
    .when('miss', missing(0, 1), day(0))
    .yields(history[1] as (typeof history)[1])
  given(t, userBalance, ...history.slice(0, 2))
    .when('miss', missing(0, 2), day(1))
    .yields(history[2] as (typeof history)[2])
  given(t, userBalance, ...history.slice(0, 3))
    .when('miss', missing(0, 3), day(4))
    .yields(history[3] as (typeof history)[3])
  // The same refusal, told twice; one of a period that has passed; one of an order that has ended.
  given(t, userBalance, ...history.slice(0, 2))
    .when('miss', missing(0, 1), day(0))
    .yieldsNothing()
  given(t, userBalance, ...history)
    .when('miss', missing(0, 4), day(4))
    .yieldsNothing()
  given(t, userBalance, ...history)
    .when('miss', missing(0, 1), day(4))
    .yieldsNothing()
  given(t, userBalance).when('miss', missing(0, 1), day(0)).yieldsNothing()
  // A later period begins to count anew, and older ones have passed.
  given(t, userBalance, ...history.slice(0, 3))
    .when('miss', missing(1, 1), february)
    .yields(missed(1, 1, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'))
  given(t, userBalance, ...history)
    .when('miss', missing(1, 1), february)
    .yields(missed(1, 1, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'))
})

test('a retry that would come when the next period is due, or after the order has ended, is left out', (t) => {
  const weekly = { ...schedule, schedInterval: 'weekly' } as const
  const day = (n: number) => new Date(Date.parse(APPROVED) + n * 86_400_000).toISOString()
  given(t, userBalance, activated(weekly))
    .when('miss', missing(0, 1), day(6))
    .yields(missed(0, 1, null, day(7)))
  given(t, userBalance, activated({ ...schedule, validUntil: day(31) }))
    .when('miss', missing(1, 1), day(30))
    .yields(missed(1, 1, null, null))
})

test('after a standstill only the newest period that is due is run, and none that is due when the order ends', (t) => {
  const order = newStandingOrder(schedule)
  t.is(duePeriod(order, APPROVED), 0)
  t.is(duePeriod(order, '2026-02-28T11:59:59.999Z'), 0)
  t.is(duePeriod(order, '2026-05-31T12:00:00.000Z'), 4)
  t.is(duePeriod(order, '2030-01-01T00:00:00.000Z'), 11)
  t.is(duePeriod({ ...order, nextPeriod: 6 }, '2026-03-01T00:00:00.000Z'), 6)
})

test('a schedule is over with its last period, or when less is left than it takes', (t) => {
  const last = orderAfterDebit(
    { ...newStandingOrder({ ...schedule, lifetimeCap: '100' }), nextPeriod: 11 },
    '3',
    11,
    '2026-12-31T12:00:00.000Z',
  )
  t.is(last.nextDebitAt, null)
  const short = orderAfterDebit({ ...newStandingOrder(schedule), spent: '5' }, '3', 0, APPROVED)
  t.deepEqual([short.nextDebitAt, orderStateAt(short, APPROVED)], [null, 'exhausted'])
  t.is(orderStateAt({ ...newStandingOrder(terms), spent: '9' }, APPROVED), 'approved')
})

test('I-BAL-04 a schedule that is quicker than its cooldown waits for it', (t) => {
  const order = newStandingOrder({ ...schedule, schedInterval: 'weekly', cooldown: 'monthly' })
  const after = orderAfterDebit(order, '3', 0, APPROVED)
  t.is(after.nextDebitAt, '2026-02-28T12:00:00.000Z')
  t.is(duePeriod(after, '2026-02-28T12:00:00.000Z'), 4)
})

test('Q-40 A-MAN-05 I-BAL-04 an app debits the schedule that it runs: at most its amount, once in each interval', (t) => {
  const active = [funds(), activated(plan)]
  const [february, march] = ['2026-02-28T12:00:00.000Z', '2026-03-31T12:00:00.000Z']
  for (const total of ['1', '3'])
    given(t, userBalance, ...active)
      .when('debit', debiting(total), APPROVED)
      .yields(debit(total, String(1_000 - Number(total)), { period: 0, remainingCap: String(10 - Number(total)) }))
  given(t, userBalance, ...active)
    .when('debit', debiting('4'), APPROVED)
    .isRefused('per-debit-cap-exceeded')
  const first = [...active, debit('3', '997', { period: 0, remainingCap: '7' })] as unknown as typeof active
  const early = factsOf(t, first, null, '1', '2026-02-28T11:59:59.999Z')
  t.deepEqual([early?.code, early?.facts], ['cooldown-active', { next_allowed_at: february }])
  given(t, userBalance, ...first)
    .when('debit', debiting('3', null, 'so:2'), february)
    .yields(debit('3', '994', { period: 1, at: february, remainingCap: '4' }, 2, 'so:2'))
  // What was not taken in an interval cannot be taken later, beside what that one allows.
  given(t, userBalance, ...first)
    .when('debit', debiting('3', null, 'so:2'), march)
    .yields(debit('3', '994', { period: 2, at: march, remainingCap: '4' }, 2, 'so:2'))
  given(t, userBalance, ...first)
    .when('debit', debiting('4', null, 'so:2'), march)
    .isRefused('per-debit-cap-exceeded')
  given(t, userBalance, ...active)
    .when('debit', debiting('3'), terms.validUntil)
    .isRefused('mandate-not-active')
  given(t, userBalance, funds('2'), activated(plan))
    .when('debit', debiting('3'), APPROVED)
    .isRefused('insufficient-balance')
})

test('Q-40 an order from before there was a choice is debited by Daybook, and by no app', (t) => {
  const [old, chosen] = golden.filter(({ type }) => type === 'StandingOrderActivated').map(({ data }) => data)
  t.deepEqual([old?.auto, chosen?.auto], [undefined, false])
  for (const [of, byDaybook, byApp] of [
    [old, 'yields', 'mandate-mode-mismatch'],
    [chosen, 'mandate-mode-mismatch', 'yields'],
  ] as const) {
    const order = newStandingOrder(of as MandateTerms)
    const outcome = (ran: number | null) => {
      try {
        allowing(order, BigInt(order.schedAmount ?? 0), ran, order.approvedAt)
        return 'yields'
      } catch (error) {
        return (error as Refusal).code
      }
    }
    t.deepEqual([outcome(0), outcome(null)], [byDaybook, byApp])
    t.is(order.nextDebitAt, of === old ? order.approvedAt : null)
  }
})

test('Q-40 the clock debits no schedule that the app runs, and counts none as missed', (t) => {
  given(t, userBalance, funds(), activated(plan))
    .when('debit', debiting('3', 0), APPROVED)
    .isRefused('mandate-mode-mismatch')
  given(t, userBalance, activated(plan)).when('miss', missing(0, 1), APPROVED).yieldsNothing()
  const after = orderAfterDebit(newStandingOrder(plan), '3', 0, APPROVED)
  t.deepEqual([newStandingOrder(plan).nextDebitAt, after.nextDebitAt], [null, null])
  t.deepEqual([nextAllowedAt(newStandingOrder(plan)), nextAllowedAt(after)], [APPROVED, '2026-02-28T12:00:00.000Z'])
})

test('Q-40 an app may take what is left of a cap, though it is less than its schedule takes', (t) => {
  t.is(orderStateAt({ ...newStandingOrder(plan), spent: '9' }, APPROVED), 'approved')
  t.is(orderStateAt({ ...newStandingOrder(plan), spent: '10' }, APPROVED), 'exhausted')
  t.is(orderStateAt({ ...newStandingOrder({ ...plan, auto: true }), spent: '9' }, APPROVED), 'exhausted')
})

test('Q-40 I-BAL-04 a schedule of an app waits for a cooldown that is longer than its interval', (t) => {
  const slow = { ...plan, schedInterval: 'weekly', cooldown: 'monthly' } as const
  const history = [funds(), activated(slow), debit('3', '997', { period: 0, remainingCap: '7' })]
  const early = factsOf(t, history, null, '1', '2026-02-10T12:00:00.000Z')
  t.deepEqual(early?.facts, { next_allowed_at: '2026-02-28T12:00:00.000Z' })
  const at = '2026-02-28T12:00:00.000Z'
  given(t, userBalance, ...history)
    .when('debit', debiting('3', null, 'so:2'), at)
    .yields(debit('3', '994', { period: 4, at, remainingCap: '4' }, 2, 'so:2'))
})
