import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { storeOf, type Transaction, transaction } from '../../domain/selling/transactions/transaction.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, paidCoin, payoutRequested, recordedTransaction, transferData } from './samples.ts'

/** What becomes of the record of a payment: it is seen, completed, moved, taken back and rejected. */

const accountId = ACCOUNT
const by = 'owner'
const UNTIL = '2026-03-02T11:00:00.000Z'
const created = { type: 'TransactionCreated', data: recordedTransaction } as const
const createdAs = (more: object) => ({ type: 'TransactionCreated', data: { ...recordedTransaction, ...more } }) as const
const done = { hash: '0xnew', payer: '0xpayer', confirmedAt: NOW, received: '0.04' }
const completed = { type: 'TransactionCompleted', data: { accountId, test: false, ...done } } as const
const back = { reason: 'reorganised', reversedAt: NOW, position: '20' } as const
const reversed = { type: 'TransactionReversed', data: { accountId, hash: '0xnew', ...back, test: false } } as const
const rejected = { type: 'TransactionRejected', data: { accountId, reason: 'expired', test: false } } as const
const edited = (changes: object) =>
  ({ type: 'TransactionEdited', data: { accountId, changes, by, editedAt: NOW } }) as const
const deleted = { type: 'TransactionDeleted', data: { accountId, by, deletedAt: NOW } } as const
const seen = (hash: string, payer: string) =>
  ({ type: 'TransactionPaymentSeen', data: { accountId, hash, payer } }) as const
type History = Parameters<typeof fold<typeof transaction>>[1]
const after = (...history: History) => fold(transaction, history) as Transaction

test('a number is one payout’s, request’s or challenge’s; the same one again is quiet on the same terms alone', (t) => {
  const none = { challengeId: null, resId: null }
  const requested = { ...none, requestId: 'pr_1', request: 'r1' }
  const open = given(t, transaction, createdAs(requested))
  open.when('create', { ...recordedTransaction, ...requested, challengeId: 'chosen' }).yieldsNothing()
  open.when('create', { ...recordedTransaction, ...requested, requestId: 'pr_2' }).isRefused('id-taken')
  open.when('create', { ...recordedTransaction, ...requested, request: 'r2' }).isRefused('idempotency-conflict')
  const { request: _, ...unnamed } = requested
  open.when('create', { ...recordedTransaction, ...unnamed }).isRefused('idempotency-conflict')
  given(t, transaction, createdAs(unnamed))
    .when('create', { ...recordedTransaction, ...requested })
    .yieldsNothing()
  const paidOut = { ...none, payoutId: 'po_1', requestId: 'pr_1' }
  const payout = given(t, transaction, createdAs(paidOut))
  payout.when('create', { ...recordedTransaction, ...paidOut, requestId: 'pr_2' }).yieldsNothing()
  payout.when('create', { ...recordedTransaction, ...paidOut, payoutId: 'po_2' }).isRefused('id-taken')
})

test('N-62 a pending transaction shows the payment that was seen last; one that has ended shows no other', (t) => {
  const other = { hash: '0xother', payer: 'p' }
  given(t, transaction, created).when('see', other).yields(seen('0xother', 'p'))
  given(t, transaction, created).when('see', { hash: transferData.tx, payer: 'p' }).yieldsNothing()
  given(t, transaction, created, completed).when('see', other).yieldsNothing()
  given(t, transaction, created, rejected).when('see', other).yieldsNothing()
  given(t, transaction).when('see', other).isRefused('transaction-not-found')
  t.like(after(created, seen('0xother', 'p')), { status: 'P', hash: '0xother', payer: 'p' })
})

test('N-42 a completed payment moves from the chain transaction that it was in, and from no other', (t) => {
  const move = { from: '0xnew', hash: '0xmoved', payer: 'p' }
  given(t, transaction, created, completed).when('move', move).yields(seen('0xmoved', 'p'))
  given(t, transaction, created, completed)
    .when('move', { ...move, from: '0x' })
    .yieldsNothing()
  given(t, transaction, created)
    .when('move', { ...move, from: transferData.tx })
    .yieldsNothing()
  given(t, transaction).when('move', move).isRefused('transaction-not-found')
  t.like(after(created, completed, seen('0xmoved', 'p')), { status: 'C', hash: '0xmoved', confirmedAt: NOW })
})

test('N-62 only a completed payment is taken back, once for each place in the log, and then waits until its end', (t) => {
  given(t, transaction, created, completed).when('reverse', back).yields(reversed)
  const expiring = createdAs({ expiresAt: UNTIL, test: true })
  given(t, transaction, expiring, completed)
    .when('reverse', back)
    .yields({ ...reversed, data: { ...reversed.data, expiresAt: UNTIL, test: true } })
  given(t, transaction, created).when('reverse', back).yieldsNothing()
  given(t, transaction, created, rejected).when('reverse', back).yieldsNothing()
  given(t, transaction).when('reverse', back).isRefused('transaction-not-found')
  const again = given(t, transaction, created, completed, reversed, completed)
  again.when('reverse', back).yieldsNothing()
  const later = { ...back, position: '21' }
  again.when('reverse', later).yields({ ...reversed, data: { ...reversed.data, ...later } })
  const state = after(created, completed, reversed)
  t.deepEqual([state.status, state.confirmedAt, state.received], ['P', undefined, undefined])
  t.deepEqual(state.reversed, { reason: 'reorganised', at: NOW })
  t.deepEqual(fold(transaction, [reversed]), { status: 'none' })
})

