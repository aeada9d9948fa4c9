import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { payout } from '../../domain/selling/payout.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, payoutRequested } from './samples.ts'

/** A payout by a link: whoever is paid says once where to, and the seller says once that it has paid. */

const { transactionId } = payoutRequested
const whose = { accountId: ACCOUNT, transactionId }
const requested = { type: 'PayoutInfoRequested', data: payoutRequested } as const
const details = { details: 'v1.where', print: 'p1' }
const told = { type: 'PayoutDetailsGiven', data: { ...whose, ...details, givenAt: NOW } } as const
const done = { type: 'PayoutCompleted', data: { ...whose, completedAt: NOW, by: 'owner' } } as const

test('N-38 a payout is asked for once', (t) => {
  given(t, payout).when('request', payoutRequested).yields(requested)
  given(t, payout, requested).when('request', payoutRequested).isRefused('id-taken')
  given(t, payout).when('giveDetails', details).isRefused('not-found')
  given(t, payout).when('complete', { by: 'owner' }).isRefused('not-found')
})

test('N-38 where a payout goes to is said once: the same again is quiet, and another place is refused', (t) => {
  given(t, payout, requested).when('giveDetails', details).yields(told)
  given(t, payout, requested, told).when('giveDetails', { details: 'v1.again', print: 'p1' }).yieldsNothing()
  given(t, payout, requested, told)
    .when('giveDetails', { ...details, print: 'p2' })
    .isRefused('state-forbids')
  given(t, payout, requested, told, done)
    .when('giveDetails', { ...details, print: 'p2' })
    .isRefused('state-forbids')
  given(t, payout, requested, told, done).when('giveDetails', details).yieldsNothing()
})

test('N-38 a payout that is paid takes no details any more, and is paid once', (t) => {
  given(t, payout, requested, done).when('giveDetails', details).isRefused('state-forbids')
  given(t, payout, requested).when('complete', { by: 'owner' }).yields(done)
  given(t, payout, requested, told).when('complete', { by: 'owner' }).yields(done)
  given(t, payout, requested, told, done).when('complete', { by: 'member' }).yieldsNothing()
})

test('N-38 a payout says how it stands, and keeps no details in its state', (t) => {
  const { details: _, ...facts } = payoutRequested
  const open = { ...facts, status: 'requested', givenAt: undefined, print: undefined, completedAt: undefined }
  t.deepEqual<unknown, unknown>(fold(payout, [requested]), open)
  t.deepEqual<unknown, unknown>(fold(payout, [requested, told]), { ...open, givenAt: NOW, print: 'p1' })
  t.deepEqual<unknown, unknown>(fold(payout, [requested, done]), { ...open, status: 'completed', completedAt: NOW })
})
