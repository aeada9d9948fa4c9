import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { testDatabase } from '../support/postgres.ts'

const pid = (sql: Pick<Sql, 'unsafe'>) =>
  sql.unsafe('select pg_backend_pid() as pid').then(([row]) => row?.pid as number)

test('Piped statements share a connection, and one that is refused leaves the others as they are', async (t) => {
  const { pool } = await setUp(t)
  const pids = await Promise.all(Array.from({ length: 20 }, () => pid(pool.piped)))
  t.is(new Set(pids).size, 1)
  const ends = await Promise.allSettled([
    pool.piped`insert into marks values (1)`,
    pool.piped`insert into marks values (1 / 0)`,
    pool.piped`insert into marks values (${'x' as never})`,
    pool.piped`insert into marks values (2)`,
  ])
  t.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  t.deepEqual([...(await pool`select mark from marks order by mark`)], [{ mark: 1 }, { mark: 2 }])
})

test('Piped statements and transactions take turns at a single connection, and none is within another', async (t) => {
  const { pool } = await setUp(t, 1)
  const within = (mark: number) =>
    pool.begin(async (tx) => {
      await tx`insert into marks values (${mark})`
      await pause(5)
      throw new Error('undone')
    })
  const all: Promise<unknown>[] = []
  for (let mark = 0; mark < 10; mark++) {
    all.push(within(100 + mark), Promise.resolve(pool.piped`insert into marks values (${mark})`))
    await pause(2)
  }
  const ends = await Promise.allSettled(all)
  t.is(ends.filter(({ status }) => status === 'fulfilled').length, 10)
  t.is((await pool`select mark from marks where mark < 100`).length, 10)
  t.is((await pool`select mark from marks where mark >= 100`).length, 0)
})

test('Behind a piped statement that waits for a lock others are soon sent by another connection', async (t) => {
  const { pool } = await setUp(t)
  await pool`insert into marks values (1)`
  let isOver = false
  let waiting: Promise<unknown> = Promise.resolve()
  await pool.begin(async (tx) => {
    await tx`update marks set mark = 2`
    waiting = Promise.resolve(pool.piped`update marks set mark = mark + 1`).finally(() => (isOver = true))
    await pause(200)
    const pids = await Promise.all(Array.from({ length: 5 }, () => pid(pool.piped)))
    t.is(new Set(pids).size, 1)
    t.false(isOver)
  })
  await waiting
  t.deepEqual([...(await pool`select mark from marks`)], [{ mark: 3 }])
})

test('A connection that is lost takes its piped statements along, and the next ones have another', async (t) => {
  const { pool, sql } = await setUp(t)
  const lost = await pid(pool.piped)
  const all = [pool.piped`select pg_sleep(60)`, pool.piped`select 1`, pool.piped`select 2`]
  const ends = Promise.allSettled(all.map((each) => Promise.resolve(each)))
  for (let isAsleep = false; !isAsleep; )
    isAsleep = (await sql`select 1 from pg_stat_activity where pid = ${lost} and wait_event = 'PgSleep'`).length === 1
  await sql`select pg_terminate_backend(${lost})`
  t.deepEqual(
    (await ends).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  t.not(await pid(pool.piped), lost)
})

test('Piped statements that wait for the only connection are all taken, and refused above the bound of the pool', async (t) => {
  const { pool } = await setUp(t, 1)
  let all: Promise<unknown>[] = []
  await pool.begin(async () => {
    all = Array.from({ length: 10_000 }, (_, mark) => Promise.resolve(pool.piped`insert into marks values (${mark})`))
    await t.throwsAsync(Promise.resolve(pool.piped`select 1`), { code: 'CONNECTIONS_BUSY' })
  })
  await Promise.all(all)
  t.deepEqual([...(await pool`select count(distinct mark)::integer as marks from marks`)], [{ marks: 10_000 }])
})

test('Piped statements are refused once the pool has ended', async (t) => {
  const { pool } = await setUp(t)
  await pool.end({ timeout: 1 })
  await t.throwsAsync(Promise.resolve(pool.piped`select 1`), { message: /the pool was ended/ })
})

const setUp = async (t: ExecutionContext, max = 3) => {
  const { sql, url } = await testDatabase(t)
  await sql`create table marks (mark integer)`
  const pool = connect(url, { max })
  t.teardown(() => pool.end({ timeout: 1 }))
  return { sql, pool }
}
