import test from 'ava'
import { topUp, topUpStatusAt } from '../../../domain/balance/top-up.ts'
import { userBalance } from '../../../domain/balance/user-balance.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { given, NOW } from '../../support/given.ts'
import { CLIENT, received, SUB, sent } from './samples.ts'

/** Money that had come and is not in its chain any more: what leaves the balance, what is owed, what a top-up says. */

const LATER = '2026-03-02T10:30:00.000Z'
const SOURCE = 'take-back-top-ups'

const came = (amount: string, balance = amount, position = '1') =>
  ({ type: 'BalanceReceived', data: { ...received(amount, position), balance } }) as const
const back = (amount: string, position = '2') => received(amount, position, SOURCE)
const taken = (amount: string, balance: string, owed: string, position = '2') =>
  ({ type: 'BalanceTakenBack', data: { ...back(amount, position), balance, owed } }) as const
const collected = (amount: string, balance: string, position: string) => {
  const { from: _from, source: _source, position: _position, ...part } = received(amount, position)
  return { type: 'OwedBalanceCollected', data: { ...part, balance } } as const
}

test('N-24 I-BAL-05 a balance that covers what is taken back loses that alone, and nothing is owed', (t) => {
  given(t, userBalance, came('10'))
    .when('takeBack', back('4'))
    .yields(taken('4', '6', '0'))
  given(t, userBalance, came('10'))
    .when('takeBack', back('10'))
    .yields(taken('10', '0', '0'))
  given(t, userBalance, came('10'), taken('4', '6', '0'))
    .when('receive', received('5', '3'))
    .yields(came('5', '11', '3'))
  t.like(fold(userBalance, [came('10'), taken('4', '6', '0')]), { balance: 6n, owed: 0n })
})

test('N-24 I-BAL-05 what is owed takes of what comes, all of it while it is less, and no more than is owed', (t) => {
  const owing = [came('10'), taken('10', '0', '4')]
  t.like(fold(userBalance, owing), { balance: 0n, owed: 4n })
  given(t, userBalance, ...owing)
    .when('receive', received('3', '3'))
    .yields(came('3', '3', '3'), collected('3', '0', '3'))
  given(t, userBalance, ...owing)
    .when('receive', received('4', '3'))
    .yields(came('4', '4', '3'), collected('4', '0', '3'))
  const partly = [...owing, came('3', '3', '3'), collected('3', '0', '3')]
  t.like(fold(userBalance, partly), { balance: 0n, owed: 1n })
  given(t, userBalance, ...partly)
    .when('receive', received('5', '4'))
    .yields(came('5', '5', '4'), collected('1', '4', '4'))
  const paid = [...partly, came('5', '5', '4'), collected('1', '4', '4')]
  t.like(fold(userBalance, paid), { balance: 4n, owed: 0n })
  given(t, userBalance, ...paid)
    .when('receive', received('2', '5'))
    .yields(came('2', '6', '5'))
})

test('N-24 what is taken back twice is owed together', (t) => {
  const twice = [came('10'), taken('10', '0', '4'), taken('0', '0', '3', '5')]
  given(t, userBalance, ...twice.slice(0, 2))
    .when('takeBack', back('3', '5'))
    .yields(taken('0', '0', '3', '5'))
  t.like(fold(userBalance, twice), { balance: 0n, owed: 7n })
})

const started = {
  type: 'TopUpStarted',
  data: { clientId: CLIENT, amount: '10', redirectUri: 'https://a.test/cb', appState: 's', expiresAt: LATER },
} as const
const accepted = {
  type: 'TopUpAccepted',
  data: { clientId: CLIENT, sub: SUB, requestId: 'pr_1', expiresAt: LATER },
} as const
const settled = (total: string, position: string, settledAt = NOW, short = false) => {
  const { request, kind, legs, ...transfer } = sent(total, `topup:${position}`)
  const answer = { topUpId: 'tu_1', sub: SUB, challengeId: `c${position}`, source: 'settle-top-ups', position }
  return { type: 'TopUpSettled', data: { ...transfer, request, kind, legs, ...answer, short, settledAt } } as const
}
const reversing = (total: string, position: string) => ({
  topUpId: 'tu_1',
  challengeId: `c${position}`,
  transferId: `topup:${position}`,
  ledgerRef: `ref-topup:${position}`,
  total,
  clientId: CLIENT,
  source: SOURCE,
  position,
})
const reversed = (total: string, position: string) =>
  ({ type: 'TopUpReversed', data: { ...reversing(total, position), sub: SUB, reversedAt: NOW } }) as const

test('N-24 A-TOP-03 what a top-up has lost is taken back from the one who topped up, once', (t) => {
  const paid = [started, accepted, settled('10', '5')]
  given(t, topUp, ...paid)
    .when('reverse', reversing('10', '7'))
    .yields(reversed('10', '7'))
  // The first place in the order counts too.
  given(t, topUp, ...paid)
    .when('reverse', reversing('10', '0'))
    .yields(reversed('10', '0'))
  const lost = given(t, topUp, ...paid, reversed('10', '7'))
  lost.when('reverse', reversing('10', '7')).yieldsNothing()
  lost.when('reverse', reversing('10', '6')).yieldsNothing()
  lost.when('reverse', reversing('10', '8')).yields(reversed('10', '8'))
  given(t, topUp, started).when('reverse', reversing('10', '7')).isRefused('top-up-not-found')
  given(t, topUp).when('reverse', reversing('10', '7')).isRefused('top-up-not-found')
})

test('N-24 A-TOP-02 a top-up says what is left of it: less than was asked for, or nothing, which is waited for again', (t) => {
  const at = (...history: Parameters<typeof fold<typeof topUp>>[1]) => {
    const state = fold(topUp, [started, accepted, ...history])
    return state.status === 'none' ? 'none' : [topUpStatusAt(state, NOW), state.settled, state.completedAt ?? 'never']
  }
  t.deepEqual(at(settled('4', '5', NOW, true)), ['underpaid', 4n, 'never'])
  t.deepEqual(at(settled('10', '5')), ['completed', 10n, NOW])
  // What comes after it was completed does not complete it anew.
  t.deepEqual(at(settled('10', '5'), settled('1', '6', LATER)), ['completed', 11n, NOW])
  t.deepEqual(at(settled('10', '5'), settled('2', '6', LATER), reversed('10', '7')), ['underpaid', 2n, 'never'])
  t.deepEqual(at(settled('10', '5'), reversed('10', '7')), ['accepted', 0n, 'never'])
  t.deepEqual(at(settled('10', '5'), reversed('10', '7'), settled('10', '8', LATER)), ['completed', 10n, LATER])
})
