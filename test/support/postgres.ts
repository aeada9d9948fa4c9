/** A database of its own for every test, on the server that `npm test` starts. */
import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { closeInTheEnd, keepsThings } from './kept.ts'

/**
 * A fresh, empty database and a pool on it; `url` leads there by the network. When the test has ended both go, whoever
 * is still connected.
 */
export async function testDatabase(t: ExecutionContext): Promise<{ url: string; sql: Sql }> {
  const { url, drop } = await createDatabase()
  const sql = connect(overSocket(url))
  t.teardown(async () => {
    await sql.end({ timeout: 1 })
    drop()
  })
  return { url, sql }
}

/** The same for a hook, where nothing is torn down by itself. */
export const createDatabase = () => copyOf('template1')

/**
 * One in which a service of this version has been started, so that no app has to make the tables of its read models
 * again.
 */
export const createStartedDatabase = () => copyOf(STARTED)

/** The same as it is in another one of this server, to which nobody is connected. */
export const copyDatabase = (url: string) => copyOf(new URL(url).pathname.slice(1))

/** The database of `npm test` that `createStartedDatabase` copies. */
export const STARTED = 'started'

async function copyOf(template: string): Promise<{ url: string; drop(): void }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: run the tests with npm test')
  const name = `test_${randomBytes(8).toString('hex')}`
  // A copy of files takes half as long as one that is written to the write-ahead log.
  await asAdmin(server, (admin) => admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => dropSoon(server, name),
  }
}

/**
 * The same database by the Unix socket of the server, where it has one: a connection costs both ends a third less than
 * by the network.
 */
export const overSocket = (url: string): string => {
  const folder = process.env.TEST_POSTGRES_SOCKET
  return folder ? `${url}?host=${encodeURIComponent(folder)}` : url
}

/** The tables of a service, each with its schema and quoted. */
export const tablesOf = async (sql: Sql): Promise<readonly string[]> => {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like 'daybook%'`
  return rows.map(({ name }) => name)
}

/**
 * Acts on the server's own database, by a connection that stays open for a moment, because a test file makes its
 * databases at once; in a process of many files, until the last one has ended.
 */
export async function asAdmin(url: string, act: (admin: Sql) => PromiseLike<unknown>): Promise<void> {
  const admin = admins.get(url) ?? openAdmin(url)
  clearTimeout(admin.ending)
  admin.acting++
  try {
    await act(admin.sql)
  } finally {
    if (--admin.acting === 0 && !keepsThings()) admin.ending = setTimeout(admin.end, ADMIN_KEPT_MS)
  }
}

/**
 * Drops a database while the next tests run. PostgreSQL first waits for each of its connections, also for one whose
 * client reads nothing, as some tests have it.
 */
const dropSoon = (server: string, name: string): void => {
  dropping = dropping
    .then(() => asAdmin(server, (admin) => admin`drop database if exists ${admin(name)} with (force)`))
    .catch(() => {})
}
let dropping: Promise<void> = Promise.resolve()

type Admin = { readonly sql: Sql; end(): Promise<void>; acting: number; ending: NodeJS.Timeout | undefined }

const admins = new Map<string, Admin>()
const ADMIN_KEPT_MS = 500

const openAdmin = (url: string): Admin => {
  const sql = connect(overSocket(url), { max: 2 })
  const end = async () => {
    admins.delete(url)
    await sql.end({ timeout: 1 })
  }
  closeInTheEnd(() => dropping.then(end))
  const admin: Admin = { sql, end, acting: 0, ending: undefined }
  admins.set(url, admin)
  return admin
}
