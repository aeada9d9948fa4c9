import test from 'ava'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { explore } from '../support/explore.ts'
import { testDatabase } from '../support/postgres.ts'
import { watchDatabase } from './database.ts'
import type { Scenario } from './schedule.ts'

test('a statement that the work of the server itself holds up is waited for', async (t) => {
  const { sql } = await testDatabase(t)
  await sql`create table amounts (amount int)`
  // A vacuum, for one, shortens a table under such a lock.
  const work = sql.unsafe('do $$ begin lock table amounts in access exclusive mode; perform pg_sleep(0.2); end $$')
  const worked = work.execute()
  while (!(await isLocked(sql)));
  const database = watchDatabase(sql, () => {})
  const scenario: Scenario = (start) => {
    start('A', (self) => self.task('reads', () => database.seenBy(self)`select amount from amounts`))
    return { shared: () => '', always() {}, atRest() {}, settled: () => database.settled() }
  }
  // A task that waits for its answer when the database is said to have settled is one that can never go on.
  t.deepEqual(await explore(scenario, { preemptions: 0, crashes: 0 }), { schedules: 1, known: 0 })
  await worked
})

const isLocked = async (sql: Sql): Promise<boolean> => {
  const locks = await sql`
    select from pg_locks where relation = 'amounts'::regclass and mode = 'AccessExclusiveLock' and granted`
  return locks.length > 0
}
