import { connect } from '../adapters/postgres/connect.ts'
import { createMissing, prepareSchema, SERVING } from '../projections/engine/schema.ts'
import { journalProjection } from '../projections/money/journal.ts'

/** Postings of a sale: the coins that came, and the fee. */
export const LINES_A_SALE = 4

const SELLERS = 1_000

/** Puts the journal of `sales` sales, a minute apart, straight into the read model's table. */
export const journalOf = async (url: string, sales: number): Promise<void> => {
  const sql = connect(url, { schema: SERVING, max: 1, statementMs: 0 })
  try {
    await prepareSchema(sql, SERVING)
    await createMissing(sql, journalProjection)
    await sql`
      insert into postings (position, line, account, asset, amount, event_type, at, stream, event_id)
      select (n * 2 + event) * 1000, line, account, asset, amount, type,
        to_char(timestamp '2026-01-01' + n * interval '1 minute', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}), stream, md5(n::text || type)::uuid::text
      from generate_series(1, ${sales}) as n
      cross join lateral (values
        (0, 0, 'buyers', 'eth', -40000010000000000::numeric - n, 'ChallengeSettled', 'challengeSet-ch_' || substr(md5(n::text), 1, 26)),
        (0, 1, 'seller:acc_' || n % ${SELLERS} || ':wallet', 'eth', 40000010000000000::numeric + n, 'ChallengeSettled', 'challengeSet-ch_' || substr(md5(n::text), 1, 26)),
        (1, 0, 'seller:acc_' || n % ${SELLERS} || ':credit', 'USD', -200000, 'CreditDebited', 'creditAccount-acc_' || n % ${SELLERS}),
        (1, 1, 'platform:fees', 'USD', 200000, 'CreditDebited', 'creditAccount-acc_' || n % ${SELLERS})
      ) as v (event, line, account, asset, amount, type, stream)`
    await sql`vacuum analyze postings`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