test('M-REC-03 what has settled by the time it is written is written completed; one that is there completes once', (t) => {
  const both = { opening: recordedTransaction, payment: { ...done, position: '20' } }
  given(t, transaction).when('createCompleted', both).yields(created, completed)
  given(t, transaction)
    .when('createCompleted', { ...both, payment: { ...done, position: '0' } })
    .yields(created, completed)
  given(t, transaction, created).when('createCompleted', both).yields(completed)
  given(t, transaction, created, rejected).when('createCompleted', both).yields(completed)
  given(t, transaction, created, completed).when('createCompleted', both).yieldsNothing()
  given(t, transaction, created, completed, reversed).when('createCompleted', both).yieldsNothing()
  given(t, transaction, createdAs({ challengeId: 'another' }))
    .when('createCompleted', both)
    .isRefused('id-taken')
})

test('N-62 a settlement that was taken back completes nothing, and one from before any other does', (t) => {
  const waiting = given(t, transaction, created, completed, reversed)
  waiting.when('complete', { ...done, position: '20' }).yieldsNothing()
  waiting.when('complete', { ...done, position: '21' }).yields(completed)
  waiting.when('complete', done).yields(completed)
  given(t, transaction, created)
    .when('complete', { ...done, position: '0' })
    .yields(completed)
})

test('M-REC-04 N-62 a pending transaction is rejected once, and completes after all when its money comes', (t) => {
  const underpaid = { reason: 'underpaid' } as const
  given(t, transaction, createdAs({ test: true }))
    .when('reject', underpaid)
    .yields({ type: 'TransactionRejected', data: { accountId, reason: 'underpaid', test: true } })
  given(t, transaction, created, rejected).when('reject', underpaid).yieldsNothing()
  given(t, transaction, created, completed).when('reject', underpaid).yieldsNothing()
  given(t, transaction).when('reject', underpaid).isRefused('transaction-not-found')
  t.like(after(created, rejected), { status: 'X', rejected: 'expired' })
  given(t, transaction, created, rejected).when('complete', done).yields(completed)
  const paid = after(created, rejected, edited({ status: 'X', title: 'x' }), deleted, completed)
  t.like(paid, { status: 'C', confirmedAt: NOW, received: '0.04', edits: { title: 'x' } })
  t.deepEqual([paid.rejected, paid.deletedAt, paid.edits.status], [undefined, undefined, undefined])
  t.is(after(created, completed, reversed, completed).reversed, undefined)
})

test('J-TXN-06 M-TXN-13 a refund is of money that came, of a transaction that is there, and never of a payout', (t) => {
  const refunded = { type: 'RefundRecorded', data: { accountId, refundedAt: NOW, by, sent: false } } as const
  given(t, transaction, created, completed).when('refund', { by }).yields(refunded)
  given(t, transaction, created, completed, refunded).when('refund', { by }).isRefused('state-forbids')
  given(t, transaction, created).when('refund', { by }).isRefused('state-forbids')
  given(t, transaction, created, completed, deleted).when('refund', { by }).isRefused('transaction-not-found')
  given(t, transaction).when('refund', { by }).isRefused('transaction-not-found')
  given(t, transaction, createdAs({ payoutId: payoutRequested.transactionId }), completed)
    .when('refund', { by })
    .isRefused('state-forbids')
  const card = `cp_${'a'.repeat(26)}`
  given(t, transaction, createdAs({ challengeId: card }), completed)
    .when('refund', { by })
    .yields({ ...refunded, data: { ...refunded.data, sent: true, refunded: '100' } })
  t.like(after(created, completed, refunded), { refundedAt: NOW, refundedPart: undefined, refundSent: false })
  const send = { by, coin: paidCoin, transfer: transferData, hash: transferData.tx }
  given(t, transaction).when('send', send).isRefused('transaction-not-found')
})

test('N-68 the hash that is looked for is refused once, and no other one with it', (t) => {
  const submitted = (hash: string) =>
    ({ type: 'RefundHashSubmitted', data: { accountId, hash, submittedAt: NOW, by } }) as const
  const refusing = { hash: '0x1', reason: 'payment-not-matching' } as const
  const refused = { type: 'RefundHashRefused', data: { accountId, ...refusing } } as const
  const sought = [created, completed, submitted('0x1')] as const
  given(t, transaction, ...sought)
    .when('refuseHash', refusing)
    .yields(refused)
  given(t, transaction, ...sought, refused)
    .when('refuseHash', refusing)
    .yieldsNothing()
  given(t, transaction, ...sought, submitted('0x2'))
    .when('refuseHash', refusing)
    .yieldsNothing()
  given(t, transaction).when('refuseHash', refusing).yieldsNothing()
  t.is(after(...sought).coinRefund?.sought, '0x1')
  t.is(after(...sought, refused).coinRefund?.sought, undefined)
  t.is(after(...sought, submitted('0x2'), refused).coinRefund?.sought, '0x2')
})

