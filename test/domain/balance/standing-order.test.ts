import test from 'ava'
import { userBalance } from '../../../domain/balance/user-balance.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { given } from '../../support/given.ts'
import {
  APPROVED,
  activated,
  CLIENT,
  debit,
  debiting,
  ended,
  factsOf,
  forbidden,
  funds,
  MANDATE,
  terms,
} from './samples.ts'

const UNTIL = '2026-02-01T12:00:00.000Z'

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
  given(t, userBalance, ...many.slice(1))
    .when('activate', next, APPROVED)
    .yields(activated(data))
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
