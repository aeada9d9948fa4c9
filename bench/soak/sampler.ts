/** Asks the service for its metrics, and PostgreSQL for the service's connections, minute by minute. */
import { once } from 'node:events'
import { connect } from '../../adapters/postgres/connect.ts'
import type { Minute } from './verdict.ts'

type Sample = Pick<Minute, 'rss' | 'lag' | 'files' | 'connections'>

const MB = 1e6

/** The places where the service is asked: its metrics, the inspector of its process, and its database. */
type Asked = { readonly metricsUrl: string; readonly inspectorUrl: string; readonly databaseUrl: string }

export const openSampler = async ({ metricsUrl, inspectorUrl, databaseUrl }: Asked) => {
  const sql = connect(databaseUrl, { max: 1 })
  let samples: Sample[] = []
  const valuesOf = async () => {
    const text = await (await fetch(metricsUrl)).text()
    return (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  }
  return {
    async sample(): Promise<void> {
      const value = await valuesOf()
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`
      samples.push({
        rss: value('process_resident_memory_bytes') / MB,
        lag: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
        files: value('process_open_fds'),
        connections: row?.count ?? Number.NaN,
      })
    },
    /** The most of the samples since the last call, and the heap after a collection. */
    async minute(): Promise<Sample & Pick<Minute, 'heap'>> {
      const most = (what: keyof Sample) => Math.max(...samples.map((each) => each[what]))
      const sampled = { rss: most('rss'), lag: most('lag'), files: most('files'), connections: most('connections') }
      samples = []
      await collect(inspectorUrl)
      return { ...sampled, heap: (await valuesOf())('nodejs_heap_size_used_bytes') / MB }
    },
    stop: () => sql.end({ timeout: 1 }),
  }
}

/** Makes the process collect its garbage. */
const collect = async (inspectorUrl: string): Promise<void> => {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`${inspectorUrl}/json`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(socket, 'message')
  socket.close()
}
