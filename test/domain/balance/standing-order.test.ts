import test, { type ExecutionContext } from 'ava'
import { begun, debited, duePeriod, type MandateTerms, orderStateAt } from '../../../domain/balance/standing-order.ts'
import { type UserBalanceEvents, userBalance } from '../../../domain/balance/user-balance.ts'
import { fold } from '../../../domain/decider.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { given } from '../../support/given.ts'
import { APPROVED, CLIENT, MANDATE, received, schedule, sent, terms } from './samples.ts'

const UNTIL = '2026-02-01T12:00:00.000Z'
const funds = (amount = '1000') =>
  ({ type: 'BalanceReceived', data: { ...received(amount), balance: amount } }) as const
const activated = (of: MandateTerms = terms) => ({ type: 'StandingOrderActivated', data: of }) as const
const ended = {
  type: 'StandingOrderEnded',
  data: { mandateId: MANDATE, clientId: CLIENT, by: 'user', endedAt: APPROVED },
} as const
const forbidden = { ...ended, type: 'StandingOrderForbidden' } as const

type Order = NonNullable<UserBalanceEvents['BalanceSent']['order']>
const debit = (total: string, balance: string, order: Partial<Order>, number = 1, transferId = 'so:1') => {
  const own = { mandateId: MANDATE, period: null, at: APPROVED, remainingCap: '0', nextDebitAt: null, ...order }
  return {
    type: 'BalanceSent',
    data: { ...sent(total, transferId), mandateId: MANDATE, number, balance, order: own },
  } as const
}
const debiting = (total: string, period: number | null = null, transferId = 'so:1') => ({
  ...{ ...sent(total, transferId), mandateId: MANDATE, period, known: 0 },
})
const missed = (period: number, attempt: number, retryAt: string | null, nextDebitAt: string | null) =>
  ({
    type: 'StandingOrderDebitMissed',
    data: {
      mandateId: MANDATE,
      clientId: CLIENT,
      period,
      attempt,
      reason: 'insufficient-balance',
      retryAt,
      nextDebitAt,
    },
  }) as const
const missing = (period: number, attempt: number) => ({
  mandateId: MANDATE,
  period,
  attempt,
  reason: 'insufficient-balance',
})

/** The facts of a refused debit. */
const factsOf = (
  t: ExecutionContext,
  history: Parameters<typeof fold<typeof userBalance>>[1],
  period: number | null,
  total: string,
  now: string,
) =>
  t.throws(() => userBalance.decide.debit(fold(userBalance, history), debiting(total, period, 'so:next'), now), {
    instanceOf: Refusal,
  })

test('A-MAN-05 I-BAL-04 a debit within the caps is sent, and tells what is left of the lifetime cap', (t) => {
  const active = given(t, userBalance, funds(), activated())
  active.when('debit', debiting('5'), APPROVED).yields(debit('5', '995', { remainingCap: '5' }))
  given(t, userBalance, funds(), activated(), debit('5', '995', { remainingCap: '5' }))
    .when('debit', debiting('5', null, 'so:2'), APPROVED)
    .yields(debit('5', '990', { remainingCap: '0' }, 2, 'so:2'))
})

test('L-AUT-09 A-MAN-06 a debit above the cap for one, or above what is left for all, is refused', (t) => {
  const active = given(t, userBalance, funds(), activated())
  active.when('debit', debiting('6'), APPROVED).isRefused('per-debit-cap-exceeded')
  const half = given(
    t,
    userBalance,
    funds(),
    activated(),
    debit('5', '995', { remainingCap: '5' }, 1),
    debit('1', '994', { remainingCap: '4' }, 2, 'so:2'),
  )
  half.when('debit', debiting('5', null, 'so:3'), APPROVED).isRefused('lifetime-cap-exceeded')
  half.when('debit', debiting('4', null, 'so:3'), APPROVED).yields(debit('4', '990', { remainingCap: '0' }, 3, 'so:3'))
})

