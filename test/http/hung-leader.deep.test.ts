/**
 * Two processes on one log and one database, of which the one that follows the log hangs: its kernel keeps its
 * connections alive, and nothing in it runs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { superviseService } from '../faults/processes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { assertReplayEqual, logOf, postFor, postsFor, sell, shop, transactionOf } from '../support/sale.ts'

/** How long the process hangs, and how long the others may take to take over, in milliseconds. */
const HANGS_MS = 30_000
const TAKEOVER_MS = 12_000

/** The sessions that hold turns, with how many each has. */
const holdersOf = async (sql: Sql) => {
  const rows = await sql<{ pid: number; turns: string }[]>`
    select a.pid, count(*) as turns from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and a.application_name = 'daybook lease'
      and a.datname = current_database() group by a.pid`
  return new Map(rows.map(({ pid, turns }) => [pid, Number(turns)]))
}

/** What readiness says; an answer that is no 200 is noted. */
const readiness = async (app: TestApp, refusals: unknown[]): Promise<string> => {
  const { status, json } = await app.call('GET', '/readyz')
  if (status !== 200) refusals.push(json)
  return json.status
}

/** A service of two processes, of which the second has every turn and a session of its own for them. */
const startTwo = async (t: ExecutionContext) => {
  const port = String(await freePort())
  const shared = { PORT: port, BASE_URL: `http://localhost:${port}`, MASTER_KEY: 'ab'.repeat(32) }
  const app = await startApp({ store: 'eventstoredb', env: shared })
  t.teardown(() => app.stop())
  const dir = mkdtempSync(join(tmpdir(), 'daybook-hung-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const sql = connect(app.databaseUrl, { max: 1 })
  t.teardown(() => sql.end({ timeout: 1 }))
  const holders = () => holdersOf(sql)
  const seller = await shop(app)
  await postFor(app, (await sell(app, seller)).offer.challengeId)
  const all = Math.max(...(await holders()).values())
  const other = superviseService({ ...app.env, PORT: String(await freePort()), DATA_DIR: dir })
  t.teardown(() => other.stop())
  await app.restart(async () => {
    other.launch()
    await other.ready()
    // What is waited for: that the other process has every turn, before the one that is to stand by starts.
    await eventually('every turn in one session', async () => [...(await holders()).values()].includes(all))
  })
  const [hung] = [...(await holders())].find(([, turns]) => turns === all) ?? []
  return { app, seller, other, holders, all, hung }
}

test('a process that hangs loses its turns within 12 s, the others stay ready and go on, and nothing is doubled when it wakes', async (t) => {
  t.timeout(240_000)
  const { app, seller, other, holders, all, hung } = await startTwo(t)
  const sold: string[] = []
  let selling = true
  const load = (async () => {
    while (selling) sold.push((await sell(app, seller)).offer.challengeId)
  })()
  await eventually('sales while all is well', () => sold.length >= 3)
  process.kill(other.pid(), 'SIGSTOP')
  const stoppedAt = performance.now()
  const refusals: unknown[] = []
  const look = () => readiness(app, refusals)
  const seen = new Set<string>()
  // What is waited for: that the session of the process that hangs is gone, and every turn is another's.
  await eventually('the takeover', async () => {
    seen.add(await look())
    const now = await holders()
    return !now.has(hung ?? 0) && [...now.values()].includes(all)
  })
  const tookOver = performance.now() - stoppedAt
  t.true(tookOver <= TAKEOVER_MS, `${Math.round(tookOver)} ms`)
  // What is waited for: work that was begun after the hang comes to its end while the other process still hangs.
  const after = await sell(app, seller)
  await postFor(app, after.offer.challengeId)
  sold.push(after.offer.challengeId)
  await eventually('all is well again', async () => (await look()) === 'ok')
  while (performance.now() - stoppedAt < HANGS_MS) {
    await look()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  process.kill(other.pid(), 'SIGCONT')
  // What is waited for: that the process which woke serves again, and that sales from then on come to their ends.
  await other.ready()
  const woken = sold.length
  await eventually('sales after it woke', () => sold.length >= woken + 3)
  selling = false
  await load
  t.deepEqual(refusals, [])
  t.true(seen.has('degraded') || seen.has('ok'))
  t.is(other.fell(), 0)

  for (const challengeId of sold) {
    await transactionOf(app, seller.key, challengeId, 'C')
    await postFor(app, challengeId)
  }
  t.true(sold.every((challengeId) => postsFor(app, challengeId).length === 1))
  const log = await logOf(app)
  for (const type of ['ChallengeSettled', 'TransactionCompleted', 'CreditDebited', 'DeliveryAttempted'] as const) {
    const streams = log.filter((event) => event.type === type && JSON.stringify(event.data).includes('cha_'))
    t.is(new Set(streams.map((event) => `${event.stream} ${JSON.stringify(event.data)}`)).size, streams.length, type)
  }
  await assertReplayEqual(t, app)
})
