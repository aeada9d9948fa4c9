import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { CONNECTIONS } from '../support/kept-database.ts'
import { activeSeller } from '../support/seller.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** Calls at once, each of which asks the database several times. */
const CALLS = 40
/** The listener for erased keys goes by the same name as the pool. */
const LISTENERS = 1

test('N-170 forty calls at once share the connections that DATABASE_CONNECTIONS gives them', async (t) => {
  const sql = connect(app.databaseUrl, { max: 1 })
  const open = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name = 'daybook' and pid <> pg_backend_pid()`
    return row?.count ?? 0
  }
  const { key } = await activeSeller(app)
  const calls = Array.from({ length: CALLS }, () => app.call('GET', '/v1/transactions', { key }))
  const answers = await Promise.all(calls)
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  t.is(await open(), CONNECTIONS + LISTENERS)
  await sql.end()
})
