import test from 'ava'
import { connect, createTables } from '../../adapters/postgres/connect.ts'
import { testDatabase } from '../support/postgres.ts'

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

test('A schema given to the pool is where its names are looked up', async (t) => {
  const { url, sql } = await testDatabase(t)
  await createTables(sql, 'create schema books; create table books.page (n int)')
  const pool = connect(url, { max: 1, schema: 'books' })
  t.teardown(() => pool.end({ timeout: 1 }))
  t.deepEqual([...(await pool`select * from page`)], [])
  t.throws(() => connect(url, { schema: 'books, public' }), { message: /Not a schema name/ })
})

test('Processes that create the same tables at once do not hinder each other', async (t) => {
  const { sql } = await testDatabase(t)
  const tables = 'create schema if not exists a; create table if not exists a.b (c int primary key)'
  await t.notThrowsAsync(Promise.all(Array.from({ length: 8 }, () => createTables(sql, tables))))
})
