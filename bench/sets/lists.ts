import type { Sql } from '../../adapters/postgres/connect.ts'
import { transactionQueries } from '../../projections/selling/transactions/transaction-queries.ts'
import { load } from '../load.ts'
import { type Account, accountWith } from '../many-transactions.ts'
import { type BenchService, startBenchService } from '../service.ts'
import type { BenchSet } from '../stage.ts'

/** A seller's transactions by page: a page far down may cost little more than the first. */

const LIMIT = 100
const FAR_PAGE = 1_000
const CONNECTIONS = 4

export const lists: BenchSet = {
  name: 'lists',
  title: 'Pages of transactions',
  async run(stage) {
    const rows = stage.pick(100_000, 1_000_000)
    const { url, sql } = await stage.database()
    const service = await startBenchService({ dataDir: `${stage.dir}/data`, databaseUrl: url })
    stage.closing(() => service.stop())
    const account = await accountWith(sql, service, rows)
    await sql`vacuum analyze daybook.transactions`
    const seconds = stage.pick(2, 5)
    const [first, far] = [1, FAR_PAGE].map((page) => pageOf(service, account, page, seconds))
    if (!first || !far) throw new Error('two pages are compared')
    for (const { round } of [first, far]) await round()
    await stage.compare({
      title: `GET /v1/transactions, ${LIMIT} of ${rows.toLocaleString('en-US')} rows a page, ${CONNECTIONS} connections`,
      unit: 'requests',
      contestants: [first, far],
      goals: [
        { subject: far.name, reference: first.name, figure: 'p50', atMost: 2 },
        { subject: far.name, reference: first.name, atLeast: 0.5 },
      ],
      details: () => Promise.all([1, FAR_PAGE].map((page) => planOf(sql, account, page))),
    })
  },
}

const pageOf = ({ origin }: BenchService, { key }: Account, page: number, seconds: number) => ({
  name: `page ${page.toLocaleString('en-US')}`,
  round: () =>
    load(
      {
        url: `${origin}/v1/transactions?limit=${LIMIT}&offset=${(page - 1) * LIMIT}`,
        headers: { 'x-api-key': key },
        connections: CONNECTIONS,
        seconds,
      },
      200,
    ),
})

/** The plan by which Postgres runs the very query that the page is made of. */
const planOf = async (sql: Sql, { accountId }: Account, page: number): Promise<string> => {
  let plan: Promise<readonly { 'QUERY PLAN': string }[]> | undefined
  const explaining = {
    unsafe: (text: string, parameters: string[]) => {
      const explained = `set_config('search_path', 'daybook', true)`
      plan = sql.begin(async (tx) => {
        await tx.unsafe(`select ${explained}`)
        return tx.unsafe(`explain (analyze, buffers, costs off, summary off) ${text}`, parameters)
      })
      return plan
    },
  } as unknown as Sql
  await transactionQueries(explaining, explaining).transactions(accountId, {}, LIMIT, (page - 1) * LIMIT)
  const lines = (await plan)?.map((row) => row['QUERY PLAN']) ?? []
  return [`page ${page}`, ...lines].join('\n')
}
