/** HTTP load from a process of its own: reads one JSON `Load` as its argument, prints one JSON `LoadResult`. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'
import type { Load, LoadResult } from '../load.ts'

const {
  url,
  connections,
  seconds,
  method = 'GET',
  headers = {},
  body,
  bodies,
  paths,
  callers,
  perSecond,
  requests: amount,
} = JSON.parse(process.argv[2] ?? '') as Load

let caller = callers ?? 0
/** Another address each time: what the service sees behind its proxy when every request comes from somebody else. */
const fromSomebodyElse = <R extends { headers?: object }>(request: R): R => {
  caller = (caller + 1) % 2 ** 32
  const address = [24, 16, 8, 0].map((shift) => (caller >>> shift) & 255).join('.')
  const path = paths && { path: paths[caller % paths.length] }
  return { ...request, ...path, headers: { ...request.headers, 'x-forwarded-for': address } }
}

const lines = bodies === undefined ? [] : readFileSync(bodies, 'utf8').trimEnd().split('\n')
let line = 0
const withTheNextBody = <R extends { body?: unknown }>(request: R): R => {
  line = (line + 1) % lines.length
  return { ...request, body: lines[line] }
}

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  ...(perSecond !== undefined && { overallRate: perSecond }),
  ...(amount !== undefined && { amount }),
  requests: [
    {
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(callers !== undefined && { setupRequest: fromSomebodyElse }),
      ...(bodies !== undefined && { setupRequest: withTheNextBody }),
    },
  ],
})
const statuses = Object.fromEntries(
  Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]),
)
const { errors, duration, latency } = result
process.stdout.write(
  `${JSON.stringify({ errors, seconds: duration, statuses, p50: latency.p50, p99: latency.p99 } satisfies LoadResult)}\n`,
)
