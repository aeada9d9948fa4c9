import test from 'ava'
import { appCredit } from '../../../domain/balance/app-credit.ts'
import { creditGrant } from '../../../domain/balance/credit-grant.ts'
import { intent, intentStatusAt } from '../../../domain/balance/intent.ts'
import { ledgerEntry } from '../../../domain/balance/ledger-entry.ts'
import { mandate, mandateStateAt } from '../../../domain/balance/mandate.ts'
import { topUp, topUpStatusAt } from '../../../domain/balance/top-up.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { given, NOW } from '../../support/given.ts'
import { CLIENT, received, SUB, sent } from './samples.ts'

/** What is kept beside the accounts of users: app credit, entries, grants, intents, mandates and top-ups. */

const LATER = '2026-03-02T10:30:00.000Z'
const of = { clientId: CLIENT, sub: SUB }
const ways = { description: 'v1.d', redirectUri: 'https://a.test/cb', appState: '0123456789abcdef', expiresAt: LATER }

const credited = { type: 'AppCreditReceived', data: { ...received('10'), balance: '10' } } as const
const pushed = (total: string, balance: string) =>
  ({ type: 'AppCreditSent', data: { ...sent(total), number: 1, balance } }) as const

test('A-CRP-02 E-AUT-10 an app sends what its credit covers, and never more', (t) => {
  given(t, appCredit, credited)
    .when('send', { ...sent('10'), known: 0 })
    .yields(pushed('10', '0'))
  given(t, appCredit, credited)
    .when('send', { ...sent('11'), known: 0 })
    .isRefused('app-credit-insufficient')
  given(t, appCredit)
    .when('send', { ...sent('1'), known: 0 })
    .isRefused('app-credit-insufficient')
})

test('A-CRP-03 what an app has sent is not sent again, and its part comes in once', (t) => {
  const done = given(t, appCredit, credited, pushed('4', '6'))
  done.when('send', { ...sent('4'), known: 0 }).yieldsNothing()
  done.when('send', { ...sent('5'), known: 0 }).isRefused('idempotency-conflict')
  done.when('receive', received('10')).yieldsNothing()
  given(t, appCredit).when('receive', received('10')).yields(credited)
  const many = Array.from({ length: 50 }, (_, n) => ({
    ...pushed('1', '0'),
    data: { ...sent('1', `t${n}`), number: n + 1, balance: '9' },
  }))
  const forgotten = { type: 'AppTransfersBooked', data: { through: 50 } } as const
  given(t, appCredit, credited, ...many)
    .when('book', { number: 50 })
    .yields(forgotten)
  given(t, appCredit, credited, ...many, forgotten)
    .when('book', { number: 50 })
    .yieldsNothing()
  t.deepEqual(fold(appCredit, [credited, ...many, forgotten]).unbooked, {})
})

test('a transfer is entered once, and a grant given once', (t) => {
  const entry = { ...sent('5'), from: `user:${SUB}`, sentAt: NOW } as const
  given(t, ledgerEntry).when('book', entry).yields({ type: 'LedgerEntryBooked', data: entry })
  given(t, ledgerEntry, { type: 'LedgerEntryBooked', data: entry }).when('book', entry).yieldsNothing()
  const grant = { type: 'CreditGrantSent', data: sent('5', 'grant:1') } as const
  given(t, creditGrant).when('send', grant.data).yields(grant)
  given(t, creditGrant, grant).when('send', grant.data).yieldsNothing()
  given(t, creditGrant, grant).when('send', sent('6', 'grant:1')).isRefused('idempotency-conflict')
  given(t, creditGrant).when('send', sent('0', 'grant:1')).isRefused('amount-not-positive')
})

const wanted = { type: 'IntentCreated', data: { ...of, amount: '7', currency: 'USD', ...ways } } as const
const code = { codeHash: 'h', codeExpiresAt: '2026-03-02T10:10:00.000Z', amr: ['pwd', 'otp'] }
const confirmed = { type: 'IntentConfirmed', data: { ...of, ...code } } as const
const declined = { type: 'IntentDeclined', data: of } as const
const completed = { type: 'IntentCompleted', data: { ...of, ledgerRef: 'oidcpay-1', completedAt: NOW } } as const
const refunded = (ref: string, amount: string) =>
  ({ type: 'IntentRefundRequested', data: { ...of, ref, amount } }) as const

test('A-INT-01 an intent is made once', (t) => {
  given(t, intent).when('create', wanted.data).yields(wanted)
  given(t, intent, wanted).when('create', wanted.data).isRefused('id-taken')
})

