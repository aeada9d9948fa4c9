import type { Sql } from '../adapters/postgres/connect.ts'
import { assets } from '../domain/kernel/assets.ts'
import { quarterOf } from '../projections/selling/sales-figures.ts'
import type { Account } from './many-transactions.ts'

/**
 * What an account with many transactions has beside them: settlements, webhooks, the sums of its sales, products, acts
 * and a full request log.
 */

const DAYS = 30
const DAY_MS = 86_400_000
const COINS = 5
/** One in so many payments settles nothing, and one in so many webhooks has failed. */
const ODD_EVERY = 997
const PRODUCTS = 10_000
const ACTS = 100_000
/** As many as are kept. */
const REQUESTS = 5_000

/** Puts them straight into the tables of the read models, for the transactions that are there. */
export const makeBusy = async (sql: Sql, { accountId }: Account): Promise<void> => {
  const first = quarterOf(new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString())
  const codes = assets.slice(0, COINS).map(({ code }) => code)
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout to 0`
    await tx.unsafe(SETTLEMENTS, [accountId])
    await tx.unsafe(DELIVERIES, [accountId])
    await tx`
      insert into daybook.failed_webhooks (transaction_id, account_id, failed_at)
      select transaction_id, account_id, attempted_at from daybook.deliveries
      where account_id = ${accountId} and state = 'failed'`
    await tx`
      insert into daybook.sales_figures (account_id, test, quarter, store_id, asset, decimals, sales, sold_usd, settled,
        settled_usd, fee, gas_fee, refunded_usd)
      select ${accountId}, false, quarter, 1, asset, 18, 7, 700000000 + quarter % 97 * 1000000, 280000000000000007,
        700000000, 1400000, 0, 0
      from generate_series(${first}::int, ${first + DAYS * 96}::int) as quarter,
        unnest(${`{${codes.join(',')}}`}::text::text[]) as asset`
    await tx.unsafe(CHECKOUTS, [accountId])
    await tx.unsafe(ACTIVITY, [accountId])
    await tx.unsafe(REQUEST_LOG, [accountId])
  })
  for (const table of FILLED) await sql`vacuum analyze ${sql(table)}`
}

/** The last thirty days have them all. */
const NUMBERED = `(select t.*, to_char(now() at time zone 'UTC' - random() * interval '${DAYS} days',
  'YYYY-MM-DD"T"HH24:MI:SS".000Z"') as lately from daybook.transactions t where account_id = $1) as t`

const SETTLEMENTS = `insert into daybook.settlements (transfer_id, account_id, store_id, challenge_id, res_id, transaction_id,
    status, amount, currency, asset, asked, paid, received, decimals, hash, payer, fee, test, at, matched)
  select 'eth:' || hash, account_id, 1, challenge_id, res_id, null,
    case when number % ${ODD_EVERY} = 0 then 'unmatched' else 'settled' end, 100000000, 'USD', 'eth', 40000010000000000,
    40000010000000000, 40000010000000000, 18, hash, payer, 200000, false, lately, false from ${NUMBERED}`

const DELIVERIES = `insert into daybook.deliveries (event_id, transaction_id, account_id, kind, slot, url, test, state,
    http_status, duration_ms, scheduled_at, attempted_at)
  select md5(transaction_id), transaction_id, account_id, 'first', 'agent', 'https://merchant.example/hook', false,
    case when number % ${ODD_EVERY} = 0 then 'failed' else 'accepted' end,
    case when number % ${ODD_EVERY} = 0 then 500 else 200 end, 120, lately, lately from ${NUMBERED}`

const LATELY = `to_char(now() at time zone 'UTC' - n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`

const CHECKOUTS = `insert into daybook.checkouts (number, account_id, store_id, slug, title, description, price, currency,
    version, deleted, test, listed, stock, created_at, changed_at, pictures, options, vendor, tags, sku, search_text)
  select 9000000000 + n, $1, 1, 'tea-' || n, 'Tea ' || n, 'Whole leaf.', 48500000, 'USD', 1, false, false, true, null,
    ${LATELY}, ${LATELY}, '[]', '[]', '', '[]', '', 'tea ' || n || ' whole leaf' from generate_series(1, ${PRODUCTS}) as n`

const ACTIVITY = `insert into daybook.activity (position, account_id, at, act, kind, actor_kind, actor_id, subject)
  select 1000000000 + ${ACTS} - n, $1, ${LATELY}, 'ResourceCreated', 'selling', 'owner', '', 'res_' || n
  from generate_series(1, ${ACTS}) as n`

const REQUEST_LOG = `insert into daybook_run.requests (account_id, n, at, method, path, status, request_id, kind, caller_id,
    hint, ms)
  select $1, 1000000 - n, now() - n * interval '1 second', 'GET', '/v1/transactions', 200, 'req_' || md5(n::text), 'owner',
    'k', '1234', 3 from generate_series(1, ${REQUESTS}) as n`

const FILLED = [
  ...['settlements', 'deliveries', 'failed_webhooks', 'sales_figures', 'transactions', 'checkouts', 'activity'].map(
    (table) => `daybook.${table}`,
  ),
  'daybook_run.requests',
]
