import test from 'ava'
import type { CoinRefund } from '../../domain/selling/transactions/coin-refund.ts'
import { holdsSealed, openRecord } from '../../domain/selling/transactions/open-record.ts'
import { testRecord } from '../../domain/selling/transactions/test-record.ts'
import { type RecordSource, transactionRecord } from '../../domain/selling/transactions/transaction-record.ts'
import { deliveryBody, deliveryHeaders } from '../../domain/selling/webhooks/delivery-request.ts'
import { NOW } from '../support/given.ts'
import { recordedTransaction } from './samples.ts'

/** The record that a merchant reads, and the body and headers in which a webhook carries it. */

const source: RecordSource = { ...recordedTransaction, status: 'P', confirmedAt: undefined }
const plain = {
  id: '7',
  amount: '0.04',
  amount_fiat: '100',
  cryptocurrency: 'eth',
  currency: 'USD',
  status: 'P',
  hash: recordedTransaction.hash,
  title: recordedTransaction.title,
  external_reference: recordedTransaction.externalReference,
  vat: '',
  vat_details: '',
  creation_time: '2026-03-02 10:06:00',
  confirmed_time: '',
  description: '',
  billing: '',
  type: 'resource',
  is_test: '0',
}
const shown = (more: Partial<RecordSource>) => transactionRecord('7', { ...source, ...more })
/** What the record has beyond, or other than, the plain one. */
const beyond = (more: Partial<RecordSource>) =>
  Object.fromEntries(Object.entries(shown(more)).filter(([key, value]) => plain[key as keyof typeof plain] !== value))

test('M-REC-01 N-73 a record has its sixteen keys and is_test, all of them text, and nothing that does not apply', (t) => {
  t.deepEqual<object, object>(shown({}), plain)
  t.deepEqual(Object.keys(shown({})), Object.keys(plain))
  const nothing = { storeId: 1, checkoutId: null, discountCode: null, refundedAt: null, reversed: null, received: null }
  t.deepEqual(beyond({ ...nothing, refundedPart: null, refundSent: null, coinRefund: null, dispute: null }), {})
  t.deepEqual(beyond({ confirmedAt: NOW, test: true, description: 'd', vat: '19', vatDetails: '{}' }), {
    vat: '19',
    vat_details: '{}',
    confirmed_time: '2026-03-02 10:00:00',
    description: 'd',
    is_test: '1',
  })
})

test('M-REC-01 a record tells its store, link, code, refund, reversal, card and dispute where it has them', (t) => {
  t.deepEqual(beyond({ storeId: 3, checkoutId: '9', discountCode: 'TEN', received: '0.05' }), {
    store_id: '3',
    checkout_id: '9',
    discount_code: 'TEN',
    received_amount: '0.05',
  })
  t.deepEqual(beyond({ refundedAt: NOW, refundedPart: '0.01', refundSent: false }), {
    refunded_time: '2026-03-02 10:00:00',
    refunded_amount: '0.01',
    refund_status: 'recorded',
  })
  t.deepEqual(beyond({ refundSent: true }), { refund_status: 'sent' })
  t.deepEqual(beyond({ reversed: { reason: 'reorganised', at: NOW } }), {
    reversed_at: '2026-03-02 10:00:00',
    reversed_reason: 'reorganised',
  })
  const card = `cp_${'a'.repeat(26)}`
  t.deepEqual(beyond({ challengeId: card, dispute: { status: 'lost' } }), { paid_by: 'card', dispute: 'lost' })
  for (const challengeId of [null, undefined, `${card}x`, `x${card}`, `ch_${'a'.repeat(26)}.eth`])
    t.deepEqual(beyond({ challengeId }), {})
})

test('N-68 J-TXN-06 the record says whether a refund in a coin is recorded, looked for or sent', (t) => {
  const refund = (more: Partial<CoinRefund>): CoinRefund => {
    const none = {
      decimals: 2,
      recorded: '400',
      sent: '0',
      usd: '0',
      transfers: [],
      hash: undefined,
      sought: undefined,
    }
    return { ...none, ...more }
  }
  const of = (more: Partial<CoinRefund>) => beyond({ coinRefund: refund(more), refundSent: false })
  t.deepEqual(of({}), { refund_status: 'recorded' })
  t.deepEqual(of({ recorded: '0' }), {}, 'nothing is owed of a payment that is gone itself')
  t.deepEqual(of({ sought: '0x1' }), { refund_status: 'pending', refund_hash: '0x1' })
  const found = { hash: '0x2', transfers: ['x'] }
  t.deepEqual(of({ ...found, sent: '399' }), {
    refund_status: 'recorded',
    refund_sent_amount: '3.99',
    refund_hash: '0x2',
  })
  t.deepEqual(of({ ...found, sent: '400' }), { refund_status: 'sent', refund_sent_amount: '4', refund_hash: '0x2' })
  t.deepEqual(of({ ...found, sent: '400', sought: '0x3' }), {
    refund_status: 'pending',
    refund_sent_amount: '4',
    refund_hash: '0x3',
  })
})

