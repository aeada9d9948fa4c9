import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import { connect, createTables, unlessColumn } from '../../adapters/postgres/connect.ts'
import { keepLockSession } from '../../adapters/postgres/lock-session.ts'
import { overSocket, testDatabase } from '../support/postgres.ts'

test('Whole numbers of 64 bits and exact decimals arrive as strings, and undefined is written as null', async (t) => {
  const { sql } = await testDatabase(t)
  const [row] = await sql`
    select ${'9223372036854775807'}::bigint as big, 0.10::numeric as exact, ${undefined as never}::text as nothing`
  t.deepEqual({ ...row }, { big: '9223372036854775807', exact: '0.10', nothing: null })
})

test('Every statement, and every transaction that does nothing, has a time limit', async (t) => {
  const { sql } = await testDatabase(t)
  const [row] = await sql`
    select current_setting('statement_timeout') as statement, current_setting('TimeZone') as zone,
      current_setting('idle_in_transaction_session_timeout') as idle`
  t.deepEqual({ ...row }, { statement: '30s', zone: 'UTC', idle: '1min' })
})

test('A URL may name the folder of a Unix socket, as libpq has it, and other settings beside it', async (t) => {
  const { url } = await testDatabase(t)
  const local = overSocket(url)
  if (local === url) return t.pass('the server has no socket here')
  for (const address of [local, `${local}&lock_timeout=1s`]) {
    const sql = connect(address, { max: 1 })
    const session = keepLockSession(address)
    t.teardown(() => Promise.all([sql.end({ timeout: 1 }), session.close()]))
    const [row] = await sql`select inet_server_addr() as address, current_setting('lock_timeout') as wait`
    t.deepEqual({ ...row }, { address: null, wait: address === local ? '0' : '1s' })
    t.truthy(await session.lock('a'))
    await session.close()
  }
  const nowhere = connect(url.replace(/\?.*|$/, `?host=${encodeURIComponent('/nowhere')}`), { max: 1 })
  t.teardown(() => nowhere.end({ timeout: 1 }))
  await t.throwsAsync(nowhere`select 1`, { message: /ENOENT.*\/nowhere\/\.s\.PGSQL/ })
})

test('A schema given to the pool is where its names are looked up', async (t) => {
  const { url, sql } = await testDatabase(t)
  await createTables(sql, 'create schema books; create table books.page (n int)')
  const pool = connect(url, { max: 1, schema: 'books' })
  t.teardown(() => pool.end({ timeout: 1 }))
  t.deepEqual([...(await pool`select * from page`)], [])
  t.throws(() => connect(url, { schema: 'books, public' }), { message: /Not a schema name/ })
})

test('A connection that streamed rows serves the next, whether its reader was slow or went away', async (t) => {
  const { url } = await testDatabase(t)
  const pool = connect(url, { max: 1 })
  t.teardown(() => pool.end({ timeout: 1 }))
  // More than a stream holds back for its reader; the second also more than the connection does.
  for (const rows of [1_000, 200_000]) {
    const copy = `copy (select repeat('x', 100) from generate_series(1, ${rows})) to stdout`
    const slow = await pool.unsafe(copy).readable()
    await delay(100)
    let bytes = 0
    for await (const piece of slow) bytes += piece.length
    t.is(bytes, rows * 101)
    const left = await pool.unsafe(copy).readable()
    left.once('data', () => left.destroy())
    t.deepEqual([...(await pool`select 1 as n`)], [{ n: 1 }])
    const inside = pool.begin(async (tx) => void (await tx.unsafe(copy).readable()).destroy())
    await Promise.allSettled([inside])
    t.deepEqual([...(await pool`select 2 as n`)], [{ n: 2 }])
  }
})

test('Processes that create the same tables at once do not hinder each other', async (t) => {
  const { sql } = await testDatabase(t)
  const tables = 'create schema if not exists a; create table if not exists a.b (c int primary key)'
  await t.notThrowsAsync(Promise.all(Array.from({ length: 8 }, () => createTables(sql, tables))))
})

test('A connection keeps nothing of the transactions that it has carried', async (t) => {
  const { url } = await testDatabase(t)
  const pool = connect(url, { max: 1 })
  t.teardown(() => pool.end({ timeout: 1 }))
  const results: WeakRef<object>[] = []
  for (let n = 0; n < 50; n++) results.push(new WeakRef((await pool.begin(async () => ({ n }))) as object))
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await delay(1)
  collect()
  t.true(results.filter((each) => each.deref() !== undefined).length <= 1)
})

test('a table of a former release gets its column and keeps its rows; one that has it is left alone while somebody reads it', async (t) => {
  const { sql } = await testDatabase(t)
  await createTables(sql, 'create schema books; create table books.page (n int); insert into books.page values (7)')
  const given = unlessColumn('books.page', 'lines', 'alter table books.page add column lines int not null default 40;')
  await createTables(sql, given)
  t.deepEqual([...(await sql`select n, lines from books.page`)], [{ n: 7, lines: 40 }])
  await sql.begin(async (reader) => {
    await reader`select n from books.page`
    await createTables(sql, `set local lock_timeout = '1s'; ${given}`)
  })
  t.deepEqual([...(await sql`select n, lines from books.page`)], [{ n: 7, lines: 40 }])
})
