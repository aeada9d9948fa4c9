import { idOf } from '../../../domain/kernel/decider.ts'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { transferId } from '../../../domain/selling/challenge-terms.ts'
import {
  type CoinRefund,
  withoutSought,
  withRecorded,
  withSent,
  withSought,
  withUnsent,
  withVoided,
} from '../../../domain/selling/transactions/coin-refund.ts'
import { afterPayment, isSealed } from '../../../domain/selling/transactions/transaction-edits.ts'
import type { EventData } from '../../../domain/write-side/deciders.ts'
import { type Projection, patch, put, type Row, type Table, upsert, type Value } from '../../engine/projection.ts'
import { deliveries, onDeliveries } from '../deliveries.ts'
import { foundAgain, lostNow, lostRefunds, soughtNoMore, soughtNow, soughtRefunds } from '../refund-searches.ts'
import { onTakings, takings } from '../takings.ts'
import { editColumns, editsOf, factsOf, shownWith } from './edited-rows.ts'
import { searchedText } from './searched-text.ts'

/** The merchant's transactions and, for each, what was delivered and answered. */

const transactions = {
  name: 'transactions',
  columns: {
    transaction_id: 'text',
    account_id: 'text',
    res_id: 'text',
    challenge_id: 'text',
    external_reference: 'text',
    type: 'text',
    title: 'text',
    cryptocurrency: 'text',
    amount: 'text',
    amount_fiat: 'text',
    currency: 'text',
    status: 'text',
    hash: 'text',
    payer: 'text',
    test: 'boolean',
    created_at: 'text',
    confirmed_at: 'text',
    reversed: 'json',
    refunded_at: 'text',
    refunded_part: 'text',
    refund_sent: 'boolean',
    coin_refund: 'json',
    dispute: 'json',
    request_id: 'text',
    description: 'text',
    sealed_description: 'text',
    discount_code: 'text',
    vat: 'text',
    vat_details: 'text',
    sealed_vat_details: 'text',
    expires_at: 'text',
    store_id: 'integer',
    checkout_id: 'text',
    deleted_at: 'text',
    ...editColumns,
    number: 'bigint',
    searched: 'text',
  },
  derived: { searched: searchedText },
  key: ['transaction_id'],
  // Most are completed: those that are not are few, and are what sellers look for.
  indexes: [
    'account_id, number',
    'expires_at',
    'challenge_id',
    { columns: 'account_id, number', where: "status <> 'C'" },
  ],
  numbered: { column: 'number', per: 'account_id' },
} as const satisfies Table

/**
 * Accounts in which a transaction is hidden, or a test, or has a sealed value: listing or exporting theirs takes
 * longer.
 */
const oddAccounts = {
  name: 'odd_accounts',
  columns: { account_id: 'text', hides: 'boolean', tests: 'boolean', seals: 'boolean' },
  key: ['account_id'],
} as const satisfies Table

