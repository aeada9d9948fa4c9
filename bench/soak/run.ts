/**
 * `npm run soak [-- --minutes 30]`: doors, pages, test sales with their webhooks, lists, sign-ins and standing orders
 * at a steady load; memory and latency minute by minute, and a verdict. Nobody pays by card, asks for a payout, fills a
 * cart or plays.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../../src/demo/port.ts'
import { startChild } from '../child.ts'
import { machine } from '../report.ts'
import { startBenchService } from '../service.ts'
import { type Job, startJobs } from './jobs.ts'
import { openSampler } from './sampler.ts'
import { openScene } from './scene.ts'
import { type Minute, rowOf, titles, verdictOf } from './verdict.ts'

const MINUTES = '30'
const MINUTE_MS = 60_000
const SAMPLE_MS = 2_000
/**
 * The warm-up does half an hour's work: memory that is used up to a bound, such as 64 MB of the log's pages, is then
 * full before memory is looked at.
 */
const WARM_UP_PACE = 4
const WARM_UP_MINUTES = 8

const { values } = parseArgs({ options: { minutes: { type: 'string', default: MINUTES } } })
const closers: (() => unknown)[] = []
try {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-soak-'))
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const receiver = await startChild<{ url: string; hostPort: string }>('bench/subjects/receiver.ts')
  closers.push(receiver.stop)
  const [metricsPort, inspectorPort] = [await freePort(), await freePort()]
  // Without DATABASE_URL the service has its own PostgreSQL, as it has its own log.
  const env = { METRICS_PORT: String(metricsPort), OUTBOUND_ALLOW: receiver.hostPort }
  const service = await startBenchService({
    dataDir,
    databaseUrl: '',
    env,
    nodeOptions: [`--inspect=127.0.0.1:${inspectorPort}`],
  })
  closers.push(service.stop)
  const scene = await openScene(service, dataDir, receiver.url)
  closers.push(scene.stop)
  const sampler = await openSampler({
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    inspectorUrl: `http://127.0.0.1:${inspectorPort}`,
    databaseUrl: scene.databaseUrl,
  })
  closers.push(sampler.stop)
  const warm = await warmUp(scene.jobs)
  const jobs = startJobs(scene.jobs)
  closers.push(jobs.stop)

  console.log(`${machine()}
warm-up: ${WARM_UP_MINUTES} minutes at ${WARM_UP_PACE} times the pace, ${warm.answered} answers, ${warm.failed} failed

${titles}`)
  const minutes: Minute[] = []
  for (let n = 1; n <= Number(values.minutes); n++) {
    const end = Date.now() + MINUTE_MS
    while (Date.now() < end) {
      await sampler.sample()
      await pause(Math.max(0, Math.min(SAMPLE_MS, end - Date.now())))
    }
    const minute = { n, ...(await sampler.minute()), ...jobs.minute() }
    minutes.push(minute)
    console.log(rowOf(minute))
  }
  const taken = (await (await fetch(`${receiver.url}/taken`)).json()) as { posts: number }
  const { lines, isFlat } = verdictOf(minutes)
  console.log(`\n${[...lines, `${taken.posts} webhooks came to the receiver`].join('\n')}`)
  if (!isFlat) process.exitCode = 1
} finally {
  for (const close of closers.reverse()) await close()
}

async function warmUp(all: readonly Job[]) {
  const jobs = startJobs(all, WARM_UP_PACE)
  await pause(WARM_UP_MINUTES * MINUTE_MS)
  await jobs.stop()
  return jobs.minute()
}
