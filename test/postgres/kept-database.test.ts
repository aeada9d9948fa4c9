import test from 'ava'
import { CONNECTIONS, connectBeside, type LentDatabase, lendDatabase } from '../support/kept-database.ts'
import { overSocket } from '../support/postgres.ts'

/** What one test's service leaves to the next one in its process: nothing of its own. */

const POOL = { schema: 'daybook', max: CONNECTIONS }
const poolOf = ({ url, openPool }: LentDatabase) => openPool(overSocket(url), POOL)

/** Every table with how many rows it has, as the next service finds them. */
const found = async () => {
  const database = await lendDatabase()
  const sql = poolOf(database)
  const rows = await sql<{ name: string; rows: number }[]>`
    select relname as name, (xpath('/row/n/text()', query_to_xml(
      format('select count(*) as n from %I.%I', schemaname, relname), false, true, '')))[1]::text::int as rows
    from pg_stat_user_tables where schemaname like 'daybook%' order by relid`
  const [column] = await sql`
    select from pg_attribute where attrelid = 'daybook.checkpoints'::regclass and attname = 'of_a_test'`
  await sql.end()
  await database.leave()
  return { tables: [...rows], isAltered: column !== undefined }
}

test('rows that a service has written are gone when the next one gets its database, and those of a new one are back', async (t) => {
  const asNew = await found()
  t.true(asNew.tables.length > 50)
  t.true(asNew.tables.some(({ rows }) => rows > 0))

  const database = await lendDatabase()
  const sql = poolOf(database)
  await sql`insert into daybook_run.checkpoints (name, position) values ('of a test', 7)`
  await sql`delete from daybook.checkpoints`
  await sql.end()
  await database.leave()
  t.deepEqual(await found(), asNew)
})

test('a database whose tables were changed is left to nobody', async (t) => {
  const database = await lendDatabase()
  const sql = poolOf(database)
  await sql`alter table daybook.checkpoints add column of_a_test text`
  await sql.end()
  await database.leave()
  t.false((await found()).isAltered)
})

test('a pool that has ended sends nothing more, and a transaction that it left open holds up nobody', async (t) => {
  const database = await lendDatabase()
  const sql = poolOf(database)
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => (locked = resolve))
  const left = sql.begin(async (tx) => {
    await tx`lock table daybook.checkpoints`
    locked()
    await new Promise(() => {})
  })
  await isLocked
  const beside = connectBeside(overSocket(database.url))
  await Promise.all([sql.end({ timeout: 0 }), t.throwsAsync(async () => left, { message: 'the pool was ended' })])
  await t.throwsAsync(async () => sql`select 1`, { message: 'the pool was ended' })
  t.is((await beside`select 1`).length, 1)
  await beside.end()
  await database.leave()
  t.true((await found()).tables.length > 50)
})
