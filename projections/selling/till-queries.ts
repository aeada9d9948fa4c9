import type { Sql } from 'postgres'

/** What was sold at the counter of a store. */

export type TillScope = { readonly accountId: string; readonly storeId: number; readonly from: string }

export type TillSaleRow = {
  readonly requestId: string
  /** Millionths of the currency. */
  readonly amount: string
  readonly currency: string
  readonly note: string
  readonly isPaid: boolean
  readonly createdAt: string
}

/** What was taken in one currency, or in one coin, as a decimal. */
export type TillTotal = { readonly unit: string; readonly sum: string; readonly count: number }

export const tillQueries = (sql: Sql) => {
  const sales = ({ accountId, storeId, from }: TillScope) => sql`
    payment_requests r join transactions t using (transaction_id)
    where r.till and r.account_id = ${accountId} and r.store_id = ${storeId} and r.created_at >= ${from}`
  return {
    /** The sales at a till since a time, newest first; `before` is the last one of the page before. */
    tillSales: (scope: TillScope, before: string | undefined, limit: number): Promise<TillSaleRow[]> => {
      const place = sql`(select created_at from payment_requests where request_id = ${before ?? ''})`
      return sql<TillSaleRow[]>`
        select r.request_id as "requestId", coalesce(r.amount, 0)::text as amount, r.currency, r.note, t.status = 'C' as "isPaid",
          r.created_at as "createdAt"
        from ${sales(scope)}
          and ${before === undefined ? sql`true` : sql`(r.created_at, r.request_id) < (${place}, ${before})`}
        order by r.created_at desc, r.request_id desc limit ${limit}`
    },
    /** What was paid of these sales, by the currencies in which it was asked for. */
    tillTotals: (scope: TillScope): Promise<TillTotal[]> => sql<TillTotal[]>`
      select r.currency as unit, sum(r.amount)::text as sum, count(*)::integer as count
      from ${sales(scope)} and t.status = 'C' and r.amount is not null group by r.currency order by r.currency`,
    /** The same by the coins in which it was paid. */
    tillCoins: (scope: TillScope): Promise<TillTotal[]> => sql<TillTotal[]>`
      select t.cryptocurrency as unit, trim_scale(sum(t.amount::numeric))::text as sum, count(*)::integer as count
      from ${sales(scope)} and t.status = 'C' and t.amount ~ '^[0-9]+([.][0-9]+)?$'
      group by t.cryptocurrency order by t.cryptocurrency`,
  }
}
