/**
 * Databases that a service leaves to the next one in its process, emptied, with the connections to them. What a server
 * process of PostgreSQL has to learn about tables and statements is most of what it costs a test.
 */
import { isDeepStrictEqual } from 'node:util'
import { connect, connectionsTo, type PipedSql, type PoolWish } from '../../adapters/postgres/connect.ts'
import { poolOf } from '../../adapters/postgres/pool.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { closeInTheEnd, keepsThings } from './kept.ts'
import { createLender, type Lender } from './lent-clients.ts'
import { createStartedDatabase, overSocket, tablesOf } from './postgres.ts'

export type LentDatabase = {
  /** Leads there by the network. */
  readonly url: string
  /** Opens the pool of the service that is to use it; any other pool is one of its own. */
  readonly openPool: typeof connect
  /** To be called once the service is gone. */
  leave(): Promise<void>
}

type Kept = {
  readonly url: string
  readonly drop: () => void
  readonly lender: Lender
  /** For what is done between two services. */
  readonly sql: PipedSql
  /** What its tables were when it was new. */
  readonly shape: string
  uses: number
}

/**
 * Connections that requests and followers of such a service share: each is a process of the server that all tests have,
 * and learns every statement by itself.
 */
export const CONNECTIONS = 4
/** Services that use a database one after the other: the rows that were deleted stay in its files. */
const USES_MAX = 40
const POOL: PoolWish = { schema: SERVING, max: CONNECTIONS }
const LOCK_LIMIT = '2s'

const idle: Kept[] = []
/** Those that a service uses now, by the address that it has. */
const lent = new Map<string, Kept>()

/** A database as a service of this version makes it, for a pool of CONNECTIONS. */
export const lendDatabase = async (): Promise<LentDatabase> => {
  const kept = idle.pop() ?? (await newDatabase())
  kept.uses++
  const address = overSocket(kept.url)
  lent.set(address, kept)
  return {
    url: kept.url,
    openPool: (url, wish) => (url === address && isDeepStrictEqual(wish, POOL) ? poolFrom(kept) : connect(url, wish)),
    async leave() {
      lent.delete(address)
      await putBack(kept)
    },
  }
}

/**
 * A pool for a test beside a service, by the address that the service has for its database: on the service's own
 * connections where those are lent. Names without a schema are those of the read models that serve.
 */
export const connectBeside = (databaseUrl: string): PipedSql => {
  const kept = lent.get(databaseUrl)
  return kept ? poolFrom(kept) : connect(databaseUrl, POOL)
}

/** Each pool has a driver of its own that makes its statements, and its connections from those that are kept. */
const poolFrom = ({ url, lender }: Pick<Kept, 'url' | 'lender'>): PipedSql =>
  poolOf({ maker: connectionsTo(overSocket(url), POOL).maker, clients: lender.lend() })

const newDatabase = async (): Promise<Kept> => {
  const { url, drop } = await createStartedDatabase()
  const { clients } = connectionsTo(overSocket(url), POOL)
  const lender = createLender(clients)
  const sql = poolFrom({ url, lender })
  closeInTheEnd(() => clients.end({ timeout: 1 }))
  if (keepsThings()) await sql.unsafe(await emptying(sql))
  return { url, drop, lender, sql, shape: await shapeOf(sql), uses: 0 }
}

/** A database that cannot be emptied, or whose tables are others now, is dropped. */
const putBack = async (kept: Kept): Promise<void> => {
  const isAsNew = keepsThings() && kept.uses < USES_MAX && (await empty(kept).catch(() => false))
  if (isAsNew) idle.push(kept)
  else kept.drop()
}

/** Whether it is as new again; whoever is still connected besides is cut off. */
const empty = async ({ lender, sql, shape }: Kept): Promise<boolean> => {
  if ((await shapeOf(sql)) !== shape) return false
  const ours = await Promise.all(
    lender.open().map(async ({ driver }) => (await driver<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid),
  )
  await sql`
    select pg_terminate_backend(pid, 1000) from pg_stat_activity
    where datname = current_database()
      and pid not in (select value::int from json_array_elements_text(${JSON.stringify(ours)}::text::json))`
  await sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${LOCK_LIMIT}, true)`
    await tx`select public.empty_tables()`
  })
  return true
}

/** Says which tables there are and of how many columns, and what else was made in the database. */
const shapeOf = async (sql: PipedSql): Promise<string> => {
  const [row] = await sql<{ shape: string }[]>`
    select (
      select string_agg(concat_ws(' ', oid, relnamespace, relname, relnatts, relchecks, relacl), ',' order by oid)
      from pg_class where oid >= 16384 and relkind in ('r', 'i', 'S', 'v')
    ) || (select count(*) from pg_proc) || (select count(*) from pg_namespace) as shape`
  return row?.shape ?? ''
}

/** The text that makes a function which deletes all rows but those that a new database has. */
const emptying = async (sql: PipedSql): Promise<string> => {
  const tables = await tablesOf(sql)
  const statements = await Promise.all(
    tables.map(async (name) => {
      const [row] = await sql.unsafe<{ rows: string | null }[]>(`select json_agg(t)::text as rows from ${name} t`)
      if (!row?.rows) return `delete from ${name};`
      return `
        delete from ${name};
        insert into ${name} select * from json_populate_recordset(null::${name}, $r$${row.rows}$r$);`
    }),
  )
  return `
    create function public.empty_tables() returns void language plpgsql
    as $f$ begin ${statements.join('\n')} end $f$`
}
