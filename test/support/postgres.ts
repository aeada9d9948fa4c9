/** A database of its own for every test, on the server that `npm test` starts. */
import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'

/** A fresh, empty database and a pool on it. Both are gone when the test ends, whoever is still connected. */
export async function testDatabase(t: ExecutionContext): Promise<{ url: string; sql: Sql }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: run the tests with npm test')
  const name = `test_${randomBytes(8).toString('hex')}`
  await asAdmin(server, (admin) => admin`create database ${admin(name)}`)

  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = connect(url.href)
  t.teardown(async () => {
    await sql.end({ timeout: 1 })
    await asAdmin(server, (admin) => admin`drop database if exists ${admin(name)} with (force)`)
  })
  return { url: url.href, sql }
}

async function asAdmin(url: string, act: (admin: Sql) => PromiseLike<unknown>): Promise<void> {
  const admin = connect(url, { max: 1 })
  try {
    await act(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}
