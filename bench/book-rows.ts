import { connect, type Sql } from '../adapters/postgres/connect.ts'
import type { View } from '../domain/reading/books/entry.ts'
import { createMissing, prepareSchema, SERVING } from '../projections/engine/schema.ts'
import { booksProjection } from '../projections/money/books.ts'

/** Postings of a sale in the books of its seller: receipts, income and VAT, and the two of the fee. */
export const LINES_A_SALE = 5
/** The seller whose books they are. */
export const VIEW: View = 'seller:acc_bench'

/** Puts the books of `sales` sales, a minute apart, straight into the read model's tables. */
export const booksOf = async (url: string, sales: number): Promise<void> => {
  const sql = connect(url, { schema: SERVING, max: 1, statementMs: 0 })
  try {
    await prepareSchema(sql, SERVING)
    await createMissing(sql, booksProjection)
    await fill(sql, sales)
    await sql`vacuum analyze`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const fill = async (sql: Sql, sales: number): Promise<void> => {
  const challenge = sql`'ch_' || substr(md5(n::text), 1, 26) || '.eth'`
  const transaction = sql`'tx_' || substr(md5('t' || n), 1, 26)`
  const hash = sql`'0x' || md5('h' || n) || md5('i' || n)`
  await sql`
    insert into book_postings (
      view, position, line, account, asset, amount, kind, event_type, at, mined_at, stream, event_id, challenge_id, hash,
      payer, fiat_amount, fiat_currency, rate, order_id, document, counterparty, value_usd, value, value_currency,
      rate_source)
    select ${VIEW}, (n * 2 + event) * 1000, line, account, asset, amount, kind, type,
      to_char(timestamp '2026-01-01' + n * interval '1 minute', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}),
      case event when 0 then to_char(timestamp '2026-01-01' + n * interval '1 minute', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}) end,
      stream, md5(n::text || type)::uuid::text, ${challenge}, case event when 0 then ${hash} end,
      case event when 0 then payer end, case event when 0 then 119000000 end, case event when 0 then 'EUR' end,
      case event when 0 then '2500.12' end, null, case event when 1 then 'platform-fee.' || ${challenge} end,
      case event when 0 then payer else 'platform' end, usd, own, 'EUR',
      case event when 0 then 'median of binance coinbase kraken / EUR ecb' else 'EUR ecb' end
    from generate_series(1, ${sales}) as n
    cross join lateral (select '0x' || substr(md5('p' || n % 1000), 1, 40) || md5('q') as payer) as p
    cross join lateral (values
      (0, 0, 'assets:receipts', 'eth', 47600010000000000::numeric + n, 'sale', 'ChallengeSettled', 'challengeSet-' || substr(md5(n::text), 1, 26), 129.71, 119),
      (0, 1, 'income:sales', 'eth', -40000010000000000::numeric - n, 'sale', 'ChallengeSettled', 'challengeSet-' || substr(md5(n::text), 1, 26), -109, -100),
      (0, 2, 'liabilities:vat', 'eth', -7600000000000000::numeric, 'sale', 'ChallengeSettled', 'challengeSet-' || substr(md5(n::text), 1, 26), -20.71, -19),
      (1, 0, 'assets:credit', 'USD', -259420, 'fee', 'CreditDebited', 'creditAccount-acc_bench', -0.25942, -0.238),
      (1, 1, 'expenses:fees', 'USD', 259420, 'fee', 'CreditDebited', 'creditAccount-acc_bench', 0.25942, 0.238)
    ) as v (event, line, account, asset, amount, kind, type, stream, usd, own)`
  await sql`
    insert into book_sales (challenge_id, sold_as, known_at)
    select ${challenge}, ${transaction}, n * 2000 from generate_series(1, ${sales}) as n`
  await sql`
    insert into book_documents (transaction_id, order_id, document, known_at, payer, paid_at)
    select ${transaction}, 'pr_' || substr(md5('o' || n), 1, 26), 'invoice 2026-' || n, n * 2000, null, null
    from generate_series(1, ${sales}) as n`
}
