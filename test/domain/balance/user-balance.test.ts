import test from 'ava'
import type { TransferRequest } from '../../../domain/balance/purse.ts'
import { userBalance } from '../../../domain/balance/user-balance.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { given } from '../../support/given.ts'
import { CLIENT, received, sent } from './samples.ts'

const known = 0
const inflow = (amount: string, balance = amount, position = '10') =>
  ({ type: 'BalanceReceived', data: { ...received(amount, position), balance } }) as const
const outflow = (total: string, balance: string, number = 1, transferId?: string) =>
  ({ type: 'BalanceSent', data: { ...sent(total, transferId), number, balance } }) as const
const forgotten = (through: number) => ({ type: 'UserTransfersBooked', data: { through } }) as const
const sending = (total: string, transferId?: string, more: Partial<TransferRequest> = {}): TransferRequest => ({
  ...sent(total, transferId),
  known,
  ...more,
})

test('I-BAL-05 a user sends what the balance covers, to the last unit, and never more', (t) => {
  const funded = given(t, userBalance, inflow('10'))
  funded.when('send', sending('10')).yields(outflow('10', '0'))
  funded.when('send', sending('11')).isRefused('insufficient-balance')
  given(t, userBalance, inflow('10'), outflow('4', '6'))
    .when('send', sending('7', 'push:x'))
    .isRefused('insufficient-balance')
  given(t, userBalance).when('send', sending('1')).isRefused('insufficient-balance')
})

test('nothing, and less than nothing, is neither sent nor received', (t) => {
  for (const amount of ['0', '-1']) {
    given(t, userBalance, inflow('10')).when('send', sending(amount)).isRefused('amount-not-positive')
    given(t, userBalance).when('receive', received(amount)).isRefused('amount-not-positive')
  }
})

test('legs that do not make up the total, or name one account twice, are a mistake and not a transfer', (t) => {
  const leg = { to: `app:${CLIENT}`, amount: '5' } as const
  for (const legs of [[], [leg], [leg, leg]])
    t.throws(() => userBalance.decide.send(fold(userBalance, [inflow('20')]), sending('10', 'x', { legs }), ''), {
      message: /do not make up its total/,
    })
})

test('I-BAL-02 each part is received once: the same place of a source, and a lower one, are quiet', (t) => {
  const funded = given(t, userBalance, inflow('10', '10', '9'))
  funded.when('receive', received('5', '9')).yieldsNothing()
  funded.when('receive', received('5', '8')).yieldsNothing()
  funded.when('receive', received('5', '10')).yields(inflow('5', '15', '10'))
  funded
    .when('receive', received('5', '1', 'another'))
    .yields({ type: 'BalanceReceived', data: { ...received('5', '1', 'another'), balance: '15' } })
  const far = (2n ** 63n - 1n).toString()
  given(t, userBalance, inflow('1', '1', far))
    .when('receive', received('5', '9223372036854775806'))
    .yieldsNothing()
})

test('I-BAL-02 a part that comes before the one that was sent before it has to wait', (t) => {
  const funded = given(t, userBalance, inflow('10', '10', '9'))
  funded.when('receive', { ...received('5', '12'), after: '11' }).isRefused('busy')
  funded.when('receive', { ...received('5', '12'), after: '9' }).yields(inflow('5', '15', '12'))
  funded.when('receive', { ...received('5', '9'), after: '8' }).yieldsNothing()
  given(t, userBalance)
    .when('receive', { ...received('5', '12'), after: '11' })
    .isRefused('busy')
})

test('I-BAL-01 a transfer that is on its way is not sent again, and other terms under its name are refused', (t) => {
  const once = given(t, userBalance, inflow('10'), outflow('4', '6'))
  once.when('send', sending('4')).yieldsNothing()
  once.when('send', sending('5')).isRefused('idempotency-conflict')
  once.when('send', sending('4', 'intent:pi_2')).yields(outflow('4', '2', 2, 'intent:pi_2'))
})

test('X-IDEM-02 who looked for an entry before some were forgotten has to look again', (t) => {
  const history = Array.from({ length: 60 }, (_, n) => outflow('1', String(99 - n), n + 1, `t${n + 1}`))
  const booked = given(t, userBalance, inflow('100'), ...history, forgotten(50))
  // It may be one of those that were booked since.
  booked.when('send', sending('1', 't7', { known: 6 })).isRefused('busy')
  booked.when('send', sending('1', 't7', { known: 49 })).isRefused('busy')
  booked.when('send', sending('1', 'new', { known: 50 })).yields(outflow('1', '39', 61, 'new'))
  // What is still remembered needs no entry.
  booked.when('send', sending('1', 't55', { known: 0 })).yieldsNothing()
  booked.when('send', sending('2', 't55', { known: 60 })).isRefused('idempotency-conflict')
})

test('transfers are forgotten by fifties, in order, and none that was not sent', (t) => {
  const history = Array.from({ length: 60 }, (_, n) => outflow('1', String(99 - n), n + 1, `t${n + 1}`))
  const all = given(t, userBalance, inflow('100'), ...history)
  all.when('book', { number: 49 }).yieldsNothing()
  all.when('book', { number: 50 }).yields(forgotten(50))
  all.when('book', { number: 61 }).yieldsNothing()
  given(t, userBalance, inflow('100'), ...history, forgotten(50))
    .when('book', { number: 50 })
    .yieldsNothing()
  const state = fold(userBalance, [inflow('100'), ...history, forgotten(50)])
  t.deepEqual(Object.keys(state.unbooked), ['t51', 't52', 't53', 't54', 't55', 't56', 't57', 't58', 't59', 't60'])
  t.is(state.balance, 40n)
})

test('at most a thousand transfers of one account are under way', (t) => {
  const history = Array.from({ length: 1_000 }, (_, n) => outflow('1', String(1_999 - n), n + 1, `t${n + 1}`))
  given(t, userBalance, inflow('2000'), ...history)
    .when('send', sending('1', 'new', { known: 1_000 }))
    .isRefused('busy')
  given(t, userBalance, inflow('2000'), ...history)
    .when('send', sending('1', 't1000'))
    .yieldsNothing()
})

test('a transfer whose time is up is not sent, and one that was sent in time stays sent', (t) => {
  const until = '2026-03-02T10:00:00.000Z'
  const funded = given(t, userBalance, inflow('10'))
  funded.when('send', sending('4', 'intent:pi_1', { until }), '2026-03-02T09:59:59.999Z').yields(outflow('4', '6'))
  funded.when('send', sending('4', 'intent:pi_1', { until }), until).isRefused('intent-expired')
  given(t, userBalance, inflow('10'), outflow('4', '6'))
    .when('send', sending('4', 'intent:pi_1', { until }), until)
    .yieldsNothing()
})
