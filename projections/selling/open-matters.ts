import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { MatterOwner } from '../../domain/use-cases/money/overview.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, put, type Table } from '../engine/projection.ts'
import { seenIn } from './unmatched-queries.ts'

/**
 * What needs the hand of a seller: webhooks that failed and open disputes, which have tables of their own, because the
 * tables of all deliveries and transactions have no index by their outcome; and the queries of these and of payments.
 */

/** The newest webhook of a transaction that failed. Another one may have been accepted since. */
const failedWebhooks = {
  name: 'failed_webhooks',
  columns: { transaction_id: 'text', account_id: 'text', failed_at: 'text' },
  key: ['transaction_id'],
  indexes: ['account_id, failed_at'],
} as const satisfies Table

const disputes = {
  name: 'disputes',
  columns: { transaction_id: 'text', account_id: 'text', is_open: 'boolean', at: 'text' },
  key: ['transaction_id'],
  indexes: ['account_id, is_open'],
} as const satisfies Table

export const openMattersProjection: Projection = {
  name: 'open-matters',
  version: 1,
  tables: [failedWebhooks, disputes],
  on: {
    // A webhook that only tried out a URL is about no transaction.
    DeliveryFailed: ({ data: { accountId, transactionId, attemptedAt } }) =>
      transactionId === ''
        ? []
        : put(failedWebhooks, { transaction_id: transactionId, account_id: accountId, failed_at: attemptedAt }),
    DisputeRecorded: ({ stream, data: { accountId, status, at } }) =>
      put(disputes, { transaction_id: idOf(stream), account_id: accountId, is_open: status === 'open', at }),
  },
}

/** Failed webhooks that are looked at for those of which none was accepted since. */
const FAILED_LOOKED_AT_MAX = 200

export const openMatterQueries = (sql: Sql) => ({
  /**
   * Money that came since a time and settles nothing, the newest first: of each payment the transaction that it may
   * have been meant for. Of tests there is none.
   */
  async unmatchedSince(
    { accountId, stores }: MatterOwner,
    since: string,
    limit: number,
  ): Promise<readonly (string | null)[]> {
    const found = await sql<{ id: string | null }[]>`
      select coalesce(s.transaction_id, (
          select t.transaction_id from transactions t where t.challenge_id = s.challenge_id limit 1
        ), (
          select t.transaction_id from json_array_elements_text(s.candidates) as candidate
            join transactions t on t.challenge_id = candidate limit 1
        )) as id
      from settlements s
      where account_id = ${accountId} and status in ('unmatched', 'late', 'doubled', 'sold_out') and at >= ${since}
        and not test and ${seenIn(sql, stores)}
      order by at desc, transfer_id limit ${limit}`
    return found.map(({ id }) => id)
  },

  /** The transactions that were told to nobody since a time, because each webhook failed; the newest first. */
  async webhooksFailedSince(
    { accountId, test, stores }: MatterOwner,
    since: string,
    limit: number,
  ): Promise<readonly string[]> {
    const found = await sql<{ id: string }[]>`
      select f.transaction_id as id
      from (
        select * from failed_webhooks where account_id = ${accountId} and failed_at >= ${since}
        order by failed_at desc limit ${FAILED_LOOKED_AT_MAX}
      ) f join transactions t using (transaction_id)
      where t.deleted_at is null and t.test = ${test} and ${ofStores(sql, stores)} and not exists (
        select from deliveries d where d.transaction_id = f.transaction_id and d.state = 'accepted'
          and d.attempted_at >= f.failed_at
      )
      order by f.failed_at desc, f.transaction_id limit ${limit}`
    return found.map(({ id }) => id)
  },

  /** The transactions that a card payer's bank wants back and that are not decided, the newest first. */
  async openDisputes({ accountId, test, stores }: MatterOwner, limit: number): Promise<readonly string[]> {
    const found = await sql<{ id: string }[]>`
      select d.transaction_id as id from disputes d join transactions t using (transaction_id)
      where d.account_id = ${accountId} and d.is_open and t.deleted_at is null and t.test = ${test}
        and ${ofStores(sql, stores)}
      order by d.at desc, d.transaction_id limit ${limit}`
    return found.map(({ id }) => id)
  },
})
