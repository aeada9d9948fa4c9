import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { SealedText } from '../../domain/kernel/ports.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The payouts that each seller noted. */

const payouts = {
  name: 'payouts',
  columns: {
    payout_id: 'text',
    transaction_id: 'text',
    owner_id: 'text',
    asset: 'text',
    details: 'text',
    payee_details: 'text',
    requested_at: 'text',
    completed_at: 'text',
  },
  key: ['payout_id'],
  indexes: ['owner_id, requested_at desc, payout_id'],
} as const satisfies Table

export const payoutsProjection: Projection = {
  name: 'payouts',
  version: 1,
  tables: [payouts],
  on: {
    PayoutInfoRequested: ({ stream, data }) =>
      put(payouts, {
        payout_id: idOf(stream),
        transaction_id: data.transactionId,
        owner_id: data.accountId,
        asset: data.asset,
        details: data.details,
        payee_details: null,
        requested_at: data.requestedAt,
        completed_at: null,
      }),
    PayoutDetailsGiven: ({ stream, data }) => patch(payouts, [idOf(stream)], () => ({ payee_details: data.details })),
    PayoutCompleted: ({ stream, data }) => patch(payouts, [idOf(stream)], () => ({ completed_at: data.completedAt })),
  },
}

export type PayoutRow = {
  payoutId: string
  transactionId: string
  storeId: number
  asset: string
  details: SealedText
  payeeDetails: SealedText | null
  requestedAt: string
  completedAt: string | null
}

export const payoutQueries = (sql: Sql) => ({
  /** The payouts of a seller, newest first. The transaction of each tells its store, and whether it was deleted. */
  payouts: (accountId: string, limit: number, offset = 0): Promise<PayoutRow[]> => sql<PayoutRow[]>`
    select payout_id as "payoutId", transaction_id as "transactionId", store_id as "storeId", asset, details,
      payee_details as "payeeDetails", requested_at as "requestedAt", completed_at as "completedAt"
    from payouts join transactions using (transaction_id)
    where owner_id = ${accountId} and deleted_at is null
    order by requested_at desc, payout_id limit ${limit} offset ${offset}`,
})
