import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { openRecord } from '../../domain/selling/transactions/open-record.ts'
import { ownWebhookOf, storeOf, type Transaction, transaction } from '../../domain/selling/transactions/transaction.ts'
import { transactionRecord } from '../../domain/selling/transactions/transaction-record.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, recordedTransaction } from './samples.ts'

/** What a merchant writes on a transaction by hand, and takes away. */

const by = 'owner'
const created = {
  type: 'TransactionCreated',
  data: { ...recordedTransaction, webhookUrl: 'https://own.example/' },
} as const
const edited = (changes: object) =>
  ({ type: 'TransactionEdited', data: { accountId: ACCOUNT, changes, by, editedAt: NOW } }) as const
const deleted = { type: 'TransactionDeleted', data: { accountId: ACCOUNT, by, deletedAt: NOW } } as const
const paid = { hash: '0xnew', payer: '0xpayer', confirmedAt: NOW }
const completed = { type: 'TransactionCompleted', data: { accountId: ACCOUNT, test: false, ...paid } } as const
const refunded = { type: 'RefundRecorded', data: { accountId: ACCOUNT, refundedAt: NOW, by, sent: false } } as const
const refused = (keys: readonly string[]) =>
  ({ type: 'TransactionEditRefused', data: { accountId: ACCOUNT, keys, by } }) as const
type History = Parameters<typeof fold<typeof transaction>>[1]
const after = (...history: History) => fold(transaction, history) as Transaction
const shown = (...history: History) => transactionRecord('1', after(...history))

test('M-TXN-10 an edit holds only what differs from what is shown, and none that differs in nothing is written', (t) => {
  const { title, amount } = recordedTransaction
  given(t, transaction, created)
    .when('edit', { changes: { title, amount, vat: '', to: '', from: '0xme' }, by })
    .yields(edited({ from: '0xme' }))
  given(t, transaction, created, edited({ from: '0xme' }))
    .when('edit', { changes: { from: '0xme' }, by })
    .yieldsNothing()
  given(t, transaction, created, edited({ title: 'x' }))
    .when('edit', { changes: { title }, by })
    .yields(edited({ title }))
  given(t, transaction)
    .when('edit', { changes: { title: 'x' }, by })
    .isRefused('transaction-not-found')
  given(t, transaction, created, deleted)
    .when('edit', { changes: { title: 'x' }, by })
    .isRefused('transaction-not-found')
})

test('M-TXN-10 an own URL can be cleared, and a store written; both are then the ones that count', (t) => {
  given(t, transaction, created)
    .when('edit', { changes: { webhook: '' }, by })
    .yields(edited({ webhook: '' }))
  given(t, transaction, created, edited({ webhook: '' }))
    .when('edit', { changes: { webhook: '' }, by })
    .yieldsNothing()
  t.is(ownWebhookOf(after(created)), 'https://own.example/')
  t.is(ownWebhookOf(after(created, edited({ webhook: '' }))), null)
  t.is(ownWebhookOf(after(created, edited({ webhook: 'https://new.example/' }))), 'https://new.example/')
  t.is(storeOf(after(created)), 1)
  t.is(storeOf(after(created, edited({ store_id: '7' }))), 7)
  t.is(shown(created, edited({ store_id: '7' })).store_id, '7')
})

test('M-TXN-10 M-REC-01 edits lie over the facts until a payment is confirmed, which tells its own', (t) => {
  const hand = {
    status: 'X',
    hash: '0xhand',
    amount: '7',
    confirmed_time: '2026-01-01 00:00:00',
    title: 'By hand',
    vat: '19',
  }
  t.like(shown(created, edited(hand)), { ...hand, id: '1', amount_fiat: '100' })
  const record = shown(created, edited(hand), completed)
  t.like(record, { status: 'C', hash: '0xnew', amount: recordedTransaction.amount, title: 'By hand', vat: '19' })
  t.is(record.confirmed_time, `${NOW.slice(0, 10)} ${NOW.slice(11, 19)}`)
  // What is cleared is not there, but for what every record has.
  t.false('to' in shown(created, edited({ to: 'x' }), edited({ to: '' })))
  t.is(shown(created, edited({ title: '' })).title, '')
  const bought = { type: 'TransactionCreated', data: { ...recordedTransaction, storeId: 3, checkoutId: '7' } } as const
  t.like(shown(bought), { store_id: '3', checkout_id: '7' })
  t.like(shown(bought, edited({ checkout_id: '8' })), { store_id: '3', checkout_id: '8' })
})