test('A-INT-03 an intent is confirmed or declined once, in its half hour, and not both', (t) => {
  const pending = given(t, intent, wanted)
  pending.when('confirm', code).yields(confirmed)
  pending.when('confirm', code, LATER).isRefused('intent-expired')
  pending.when('decline', {}).yields(declined)
  pending.when('decline', {}, LATER).isRefused('intent-expired')
  given(t, intent, wanted, confirmed).when('confirm', code).isRefused('state-forbids')
  given(t, intent, wanted, confirmed).when('decline', {}).isRefused('state-forbids')
  given(t, intent, wanted, declined).when('confirm', code).isRefused('intent-declined')
  given(t, intent, wanted, declined).when('decline', {}).yieldsNothing()
  for (const [command, data] of [
    ['confirm', code],
    ['decline', {}],
    ['complete', completed.data],
    ['refund', { ref: 'r', amount: '1' }],
  ] as const)
    given(t, intent)
      .when(command, data as never)
      .isRefused('intent-not-found')
})

test('T-INT-03 A-INT-05 an intent is completed once, whatever time it is, because the money has moved', (t) => {
  const { ledgerRef, completedAt } = completed.data
  given(t, intent, wanted, confirmed)
    .when('complete', { ledgerRef, completedAt }, '2027-01-01T00:00:00.000Z')
    .yields(completed)
  given(t, intent, wanted, confirmed, completed).when('complete', { ledgerRef, completedAt: LATER }).yieldsNothing()
})

test('a completed intent is given back up to what was paid, each reference once', (t) => {
  const paid = [wanted, confirmed, completed]
  given(t, intent, wanted, confirmed).when('refund', { ref: 'a', amount: '1' }).isRefused('intent-not-completed')
  given(t, intent, ...paid)
    .when('refund', { ref: 'a', amount: '7' })
    .yields(refunded('a', '7'))
  given(t, intent, ...paid)
    .when('refund', { ref: 'a', amount: '8' })
    .isRefused('refund-too-high')
  given(t, intent, ...paid)
    .when('refund', { ref: 'a', amount: '0' })
    .isRefused('amount-not-positive')
  const part = given(t, intent, ...paid, refunded('a', '4'))
  part.when('refund', { ref: 'a', amount: '4' }).yieldsNothing()
  part.when('refund', { ref: 'a', amount: '3' }).isRefused('ref-conflict')
  part.when('refund', { ref: 'b', amount: '3' }).yields(refunded('b', '3'))
  part.when('refund', { ref: 'b', amount: '4' }).isRefused('refund-too-high')
})

test('what an intent says of itself: its times run out, and a completed one is never expired', (t) => {
  const at = (history: Parameters<typeof fold<typeof intent>>[1], now: string) => {
    const state = fold(intent, history)
    return state.status === 'none' ? 'none' : intentStatusAt(state, now)
  }
  t.is(at([wanted], NOW), 'pending')
  t.is(at([wanted], LATER), 'expired')
  t.is(at([wanted, confirmed], '2026-03-02T10:09:59.999Z'), 'confirmed')
  t.is(at([wanted, confirmed], '2026-03-02T10:10:00.000Z'), 'expired')
  t.is(at([wanted, confirmed, completed], '2030-01-01T00:00:00.000Z'), 'completed')
  t.is(at([wanted, declined], LATER), 'declined')
})

const terms = {
  mode: 'adhoc',
  perDebitCap: '5',
  lifetimeCap: '10',
  cooldown: 'none',
  schedAmount: null,
  schedInterval: null,
} as const
const proposed = { type: 'MandateCreated', data: { ...of, ...terms, ...ways } } as const
const approval = { approvedAt: NOW, validUntil: '2027-03-02T10:00:00.000Z' }
const approved = { type: 'MandateApproved', data: { ...of, ...approval } } as const
const turnedDown = { type: 'MandateDeclined', data: of } as const
const revocation = { by: 'app', revokedAt: NOW } as const
const revoked = { type: 'MandateRevoked', data: { ...of, ...revocation } } as const

