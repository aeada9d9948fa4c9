/** The long run: `npm run fuzz -- --requests 20000 [--seed N] [--at n]`. Exits 1 on any fault. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { provideStartedDatabase } from '../support/started.ts'
import { play } from './play.ts'
import { openStage } from './stage.ts'

const REQUESTS = '20000'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: REQUESTS },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Only the request of this number. */
    at: { type: 'string' },
  },
})
const seed = Number(values.seed)
const [from, requests] = values.at === undefined ? [0, Number(values.requests)] : [Number(values.at), 1]
console.log(`seed ${seed}`)

const dir = mkdtempSync(join(tmpdir(), 'daybook-fuzz-'))
const postgres = await startEmbeddedPostgres({ dir, durable: false })
process.env.TEST_POSTGRES_URL = postgres.url
await provideStartedDatabase(postgres.url)
try {
  const stage = await openStage()
  try {
    const start = performance.now()
    const { faults, statuses, closed } = await play(stage, { seed, from, requests, progress: console.log })
    for (const { n, what, curl, answer } of faults)
      console.log(`\nseed ${seed} --at ${n}\n${what}\n${curl}\n-> ${answer}`)
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    console.log(`\nseed ${seed}: ${counts.join(', ')}`)
    if (values.at === undefined) console.log(`never let in: ${closed.join('; ') || 'none'}`)
    console.log(`${faults.length} faults in ${Math.round((performance.now() - start) / 1_000)} s`)
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await stage.stop()
  }
} finally {
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}
