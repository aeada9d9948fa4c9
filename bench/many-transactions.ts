import type { Sql } from '../adapters/postgres/connect.ts'
import type { BenchService } from './service.ts'

export type Account = { readonly accountId: string; readonly key: string }

/** Makes a new seller with `rows` transactions, which are put straight into the read model's table. */
export const accountWith = async (sql: Sql, { client }: BenchService, rows: number): Promise<Account> => {
  const body = { email: `rows-${rows}@example.test`, password: 'correct horse battery' }
  const { api_key: key } = await client.json('POST', '/v1/signup', { body })
  const [last] = await sql<{ account_id: string }[]>`
    select account_id from daybook.accounts order by created_at desc limit 1`
  const accountId = last?.account_id ?? ''
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout to 0`
    await tx`insert into daybook.transactions (transaction_id, account_id, res_id, challenge_id, external_reference, type, title,
      cryptocurrency, amount, amount_fiat, currency, status, hash, payer, test, created_at, confirmed_at, description, number, searched) select ${rows} * 10000000::bigint + n, ${accountId}, 'res_' || substr(h, 1, 26),
      'ch_' || substr(h, 7, 26) || '.eth', 'res_' || substr(h, 1, 26) || '.ch_' || substr(h, 7, 26) || '.eth', 'resource',
      'Resource res_' || substr(h, 1, 26), 'eth', '0.04000001', '100', 'USD', 'C', '0x' || h || md5(h),
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', false, t, t, '', n,
      lower(concat_ws(chr(1), ${rows} * 10000000::bigint + n, '0x' || h || md5(h), 'Resource res_' || substr(h, 1, 26),
        '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', 'res_' || substr(h, 1, 26) || '.ch_' || substr(h, 7, 26) || '.eth'))
      from (select n, md5(n::text) as h, to_char(timestamp '2026-01-01' + n * interval '7 seconds', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}) as t
        from generate_series(1, ${rows}) as n) as given`
  })
  return { accountId, key }
}
