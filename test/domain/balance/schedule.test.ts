import test from 'ava'
import { duePeriod, newStandingOrder, orderAfterDebit, orderStateAt } from '../../../domain/balance/standing-order.ts'
import { userBalance } from '../../../domain/balance/user-balance.ts'
import { given } from '../../support/given.ts'
import { APPROVED, activated, debit, debiting, factsOf, funds, missed, missing, schedule, terms } from './samples.ts'

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
