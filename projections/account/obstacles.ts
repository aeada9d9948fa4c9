import type { Sql } from 'postgres'

/** What stands against closing an account: money of its sales that is under way (N-91). */

/** How many there are of each; tests are money of nobody. */
export type ObstacleRow = {
  /** Payments that buyers were asked for and may still make, or that wait for confirmations or a card. */
  payments: number
  /** When the last of those that are only asked for ends. */
  paymentsUntil: string | null
  /** Refunds in coins that were recorded, and that nobody has found on their chain. */
  refunds: number
  /** Disputes of card payments that are open. */
  disputes: number
}

/** Whether a refund is recorded and not all of it is sent, as `refundStatusOf` tells it of one transaction. */
const OWED = `case
  when coin_refund is null then coalesce(not refund_sent, false)
  when coin_refund->>'sought' is not null then true
  when coin_refund->>'recorded' = '0' and refunded_at is null then false
  else coin_refund->>'sent' = '0' or (coin_refund->>'sent')::numeric < (coin_refund->>'recorded')::numeric end`

export const obstacleQueries = (sql: Sql) => ({
  /** What an account has under way at a time. What a merchant wrote over a transaction by hand changes nothing here. */
  async obstacles(accountId: string, now: string): Promise<ObstacleRow> {
    const [row] = await sql<ObstacleRow[]>`
      with waiting as (
        select expires_at, status from challenges
        where account_id = ${accountId} and not test
          and (status = 'pending' or status in ('open', 'underpaid') and expires_at > ${now})
      ), own as (
        select reversed, expires_at, dispute, ${sql.unsafe(OWED)} as owed from transactions
        where account_id = ${accountId} and not coalesce((facts->>'test')::boolean, test)
      )
      select (
          (select count(*) from waiting)
          + (select count(*) from authorizations where account_id = ${accountId} and status = 'accepted')
          + (select count(*) from card_pages where account_id = ${accountId} and is_open)
          + (select count(*) from own where reversed is not null and expires_at is not null)
        )::int as payments,
        (select max(expires_at) from waiting where status <> 'pending') as "paymentsUntil",
        (select count(*) from own where owed)::int as refunds,
        (select count(*) from own where dispute->>'status' = 'open')::int as disputes`
    return row ?? { payments: 0, paymentsUntil: null, refunds: 0, disputes: 0 }
  },
})