test('M-TXN-10 a record that was completed by hand says so, unless its money came and nobody wrote over that', (t) => {
  const completed = { status: 'C' } as const
  t.is(shown({ edits: completed }).by, 'hand')
  t.is(shown({ edits: completed, confirmedAt: NOW }).by, undefined)
  t.is(shown({ edits: { ...completed, confirmed_time: '2026-01-01 00:00:00' }, confirmedAt: NOW }).by, 'hand')
  t.is(shown({ edits: { status: 'X' } }).by, undefined)
  t.is(shown({ edits: { confirmed_time: '2026-01-01 00:00:00' }, confirmedAt: NOW }).by, undefined)
  t.is(shown({ status: 'C', confirmedAt: NOW }).by, undefined)
  const cleared = shown({ storeId: 3, edits: { title: '', to: '', store_id: '' } })
  t.deepEqual([cleared.title, cleared.store_id, 'to' in cleared], ['', '', false])
})

const opener = { open: async (sealed: string) => (sealed === 'v1.gone' ? undefined : `opened ${sealed}`) }
const opened = (more: Partial<RecordSource>) => openRecord(opener, '7', { ...source, ...more })

test('S-FLD-04 N-74 what is sealed in a record is opened for its reader, or told to be erased', async (t) => {
  t.deepEqual<object, object>(await opened({}), plain)
  t.is((await opened({ description: 'd', sealedDescription: 'v1.d' })).description, 'opened v1.d')
  t.is((await opened({ description: 'd', sealedDescription: 'v1.gone' })).description, '(erased)')
  const written = { sealedDescription: 'v1.d', edits: { description: 'by hand' } }
  t.is((await opened(written)).description, 'by hand')
  t.is((await opened({ sealedDescription: 'v1.d', edits: { title: 'x' } })).description, 'opened v1.d')
  t.is((await opened({ vatDetails: '{}', sealedVatDetails: 'v1.v' })).vat_details, 'opened v1.v')
  t.is((await opened({ vatDetails: '{}', sealedVatDetails: 'v1.gone' })).vat_details, '{}')
  t.true(holdsSealed({ edits: { billing: 'v1.b' } }))
  t.true(holdsSealed({ sealedDescription: 'v1.d' }))
  t.true(holdsSealed({ edits: {}, sealedVatDetails: 'v1.v' }))
  for (const none of [{}, { edits: null }, { edits: { title: 'x' } }, { edits: { billing: '' } }])
    t.false(holdsSealed(none))
})

const scheduled = (transactionId: string, test: boolean) => {
  const data = { accountId: 'acc_1', transactionId, url: 'https://a.example/', slot: 'account', test } as const
  return { at: NOW, stream: 'delivery-e1', data }
}

test('W-DEL-02 W-DEL-04 W-DEL-05 a delivery has three members: the record of its transaction, its id, and whether it is a test', async (t) => {
  const transaction = {
    ...recordedTransaction,
    status: 'P' as const,
    sealedDescription: 'v1.d',
    confirmedAt: undefined,
    rejected: undefined,
    reversed: undefined,
    reversedThrough: -1n,
    refundedAt: undefined,
    refundedPart: undefined,
    refundSent: undefined,
    coinRefund: undefined,
    received: undefined,
    dispute: undefined,
    edits: {},
    editedAt: undefined,
    deletedAt: undefined,
  }
  const body = await deliveryBody(opener, scheduled('7', false), transaction)
  const record = { ...plain, description: 'opened v1.d' }
  t.is(body, JSON.stringify({ transaction: record, event_id: 'e1', test: false }))
})

test('S-STO-04 W-DEL-05 a delivery that tries a URL out carries a made-up payment that nobody made', async (t) => {
  const body = await deliveryBody(opener, scheduled('', true), undefined)
  t.is(body, JSON.stringify({ transaction: testRecord(NOW), event_id: 'e1', test: true }))
  t.deepEqual<object, object>(testRecord(NOW), {
    ...plain,
    id: '0',
    amount: '0.01',
    amount_fiat: '25',
    status: 'C',
    hash: `0x${'00'.repeat(32)}`,
    title: 'Test delivery',
    external_reference: 'test',
    creation_time: '2026-03-02 10:00:00',
    confirmed_time: '2026-03-02 10:00:00',
    description: 'Sent to try out the webhook URL; nobody has paid.',
    type: 'test',
    is_test: '1',
  })
})

test('W-DEL-03 a delivery names its type, its sender and its id, and its signature where there is a secret', (t) => {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Daybook-Webhook/1',
    'X-Webhook-Event-Id': 'e1',
  }
  t.deepEqual<object, object>(deliveryHeaders('e1', undefined), headers)
  t.deepEqual<object, object>(deliveryHeaders('e1', 't=1,v1=00'), { ...headers, 'X-Webhook-Signature': 't=1,v1=00' })
  t.deepEqual<object, object>(deliveryHeaders('e1', undefined, 'req_1'), { ...headers, 'X-Correlation-Id': 'req_1' })
  for (const odd of ['', 'a\r\nX-Other: 1', 'x'.repeat(65), 'ü'])
    t.deepEqual<object, object>(deliveryHeaders('e1', undefined, odd), headers)
})
