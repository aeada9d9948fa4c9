import type { Sql } from 'postgres'

/** What came of one coin, in its smallest unit, in how many payments, and when the last one came. */
export type ReceivedRow = { asset: string; units: string; decimals: number; payments: number; lastAt: string }

export const receivedQueries = (sql: Sql) => ({
  /**
   * What came to an account of each coin, whatever it was taken for, as long as its chain has it: no tests. An asset
   * is told by its code; a token that nobody was asked for by its contract.
   */
  receivedOf: (accountId: string): Promise<ReceivedRow[]> => sql<ReceivedRow[]>`
    select asset, sum(paid)::text as units, max(decimals) as decimals, count(*)::int as payments, max(at) as "lastAt"
    from settlements where account_id = ${accountId} and not test and status <> 'reversed' group by asset`,
})
