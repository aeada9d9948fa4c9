import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { transactionsCsv } from '../../projections/selling/transactions/transactions-csv.ts'
import type { Contestant, Goal } from '../comparison.ts'
import { debianProgram, sayLeftOut } from '../debian.ts'
import { type Account, accountWith } from '../many-transactions.ts'
import { forgetPeak, peakMb, residentMb } from '../memory.ts'
import { copyBy, selectOf } from '../psql-copy.ts'
import { type BenchService, startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { Download, Downloaded } from '../subjects/download.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * All transactions of an account as CSV over HTTP, beside psql writing the same bytes, and the memory that it costs the
 * service.
 */

const FEW_ROWS = 10_000
const FEW = getOf(FEW_ROWS)
/** Rows of the larger account. */
const ROWS = { small: 100_000, full: 1_000_000 } as const
const ADDED = 'what the GET adds to the idle service'
const PSQL = 'psql \\copy of the same select'

export const csv: BenchSet = {
  name: 'csv',
  title: 'Transactions as CSV',
  versioned: [...Object.values(ROWS).map(getOf), FEW],
  async run(stage) {
    const rows = stage.pick(ROWS.small, ROWS.full)
    const { url, sql } = await stage.database()
    const service = await startBenchService({ dataDir: `${stage.dir}/data`, databaseUrl: url, root: stage.root })
    stage.closing(() => service.stop())
    const [many, few] = [await accountWith(sql, service, rows), await accountWith(sql, service, FEW_ROWS)]
    await sql`vacuum analyze daybook.transactions`
    const client = startWorker('subjects/download.ts')
    stage.closing(() => client.stop())
    const idle = lowest(() => residentMb(service.pid))
    idle()
    const name = getOf(rows)
    const get = downloads(client, service, name, { ...many, rows, idle })
    const psql = stage.peers ? debianProgram('psql') : undefined
    if (stage.peers && !psql) sayLeftOut('psql', PSQL)
    await stage.compare({
      title: 'CSV with 24 columns; peak MB is resident memory of the service',
      unit: 'rows',
      contestants: [
        ...get,
        downloads(client, service, FEW, { ...few, rows: FEW_ROWS, idle })[0],
        ...(psql ? [await psqlCopy(stage, psql, url, { client, service, ...many, rows })] : []),
      ],
      goals: [...memoryGoals(name), ...(psql ? [{ subject: name, reference: PSQL, atLeast: 0.4 }] : [])],
    })
  },
}

function getOf(rows: number): string {
  return `GET of ${rows.toLocaleString('en-US')} rows`
}

const memoryGoals = (name: string): readonly Goal[] => [
  { subject: ADDED, figure: 'peakMb', atMost: 120 },
  { subject: name, reference: FEW, figure: 'peakMb', atMost: 1.2 },
]

/** The download itself, and the memory that it adds to the idle service. */
const downloads = (
  client: Worker,
  service: BenchService,
  name: string,
  { key, rows, idle }: Account & { rows: number; idle(): number },
): [Contestant, Contestant] => {
  let known: Downloaded | undefined
  const round = async () => {
    idle()
    forgetPeak(service.pid)
    const got = await client.ask<Downloaded>(downloadOf(service, key))
    known ??= got
    if (got.bytes !== known.bytes) throw new Error(`${got.bytes} bytes came, ${known.bytes} before`)
    return { rate: rows / (got.ms / 1000), peakMb: peakMb(service.pid) }
  }
  const added = async () => {
    const taken = await round()
    return { ...taken, peakMb: taken.peakMb - idle() }
  }
  return [
    { name, round },
    { name: ADDED, round: added },
  ]
}

/** The least that was ever measured: an idle service gives memory back only after a while. */
const lowest = (measure: () => number) => {
  let least = Number.POSITIVE_INFINITY
  return () => {
    least = Math.min(least, measure())
    return least
  }
}

const downloadOf = ({ origin }: BenchService, key: string): Download => ({
  url: `${origin}/v1/transactions?download=1`,
  key,
})

/** The contestant psql, after a check that both sides write the same bytes. */
const psqlCopy = async (
  stage: Stage,
  psql: string,
  url: string,
  { client, service, accountId, key, rows }: Account & { client: Worker; service: BenchService; rows: number },
): Promise<Contestant> => {
  const copy = copyBy(
    psql,
    url,
    stage.dir,
    await selectOf((sql) => transactionsCsv(sql, `deleted_at is null and account_id = '${accountId}'`, accountId)),
  )
  const file = `${stage.dir}/psql.csv`
  await copy(file)
  const { sha256 } = await client.ask<Downloaded>({ ...downloadOf(service, key), digest: true })
  if (sha256 !== (await digestOf(file))) throw new Error('psql and the service write different CSV')
  return { name: PSQL, round: async () => ({ rate: rows / ((await copy('/dev/null')) / 1000) }) }
}

const digestOf = async (file: string): Promise<string> => {
  const sum = createHash('sha256')
  for await (const chunk of createReadStream(file)) sum.update(chunk)
  return sum.digest('hex')
}