test('J-TXN-06 parts of a card payment that are given back add up, and what failed comes off again', (t) => {
  const part = (refunded: string) =>
    ({ type: 'PartRefundRecorded', data: { accountId, refunded, refundedAt: NOW, by, sent: true } }) as const
  const whole = {
    type: 'RefundRecorded',
    data: { accountId, refundedAt: NOW, by, sent: true, refunded: '100' },
  } as const
  const failed = (refunded: string | null) =>
    ({ type: 'RefundFailed', data: { accountId, refunded, failedAt: NOW } }) as const
  const [paid, some, all] = [
    [created, completed],
    [created, completed, part('5')],
    [created, completed, whole],
  ] as const
  given(t, transaction, ...paid)
    .when('refundPart', { refunded: '5', by })
    .yields(part('5'))
  given(t, transaction, ...some)
    .when('refundPart', { refunded: '5', by })
    .yieldsNothing()
  given(t, transaction, ...some)
    .when('refundPart', { refunded: '7', by })
    .yields(part('7'))
  given(t, transaction, ...all)
    .when('refundPart', { refunded: '7', by })
    .yieldsNothing()
  given(t, transaction).when('refundPart', { refunded: '7', by }).isRefused('transaction-not-found')
  given(t, transaction, ...paid)
    .when('unrefund', { refunded: null })
    .yieldsNothing()
  given(t, transaction, ...some)
    .when('unrefund', { refunded: '5' })
    .yieldsNothing()
  for (const refunded of [null, '3'])
    given(t, transaction, ...some)
      .when('unrefund', { refunded })
      .yields(failed(refunded))
  given(t, transaction, ...all)
    .when('unrefund', { refunded: '100' })
    .yields(failed('100'))
  given(t, transaction).when('unrefund', { refunded: null }).isRefused('transaction-not-found')
  const state = (...history: History) => {
    const { refundedAt, refundedPart, refundSent } = after(...history)
    return [refundedAt, refundedPart, refundSent]
  }
  t.deepEqual(state(...some), [undefined, '5', true])
  t.deepEqual(state(...all), [NOW, '100', true])
  t.deepEqual(state(...all, failed('5')), [undefined, '5', true])
  t.deepEqual(state(...all, failed(null)), [undefined, undefined, undefined])
})

test('a dispute is recorded as it goes on, and an old word of its opening does not open it again', (t) => {
  const dispute = (disputeId: string, status: 'open' | 'won' | 'lost') =>
    ({ type: 'DisputeRecorded', data: { accountId, disputeId, status, at: NOW } }) as const
  const say = (disputeId: string, status: 'open' | 'won' | 'lost') => ({ disputeId, status })
  given(t, transaction, created, completed).when('dispute', say('d1', 'open')).yields(dispute('d1', 'open'))
  const open = given(t, transaction, created, completed, dispute('d1', 'open'))
  open.when('dispute', say('d1', 'open')).yieldsNothing()
  open.when('dispute', say('d1', 'lost')).yields(dispute('d1', 'lost'))
  open.when('dispute', say('d2', 'open')).yields(dispute('d2', 'open'))
  const lost = given(t, transaction, created, completed, dispute('d1', 'lost'))
  lost.when('dispute', say('d1', 'open')).yieldsNothing()
  lost.when('dispute', say('d1', 'lost')).yieldsNothing()
  lost.when('dispute', say('d1', 'won')).yields(dispute('d1', 'won'))
  given(t, transaction).when('dispute', say('d1', 'open')).isRefused('transaction-not-found')
  t.deepEqual(after(created, dispute('d1', 'lost')).dispute, { id: 'd1', status: 'lost' })
})

test('M-TXN-10 a sealed description may always be written, and one that is shown only when it differs', (t) => {
  const write = (description: string) => ({ changes: { description }, by })
  const sealed = createdAs({ description: 'plain', sealedDescription: 'v1.d' })
  given(t, transaction, sealed)
    .when('edit', write(''))
    .yields(edited({ description: '' }))
  given(t, transaction, sealed)
    .when('edit', write('plain'))
    .yields(edited({ description: 'plain' }))
  given(t, transaction, sealed, edited({ description: 'mine' }))
    .when('edit', write('mine'))
    .yieldsNothing()
  given(t, transaction, sealed)
    .when('edit', { changes: { title: recordedTransaction.title }, by })
    .yieldsNothing()
  given(t, transaction, createdAs({ description: 'plain' }))
    .when('edit', write('plain'))
    .yieldsNothing()
  given(t, transaction, created)
    .when('edit', { changes: { webhook: '' }, by })
    .yieldsNothing()
})

test('M-TXN-10 a transaction belongs to the store that was written by hand, its own one, or the default', (t) => {
  t.is(storeOf(after(created)), 1)
  t.is(storeOf(after(createdAs({ storeId: 3 }))), 3)
  t.is(storeOf(after(createdAs({ storeId: 3 }), edited({ store_id: '7' }))), 7)
})
