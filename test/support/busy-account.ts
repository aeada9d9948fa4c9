import type { Sql } from '../../adapters/postgres/connect.ts'
import { assets } from '../../domain/kernel/assets.ts'
import { quarterOf } from '../../projections/selling/sales-figures.ts'
import { connectBeside } from './kept-database.ts'

/** The rows of an account that sells much, put straight into the read models. */

const DAY_MS = 86_400_000

/** So many transactions, the newest of now, with titles as long as sellers write them. */
const transactions = (sql: Sql, accountId: string, rows: number) => sql`
  insert into daybook.transactions (transaction_id, account_id, res_id, challenge_id, external_reference, type, title,
    cryptocurrency, amount, amount_fiat, currency, status, hash, payer, test, created_at, confirmed_at, description, number,
    store_id)
  select (4503599627370496 + n)::text, ${accountId}, 'res_' || substr(h, 1, 26), 'ch_' || substr(h, 7, 26) || '.eth',
    'res_' || substr(h, 1, 26) || '.ch_' || substr(h, 7, 26) || '.eth', 'resource',
    'A subscription of the large kind for the month ' || substr(h, 1, 26), 'usdc_base', '1234.567891', '1234.56', 'USD', 'C',
    '0x' || h || md5(h), '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', false, t, t, '', n, 1
  from (
    select n, md5(n::text) as h,
      to_char(now() at time zone 'UTC' - (${rows} - n) * interval '20 seconds', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}) as t
    from generate_series(1, ${rows}) as n
  ) as given`

/** Sales of every day of the last thirty, in `coins` coins. */
const figures = (sql: Sql, accountId: string, coins: number) => {
  const first = quarterOf(new Date(Date.now() - 29 * DAY_MS).toISOString())
  const codes = assets.slice(0, coins).map(({ code }) => code)
  return sql`
    insert into daybook.sales_figures (account_id, test, quarter, store_id, asset, decimals, sales, sold_usd, settled,
      settled_usd, fee, gas_fee, refunded_usd)
    select ${accountId}, false, quarter, 1, asset, 18, 7, 8641920000 + quarter % 97 * 1000000, 3456789012345678901,
      8641920000, 17283840, 0, 0
    from generate_series(${first}::int, ${first + 30 * 96}::int, 7) as quarter, unnest(${`{${codes.join(',')}}`}::text::text[]) as asset`
}

/** Gives the newest account that many transactions, and thirty days of sales in that many coins. */
export const fillAccount = async (databaseUrl: string, rows: number, coins: number): Promise<void> => {
  const sql = connectBeside(databaseUrl)
  try {
    const [last] = await sql<{ id: string }[]>`
      select account_id as id from daybook.accounts order by created_at desc limit 1`
    const id = last?.id ?? ''
    await transactions(sql, id, rows)
    await figures(sql, id, coins)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
