import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { runs } from '../support/depth.ts'
import { testDatabase } from '../support/postgres.ts'
import { chanceOf } from './chance.ts'
import { startWire } from './proxy.ts'

/** Connections that are cut in the middle of their work, again and again, on a pool that goes on being used. */

const WORKERS = 16
const CUTS = runs({ quick: 80, deep: 600 })
const LIMIT_MS = runs({ quick: 120_000, deep: 600_000 })
const CUT_SPREAD_MS = 12
const CUT_LATEST_MS = 100
const ROWS = 3
const SEED = 20_261_120
/** More than any statement here takes; a promise that is still open then will never settle. */
const SETTLED_MS = 20_000

test('no transaction is harmed by one whose backend was ended: no half batch, no foreign answer, no call that stays open', async (t) => {
  const { sql: admin, url } = await testDatabase(t)
  const sql = connect(url, { max: 6 })
  await cutUnderWork(t, { admin, sql }, async () => {
    const ended = await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'daybook'
        and query ~ 'batch|begin|commit|rollback'
      order by random() limit 1`
    return ended.length
  })
})

test('no transaction is harmed by one whose connection was reset on its way to Postgres', async (t) => {
  const { sql: admin, url } = await testDatabase(t)
  const { port, hostname: host } = new URL(url)
  const proxy = await startWire({ port: Number(port), host })
  t.teardown(() => proxy.stop())
  const chance = chanceOf(SEED)
  const sql = connect(Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href, { max: 6 })
  await cutUnderWork(t, { admin, sql }, async () => proxy.cut((count) => chance.between(0, Math.max(0, count - 1))))
})

type Found = { committed: Set<string>; failed: number; foreign: string[] }

const cutUnderWork = async (
  t: ExecutionContext,
  { admin, sql }: { admin: Sql; sql: Sql },
  cut: () => Promise<number>,
): Promise<void> => {
  t.timeout(LIMIT_MS)
  await admin`create table batches (batch text, part integer, primary key (batch, part))`
  const chance = chanceOf(SEED)
  const found: Found = { committed: new Set(), failed: 0, foreign: [] }
  const stopping = new AbortController()
  const working = Promise.all(Array.from({ length: WORKERS }, (_, n) => work(sql, n, found, stopping.signal)))
  for (let cuts = 0; cuts < CUTS; cuts += await cut()) {
    const [before, until] = [found.committed.size, Date.now() + CUT_LATEST_MS]
    await pause(chance.between(0, CUT_SPREAD_MS))
    // Between two cuts something gets through, so that there is always work of every kind to cut.
    while (found.committed.size === before && Date.now() < until) await pause(1)
  }
  stopping.abort()
  t.not(await Promise.race([working, pause(SETTLED_MS, 'late', { ref: false })]), 'late', 'a call stayed open')
  const batches = await admin<{ batch: string; parts: number }[]>`
    select batch, count(*)::int as parts from batches group by batch`
  await sql.end({ timeout: 1 })

  t.log(`${CUTS} cuts, ${found.committed.size} committed, ${found.failed} failed`)
  t.deepEqual(found.foreign, [], 'an answer came to another question')
  const halves = batches.filter(({ parts }) => parts !== ROWS)
  t.deepEqual(halves, [], 'half a batch was committed')
  const kept = new Set(batches.map(({ batch }) => batch))
  const missing = [...found.committed].filter((batch) => !kept.has(batch))
  t.deepEqual(missing, [], 'a committed batch is missing')
  t.true(found.failed >= CUTS / 2 && found.committed.size >= CUTS / 2, 'the cuts met too little work')
}

/** In turn a transaction and a lone query; both ask for something that only their own answer can hold. */
const work = async (sql: Sql, worker: number, found: Found, signal: AbortSignal): Promise<void> => {
  const chance = chanceOf(SEED + worker)
  const asked = (batch: string, row: { batch: string } | undefined) => {
    if (row?.batch !== batch) found.foreign.push(`${batch} got ${row?.batch}`)
  }
  for (let n = 0; !signal.aborted; n++) {
    const batch = `${worker}-${n}`
    try {
      if (n % 2 === 1) asked(batch, (await sql<{ batch: string }[]>`select ${batch}::text as batch`)[0])
      else {
        await sql.begin(async (tx) => {
          for (let part = 0; part < ROWS; part++) {
            asked(
              batch,
              (await tx<{ batch: string }[]>`insert into batches values (${batch}, ${part}) returning batch`)[0],
            )
            // Work beside the database, as a swap has it: the cut then meets a transaction that waits for no answer.
            await pause(chance.between(0, 3))
          }
          if (chance.next() < GIVEN_UP) throw new GivenUp()
        })
        found.committed.add(batch)
      }
    } catch (error) {
      if (!(error instanceof GivenUp)) found.failed++
      await pause(1)
    }
  }
}

/** Share of the transactions that are rolled back by their own will. */
const GIVEN_UP = 0.2
class GivenUp extends Error {}
