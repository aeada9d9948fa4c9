/** What the service says of itself, and PostgreSQL of it, minute by minute. */
import { connect } from '../../adapters/postgres/connect.ts'
import type { Minute } from './verdict.ts'

type Sample = Pick<Minute, 'rss' | 'heap' | 'lag' | 'files' | 'connections'>

const MB = 1e6

export const openSampler = async (metricsUrl: string, databaseUrl: string) => {
  const sql = connect(databaseUrl, { max: 1 })
  let samples: Sample[] = []
  return {
    async sample(): Promise<void> {
      const text = await (await fetch(metricsUrl)).text()
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`
      samples.push({
        rss: value('process_resident_memory_bytes') / MB,
        heap: value('nodejs_heap_size_used_bytes') / MB,
        lag: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
        files: value('process_open_fds'),
        connections: row?.count ?? Number.NaN,
      })
    },
    /** Of the samples since the last call. */
    minute(): Sample {
      const of = (what: keyof Sample) => samples.map((each) => each[what])
      const most = (what: keyof Sample) => Math.max(...of(what))
      const sampled = {
        ...{ rss: most('rss'), lag: most('lag'), files: most('files'), connections: most('connections') },
        heap: Math.min(...of('heap')),
      }
      samples = []
      return sampled
    },
    stop: () => sql.end({ timeout: 1 }),
  }
}