test('T-MAN-02 a mandate follows what was decided in its user’s stream, each once', (t) => {
  given(t, mandate).when('create', proposed.data).yields(proposed)
  given(t, mandate, proposed).when('create', proposed.data).isRefused('id-taken')
  const pending = given(t, mandate, proposed)
  pending.when('approve', approval).yields(approved)
  pending.when('decline', {}).yields(turnedDown)
  pending.when('revoke', revocation).yields(revoked)
  given(t, mandate, proposed, approved).when('revoke', revocation).yields(revoked)
  for (const history of [
    [proposed, turnedDown],
    [proposed, approved, revoked],
  ]) {
    const over = given(t, mandate, ...history)
    over.when('approve', approval).yieldsNothing()
    over.when('decline', {}).yieldsNothing()
    over.when('revoke', revocation).yieldsNothing()
  }
  given(t, mandate, proposed, approved).when('approve', approval).yieldsNothing()
  for (const [command, data] of [
    ['approve', approval],
    ['decline', {}],
    ['revoke', revocation],
  ] as const)
    given(t, mandate)
      .when(command, data as never)
      .isRefused('mandate-not-found')
})

test('what a mandate says of itself: it waits for a while, runs for 12 months, and is used up', (t) => {
  const pending = { ...proposed.data, status: 'pending', spent: '0' } as const
  t.is(mandateStateAt(pending, NOW), 'pending')
  t.is(mandateStateAt(pending, LATER), 'expired')
  const active = { ...pending, ...approval, status: 'approved' } as const
  t.is(mandateStateAt(active, LATER), 'approved')
  t.is(mandateStateAt(active, approval.validUntil), 'expired')
  t.is(mandateStateAt({ ...active, spent: '10' }, LATER), 'exhausted')
  t.is(mandateStateAt({ ...active, status: 'revoked' }, approval.validUntil), 'revoked')
  t.is(mandateStateAt({ ...pending, status: 'declined' }, LATER), 'declined')
})

const started = {
  type: 'TopUpStarted',
  data: { clientId: CLIENT, amount: '10', redirectUri: 'https://a.test/cb', appState: 's', expiresAt: LATER },
} as const
const acceptance = { sub: SUB, requestId: 'pr_1', expiresAt: '2026-03-03T10:00:00.000Z' }
const accepted = { type: 'TopUpAccepted', data: { clientId: CLIENT, ...acceptance } } as const
const settling = (total: string, position: string, short = false) => ({
  ...sent(total, `topup:${position}`),
  topUpId: 'tu_1',
  sub: SUB,
  challengeId: `c${position}`,
  short,
  source: 'settle-top-ups',
  position,
})
const settled = (...a: Parameters<typeof settling>) =>
  ({ type: 'TopUpSettled', data: { ...settling(...a), settledAt: NOW } }) as const

test('A-TOP-02 a top-up is taken up by one person, in time', (t) => {
  given(t, topUp).when('start', started.data).yields(started)
  given(t, topUp, started).when('start', started.data).isRefused('id-taken')
  given(t, topUp, started).when('accept', acceptance).yields(accepted)
  given(t, topUp, started).when('accept', acceptance, LATER).isRefused('top-up-expired')
  given(t, topUp, started, accepted).when('accept', acceptance, LATER).yieldsNothing()
  given(t, topUp, started, accepted)
    .when('accept', { ...acceptance, sub: 'usr_2' })
    .isRefused('state-forbids')
  given(t, topUp).when('accept', acceptance).isRefused('top-up-not-found')
})

test('T-TOP-01 I-BAL-03 each payment of a top-up settles once, also when it is less or more than was asked for', (t) => {
  const open = given(t, topUp, started, accepted)
  open.when('settle', settling('12', '5')).yields(settled('12', '5'))
  open.when('settle', settling('0', '5')).isRefused('amount-not-positive')
  given(t, topUp, started, accepted, settled('12', '5')).when('settle', settling('12', '5')).yieldsNothing()
  given(t, topUp, started, accepted, settled('4', '5', true))
    .when('settle', settling('6', '6'))
    .yields(settled('6', '6'))
  given(t, topUp).when('settle', settling('12', '5')).isRefused('top-up-not-found')
})

test('what a top-up says of itself: what has settled is never expired', (t) => {
  const at = (now: string, ...history: Parameters<typeof fold<typeof topUp>>[1]) => {
    const state = fold(topUp, history)
    return state.status === 'none' ? 'none' : [topUpStatusAt(state, now), String(state.settled)].join(' ')
  }
  t.is(at(NOW, started), 'started 0')
  t.is(at(LATER, started), 'expired 0')
  t.is(at(LATER, started, accepted), 'accepted 0')
  t.is(at(acceptance.expiresAt, started, accepted), 'expired 0')
  t.is(at('2030-01-01T00:00:00.000Z', started, accepted, settled('4', '5', true)), 'underpaid 4')
  t.is(at(LATER, started, accepted, settled('4', '5', true), settled('6', '6')), 'completed 10')
  t.is(at(LATER, started, accepted, settled('10', '5'), settled('1', '6', true)), 'completed 11')
})
