import type { Sql } from 'postgres'
import { COARSE } from './journal.ts'

export type BalanceRow = { account: string; asset: string; amount: string }

export const journalQueries = (sql: Sql) => ({
  /** The sum of every account in every asset; over all accounts each asset sums to zero. */
  trialBalance: (): Promise<BalanceRow[]> => sql<BalanceRow[]>`
    select account, asset, sum(amount)::text as amount from journal_sums where level = ${COARSE}
    group by account, asset order by account, asset`,
})