export const transactionsProjection: Projection = {
  name: 'transactions',
  version: 14,
  tables: [transactions, deliveries, oddAccounts, soughtRefunds, lostRefunds, takings],
  on: {
    ...onTakings,
    TransactionCreated: ({ stream, data }) => [
      put(transactions, {
        transaction_id: idOf(stream),
        account_id: data.accountId,
        res_id: data.resId,
        challenge_id: data.challengeId,
        external_reference: data.externalReference,
        type: data.type,
        title: data.title,
        cryptocurrency: data.cryptocurrency,
        amount: data.amount,
        amount_fiat: data.amountFiat,
        currency: data.currency,
        status: 'P',
        hash: data.hash,
        payer: data.payer,
        test: data.test,
        created_at: data.createdAt,
        confirmed_at: null,
        reversed: null,
        refunded_at: null,
        refunded_part: null,
        refund_sent: null,
        coin_refund: null,
        dispute: null,
        request_id: data.requestId ?? null,
        description: data.description ?? '',
        sealed_description: data.sealedDescription ?? null,
        discount_code: data.discountCode ?? '',
        vat: data.vat ?? '',
        vat_details: data.vatDetails ?? '',
        sealed_vat_details: data.sealedVatDetails ?? null,
        expires_at: data.expiresAt ?? null,
        store_id: data.storeId ?? DEFAULT_STORE,
        checkout_id: data.checkoutId ?? null,
        deleted_at: null,
        edits: null,
        facts: null,
        edited_at: null,
        number: null,
      }),
      ...(data.sealedDescription || data.sealedVatDetails ? [odd(data.accountId, { seals: true })] : []),
      ...(data.test ? [odd(data.accountId, { tests: true })] : []),
    ],
    TransactionPaymentSeen: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], (row) => shownWith(row, paid(factsOf(row), data))),
    TransactionCompleted: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], (row) => ({
        ...shownWith(
          row,
          { ...paid(factsOf(row), data), status: 'C', confirmed_at: data.confirmedAt },
          row.edits ? afterPayment(editsOf(row)) : null,
        ),
        expires_at: null,
        deleted_at: null,
        reversed: null,
      })),
    TransactionReversed: ({ stream, data: { reason, reversedAt, expiresAt } }) =>
      patch(transactions, [idOf(stream)], (row) => ({
        ...shownWith(row, { status: 'P', confirmed_at: null }),
        reversed: { reason, at: reversedAt },
        expires_at: expiresAt ?? null,
      })),
    TransactionRejected: ({ stream }) =>
      patch(transactions, [idOf(stream)], (row) => ({ ...shownWith(row, { status: 'X' }), expires_at: null })),
    TransactionEdited: ({ stream, at, data: { accountId, changes, editedAt } }) => [
      patch(transactions, [idOf(stream)], (row) => ({
        ...shownWith(row, {}, { ...editsOf(row), ...changes }),
        edited_at: editedAt ?? at,
      })),
      ...(isSealed(changes) ? [odd(accountId, { seals: true })] : []),
      ...(changes.is_test === '1' ? [odd(accountId, { tests: true })] : []),
    ],
    TransactionDeleted: ({ stream, data: { accountId, deletedAt } }) => [
      patch(transactions, [idOf(stream)], () => ({ deleted_at: deletedAt })),
      odd(accountId, { hides: true }),
    ],
    RefundRecorded: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], (row) => ({ ...recorded(row, data), refunded_at: data.refundedAt })),
    PartRefundRecorded: ({ stream, data }) => patch(transactions, [idOf(stream)], (row) => recorded(row, data)),
    RefundHashSubmitted: ({ stream, data: { accountId, hash, submittedAt } }) => [
      refundOf(stream, (refund) => withSought(refund, hash)),
      soughtNow(stream, accountId, hash, submittedAt),
    ],
    RefundHashRefused: ({ stream, data: { accountId, hash } }) => [
      refundOf(stream, (refund) => withoutSought(refund, hash)),
      soughtNoMore(stream, accountId, hash),
    ],
    RefundSent: ({ stream, data: { accountId, transfer, hash, sent, again = 0 } }) => [
      refundOf(stream, (refund) => withSent(refund, { id: transferId(transfer), tx: transfer.tx, hash, sent })),
      soughtNoMore(stream, accountId, hash),
      ...(again > 0 ? [foundAgain(stream, accountId, transfer, hash)] : []),
    ],
    RefundUnsent: ({ stream, data: { accountId, transfer, hash, times, sent, unsentAt } }) => [
      refundOf(stream, (refund) =>
        withUnsent(refund, { id: transferId(transfer), tx: transfer.tx, hash, times, sent }),
      ),
      lostNow(stream, accountId, { transfer, hash, unsentAt }),
    ],
    RefundVoided: ({ stream, data: { refunded, whole, coin } }) =>
      patch(transactions, [idOf(stream)], (row) => ({
        refunded_at: whole ? (row.refunded_at ?? null) : null,
        refunded_part: refunded,
        refund_sent: refunded === null ? null : (row.refund_sent ?? null),
        coin_refund: kept(withVoided(refundIn(row), coin)),
      })),
    RefundFailed: ({ stream, data }) =>
      patch(transactions, [idOf(stream)], (row) => ({
        refunded_at: null,
        refunded_part: data.refunded,
        refund_sent: data.refunded === null ? null : (row.refund_sent ?? null),
      })),
    DisputeRecorded: ({ stream, data: { disputeId, status } }) =>
      patch(transactions, [idOf(stream)], () => ({ dispute: { id: disputeId, status } })),
    ...onDeliveries,
  },
}

/** What is given back, as the record shows it. */
const recorded = (row: Row, { refunded, sent, coin }: EventData<'RefundRecorded' | 'PartRefundRecorded'>): Row => ({
  refunded_part: refunded ?? null,
  refund_sent: sent ?? null,
  coin_refund: kept(withRecorded(refundIn(row), coin)),
})

const refundOf = (stream: string, change: (refund: CoinRefund | undefined) => CoinRefund | undefined) =>
  patch(transactions, [idOf(stream)], (row) => ({ coin_refund: kept(change(refundIn(row))) }))

const refundIn = (row: Row): CoinRefund | undefined => (row.coin_refund ?? undefined) as CoinRefund | undefined

/** Without what is undefined, which no column holds. */
const kept = (refund: CoinRefund | undefined): Value =>
  refund === undefined
    ? null
    : (Object.fromEntries(Object.entries(refund).filter(([, each]) => each !== undefined)) as Row)

const odd = (account_id: string, how: Row) =>
  upsert(oddAccounts, { account_id, hides: false, tests: false, seals: false }, () => how)

/** The payment, and what the payer chose where the transaction did not have that yet. */
const paid = (row: Row, data: EventData<'TransactionPaymentSeen'>): Row => ({
  hash: data.hash,
  payer: data.payer,
  challenge_id: data.challengeId ?? row.challenge_id ?? null,
  cryptocurrency: data.cryptocurrency ?? row.cryptocurrency ?? '',
  amount: data.amount ?? row.amount ?? '',
  amount_fiat: data.amountFiat ?? row.amount_fiat ?? '',
  currency: data.currency ?? row.currency ?? '',
})
