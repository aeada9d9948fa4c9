import type { Sql } from 'postgres'

/** What stops every credential of an account: an operator suspended it, or its owner closed it. */

/** `reason` is null when the account is not suspended. */
export type StopRow = { reason: string | null; closed: boolean }

export type StoreTokenRow = { accountId: string; storeId: number; suspended: string | null; closed: boolean }

export const accountStopQueries = (sql: Sql) => ({
  /** Whether all keys of an account are stopped, and why. */
  async accountStop(accountId: string): Promise<StopRow | undefined> {
    const [row] = await sql<StopRow[]>`
      select suspended as reason, closed from accounts where account_id = ${accountId}`
    return row
  },
  /** The account and store that a publishable token names; `suspended` says why all keys of the account are stopped. */
  async storeOfToken(tokenHash: string): Promise<StoreTokenRow | undefined> {
    const [row] = await sql<StoreTokenRow[]>`
      select t.account_id as "accountId", t.store_id as "storeId", a.suspended, coalesce(a.closed, false) as closed
      from cloud_tokens t left join accounts a using (account_id) where t.token_hash = ${tokenHash} and t.active`
    return row
  },
})