test('A-MAN-07 a debit that comes again is quiet, with other terms it is refused, also when the order has ended since', (t) => {
  const done = [funds(), activated(), debit('5', '995', { remainingCap: '5' })]
  for (const history of [done, [...done, ended]]) {
    given(t, userBalance, ...history)
      .when('debit', debiting('5'), APPROVED)
      .yieldsNothing()
    given(t, userBalance, ...history)
      .when('debit', debiting('4'), APPROVED)
      .isRefused('idempotency-conflict')
  }
  t.is(fold(userBalance, done).unbooked['so:1']?.remainingCap, '5')
})

test('I-BAL-05 a debit that the balance does not cover is refused', (t) => {
  given(t, userBalance, funds('4'), activated())
    .when('debit', debiting('5'), APPROVED)
    .isRefused('insufficient-balance')
  given(t, userBalance, funds('5'), activated())
    .when('debit', debiting('5'), APPROVED)
    .yields(debit('5', '0', { remainingCap: '5' }))
})

test('A-MAN-06 L-AUT-08 an order debits until the last moment of its 12 months, and says why it does not after that', (t) => {
  const active = [funds(), activated()]
  given(t, userBalance, ...active)
    .when('debit', debiting('1'), '2027-01-31T11:59:59.999Z')
    .yields(debit('1', '999', { at: '2027-01-31T11:59:59.999Z', remainingCap: '9' }))
  const facts = (history: typeof active, now: string) => factsOf(t, history, null, '1', now)?.facts
  t.deepEqual(facts(active, terms.validUntil), { state: 'expired' })
  t.deepEqual(facts([funds()], APPROVED), { state: 'revoked' })
  const used = [...active, debit('5', '995', {}, 1), debit('5', '990', {}, 2, 'so:2')] as unknown as typeof active
  t.deepEqual(facts(used, APPROVED), { state: 'exhausted' })
  given(t, userBalance, ...active, ended)
    .when('debit', debiting('1'), APPROVED)
    .isRefused('mandate-not-active')
})

test('A-MAN-06 I-BAL-04 one debit each cooldown: a week to the moment, or a calendar month that may be shorter', (t) => {
  for (const [cooldown, next] of [
    ['weekly', '2026-02-07T12:00:00.000Z'],
    ['monthly', '2026-02-28T12:00:00.000Z'],
  ] as const) {
    const history = [funds(), activated({ ...terms, cooldown }), debit('1', '999', { remainingCap: '9' })]
    const before = new Date(Date.parse(next) - 1).toISOString()
    const refused = factsOf(t, history, null, '1', before)
    t.deepEqual([refused?.code, refused?.facts], ['cooldown-active', { next_allowed_at: next }])
    given(t, userBalance, ...history)
      .when('debit', debiting('1', null, 'so:2'), next)
      .yields(debit('1', '998', { at: next, remainingCap: '8' }, 2, 'so:2'))
  }
})

test('an order is activated once, in time, and never again after it was declined or revoked', (t) => {
  given(t, userBalance)
    .when('activate', { ...terms, until: UNTIL }, APPROVED)
    .yields(activated())
  given(t, userBalance, activated())
    .when('activate', { ...terms, until: UNTIL }, APPROVED)
    .yieldsNothing()
  given(t, userBalance)
    .when('activate', { ...terms, until: UNTIL }, UNTIL)
    .isRefused('mandate-expired')
  given(t, userBalance, forbidden)
    .when('activate', { ...terms, until: UNTIL }, APPROVED)
    .isRefused('state-forbids')
  given(t, userBalance, activated(), ended)
    .when('activate', { ...terms, until: UNTIL }, APPROVED)
    .isRefused('state-forbids')
})