test('M-TXN-10 M-REC-01 N-36 a record says which of its values are by hand and since when, and no more once a payment has told them', (t) => {
  t.false('edited_by_hand' in shown(created) || 'edited_time' in shown(created))
  const hand = edited({ status: 'X', amount_fiat: '7', title: 'By hand' })
  const since = { edited_time: `${NOW.slice(0, 10)} ${NOW.slice(11, 19)}` }
  t.like(shown(created, hand), { edited_by_hand: 'amount_fiat,status,title', ...since })
  t.like(shown(created, hand, completed), { edited_by_hand: 'title', ...since })
  t.false('edited_by_hand' in shown(created, edited({ status: 'X' }), completed))
  // What was cleared by hand is by hand, too; an event of a former release does not say when.
  const { editedAt: _, ...former } = edited({ title: '' }).data
  const record = shown(created, { type: 'TransactionEdited', data: former })
  t.is(record.edited_by_hand, 'title')
  t.false('edited_time' in record)
})

test('M-TXN-10 a status that is written by hand is no payment', (t) => {
  const byHand = [created, edited({ status: 'C' })] as const
  given(t, transaction, ...byHand)
    .when('complete', paid)
    .yields(completed)
  given(t, transaction, ...byHand)
    .when('see', { hash: '0x2', payer: 'p' })
    .yields({
      type: 'TransactionPaymentSeen',
      data: { accountId: ACCOUNT, hash: '0x2', payer: 'p' },
    })
})

test('M-TXN-11 E-MER-03 M-REC-05 an edit of other keys is noted, the first 20 of 64 characters each, and changes nothing', (t) => {
  given(t, transaction, created)
    .when('refuseEdit', { keys: ['expiry', 'id'], by })
    .yields(refused(['expiry', 'id']))
  const many = Array.from({ length: 30 }, (_, n) => `${n}`.padEnd(100, 'x'))
  given(t, transaction, created)
    .when('refuseEdit', { keys: many, by })
    .yields(refused(many.slice(0, 20).map((key) => key.slice(0, 64))))
  given(t, transaction)
    .when('refuseEdit', { keys: ['id'], by })
    .isRefused('transaction-not-found')
  given(t, transaction, created, deleted)
    .when('refuseEdit', { keys: ['id'], by })
    .isRefused('transaction-not-found')
  t.deepEqual(shown(created, refused(['expiry'])), shown(created))
})

test('M-TXN-12 N-74 a transaction is deleted once, and is there again when it is paid after all', (t) => {
  given(t, transaction, created).when('delete', { by }).yields(deleted)
  given(t, transaction, created, deleted).when('delete', { by }).yieldsNothing()
  given(t, transaction, created, deleted).when('complete', paid).yields(completed)
  given(t, transaction, created, deleted, completed).when('delete', { by }).yields(deleted)
  given(t, transaction).when('delete', { by }).isRefused('transaction-not-found')
  given(t, transaction, created, completed, deleted).when('refund', { by }).isRefused('transaction-not-found')
})

test('M-TXN-13 what was completed by hand is refunded once too', (t) => {
  const byHand = [created, edited({ status: 'C' })] as const
  given(t, transaction, ...byHand)
    .when('refund', { by })
    .yields(refunded)
  given(t, transaction, ...byHand, refunded)
    .when('refund', { by })
    .isRefused('state-forbids')
  given(t, transaction, created, completed, edited({ status: 'X' }))
    .when('refund', { by })
    .yields(refunded)
  given(t, transaction, created, edited({ status: 'X' }))
    .when('refund', { by })
    .isRefused('state-forbids')
})

test('N-74 what is sealed in an edit reads (erased) once the key of the account is gone', async (t) => {
  const state = after(created, edited({ billing: 'v1.b', customer_id: '', title: 'v1.t' }))
  t.like(await openRecord({ open: async (sealed) => `opened ${sealed}` }, '1', state), {
    billing: 'opened v1.b',
    title: 'v1.t',
  })
  const erased = await openRecord({ open: async () => undefined }, '1', state)
  t.like(erased, { billing: '(erased)', title: 'v1.t' })
  t.false('customer_id' in erased)
})
