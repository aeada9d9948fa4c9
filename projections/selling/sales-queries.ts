import type { Sql } from 'postgres'
import type { SalesRow } from '../../domain/use-cases/money/overview.ts'
import { ofStores, type RowOwner } from '../engine/of-stores.ts'
import { QUARTER_MS, quarterOf } from './sales-figures.ts'

/** Queries of what was sold, by day and coin. */

export const salesQueries = (sql: Sql) => ({
  /** Figures of the days that begin at `starts`, in order; the last one has not ended. */
  salesByDay: (
    { accountId, stores }: RowOwner,
    test: boolean,
    starts: readonly string[],
  ): Promise<readonly SalesRow[]> => {
    const quarters = starts.map(quarterOf)
    return sql<SalesRow[]>`
      select width_bucket(quarter, ${`{${quarters.join(',')}}`}::integer[]) - 1 as day, asset, decimals,
        sum(sales)::int as sales, sum(sold_usd)::text as "soldUsd", sum(settled)::text as settled,
        sum(settled_usd)::text as "settledUsd", sum(fee)::text as fee, sum(gas_fee)::text as "gasFee",
        sum(refunded_usd)::text as "refundedUsd"
      from sales_figures
      where account_id = ${accountId} and test = ${test} and quarter >= ${quarters[0] ?? 0} and ${ofStores(sql, stores)}
      group by 1, 2, 3 order by 1, 2, 3`
  },

  /** When an account first sold anything, to a quarter of an hour; undefined when it never has. */
  async firstSaleAt(accountId: string): Promise<string | undefined> {
    const [row] = await sql<{ quarter: number | null }[]>`
      select min(quarter) as quarter from sales_figures where account_id = ${accountId} and not test`
    return row?.quarter == null ? undefined : new Date(row.quarter * QUARTER_MS).toISOString()
  },
})