test('T-MAN-02 what was approved cannot be declined any more, and what was declined is quiet when it is declined again', (t) => {
  const decline = { mandateId: MANDATE, clientId: CLIENT, by: 'user' } as const
  given(t, userBalance).when('forbid', decline, APPROVED).yields(forbidden)
  given(t, userBalance, forbidden).when('forbid', decline, APPROVED).yieldsNothing()
  given(t, userBalance, activated()).when('forbid', decline, APPROVED).isRefused('state-forbids')
})

test('an order ends once, and what never began is quiet', (t) => {
  given(t, userBalance, activated()).when('end', { mandateId: MANDATE, by: 'user' }, APPROVED).yields(ended)
  given(t, userBalance, activated(), ended).when('end', { mandateId: MANDATE, by: 'app' }, APPROVED).yieldsNothing()
  given(t, userBalance).when('end', { mandateId: MANDATE, by: 'app' }, APPROVED).yieldsNothing()
})

test('a user has at most a hundred active orders; those that can debit no more make room', (t) => {
  const many = Array.from({ length: 100 }, (_, n) => activated({ ...terms, mandateId: `so_${n + 100}` }))
  const next = { ...terms, mandateId: 'so_new', until: '2099-01-01T00:00:00.000Z' }
  given(t, userBalance, ...many)
    .when('activate', next, APPROVED)
    .isRefused('too-many-mandates')
  const { until: _, ...data } = next
  given(t, userBalance, ...many)
    .when('activate', next, terms.validUntil)
    .yields(activated(data))
  const late = { ...data, approvedAt: terms.validUntil }
  t.deepEqual(Object.keys(fold(userBalance, [...many, activated(late)]).orders), ['so_new'])
})

test('what was declined is remembered for as long as a mandate waits, and no longer', (t) => {
  const at = (endedAt: string, mandateId: string) => ({ ...forbidden, data: { ...forbidden.data, mandateId, endedAt } })
  const state = fold(userBalance, [
    at('2026-01-01T00:00:00.000Z', 'a'),
    at('2026-01-01T12:00:00.000Z', 'b'),
    at('2026-01-02T00:00:00.000Z', 'c'),
  ])
  t.deepEqual(state.closed, { b: '2026-01-02T12:00:00.000Z', c: '2026-01-03T00:00:00.000Z' })
})

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
  given(t, userBalance).when('miss', missing(0, 1), day(0)).yieldsNothing()
  // A later period begins to count anew, and older ones have passed.
  given(t, userBalance, ...history.slice(0, 3))
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
  const order = begun(schedule)
  t.is(duePeriod(order, APPROVED), 0)
  t.is(duePeriod(order, '2026-02-28T11:59:59.999Z'), 0)
  t.is(duePeriod(order, '2026-05-31T12:00:00.000Z'), 4)
  t.is(duePeriod(order, '2030-01-01T00:00:00.000Z'), 11)
  t.is(duePeriod({ ...order, nextPeriod: 6 }, '2026-03-01T00:00:00.000Z'), 6)
})

test('a schedule is over with its last period, or when less is left than it takes', (t) => {
  const last = debited(
    { ...begun({ ...schedule, lifetimeCap: '100' }), nextPeriod: 11 },
    '3',
    11,
    '2026-12-31T12:00:00.000Z',
  )
  t.is(last.nextDebitAt, null)
  const short = debited({ ...begun(schedule), spent: '5' }, '3', 0, APPROVED)
  t.deepEqual([short.nextDebitAt, orderStateAt(short, APPROVED)], [null, 'exhausted'])
  t.is(orderStateAt({ ...begun(terms), spent: '9' }, APPROVED), 'approved')
})

test('I-BAL-04 a schedule that is quicker than its cooldown waits for it', (t) => {
  const order = begun({ ...schedule, schedInterval: 'weekly', cooldown: 'monthly' })
  const after = debited(order, '3', 0, APPROVED)
  t.is(after.nextDebitAt, '2026-02-28T12:00:00.000Z')
  t.is(duePeriod(after, '2026-02-28T12:00:00.000Z'), 4)
})
