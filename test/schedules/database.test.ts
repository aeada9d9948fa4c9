import test from 'ava'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { eventually } from '../../src/demo/stage.ts'
import { explore } from '../support/explore.ts'
import { testDatabase } from '../support/postgres.ts'
import { watchDatabase } from './database.ts'
import type { Scenario } from './schedule.ts'

test('a statement that the work of the server itself holds up is waited for', async (t) => {
  const { sql } = await testDatabase(t)
  await sql`create table amounts (amount int)`
  const worked = sql.unsafe(HOLD).execute()
  await eventually('the lock is held', () => isLocked(sql))
  const database = watchDatabase(sql, () => {})
  const scenario: Scenario = (start) => {
    start('A', (self) => self.task('reads', () => database.seenBy(self)`select amount from amounts`))
    return { shared: () => '', always() {}, atRest() {}, settled: () => database.settled() }
  }
  // A task that waits for its answer when the database is said to have settled is one that can never go on.
  t.deepEqual(await explore(scenario, { preemptions: 0, crashes: 0 }), { schedules: 1, known: 0 })
  await worked
})

/** As a vacuum that shortens a table: locks it, and lets go by itself, here some looks after somebody waits for it. */
const HOLD = `do $$ begin
  lock table amounts in access exclusive mode;
  while not exists (select from pg_locks where relation = 'amounts'::regclass and not granted) loop
    perform pg_sleep(0.01);
  end loop;
  perform pg_sleep(0.2);
end $$`

const isLocked = async (sql: Sql): Promise<boolean> => {
  const locks = await sql`
    select from pg_locks where relation = 'amounts'::regclass and mode = 'AccessExclusiveLock' and granted`
  return locks.length > 0
}
