/** What a process says of itself while PostgreSQL is busy with its calls. */
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp } from '../support/app.ts'
import { CONNECTIONS } from '../support/kept-database.ts'
import { shop } from '../support/sale.ts'

/** Calls that hold every connection of the process, and more that wait for one. */
const CALLS = 30
/** Milliseconds after which an answer that decided nothing would be passed over. */
const BUSY_MS = 1_500

test('N-169 a process whose calls wait for PostgreSQL says that it is ready, once its turn has come', async (t) => {
  const app = await startApp()
  t.teardown(() => app.stop())
  const { key } = await shop(app)
  const sql = connect(app.databaseUrl, { max: 2 })
  t.teardown(() => sql.end())
  const { calls, ready } = await sql.begin(async (tx) => {
    await tx`lock table daybook.resources in access exclusive mode`
    const waiting = Array.from({ length: CALLS }, () => app.call('GET', '/v1/resources', { key }))
    await eventually('every connection to wait', async () => {
      const [row] = await sql`
        select count(*)::int as waiting from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`
      return row?.waiting >= CONNECTIONS
    })
    const asked = app.call('GET', '/readyz')
    await pause(BUSY_MS)
    return { calls: waiting, ready: asked }
  })
  const { status, json } = await ready
  t.deepEqual([status, json.checks.postgres], [200, 'ok'])
  t.deepEqual(new Set((await Promise.all(calls)).map((answer) => answer.status)), new Set([200]))
})
