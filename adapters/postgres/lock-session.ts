/** One connection that holds advisory locks. When it is lost, or may be lost, all its locks count as lost. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { CONNECT_TIMEOUT_S, SERVER_KEEPALIVE, type Sql } from './connect.ts'

const LIVENESS_EVERY_MS = 2_000
const QUERY_LIMIT_MS = 5_000
const NAMESPACE = 'daybook lease'

export type LockSession = {
  /** Aborts as soon as the locks may belong to somebody else. */
  readonly lost: AbortSignal
  unlock(name: string): Promise<void>
}

type LockConnection = LockSession & { tryLock(name: string): Promise<boolean>; drop(): Promise<void> }

/** One session at a time: the next is opened when the last is known to be lost. */
export function keepLockSession(url: string) {
  let current: Promise<LockConnection> | undefined

  function get(): Promise<LockConnection> {
    const opening = openSession(url)
    const forget = () => {
      if (current === opening) current = undefined
    }
    opening.then((session) => session.lost.addEventListener('abort', forget), forget)
    return opening
  }

  return {
    /** Undefined when another session has the lock, or when the database cannot be reached. */
    async lock(name: string): Promise<LockSession | undefined> {
      current ??= get()
      const session = await current.catch(() => undefined)
      return (await session?.tryLock(name)) ? session : undefined
    },
    async close(): Promise<void> {
      const session = await current?.catch(() => undefined)
      await session?.drop()
    },
  }
}

async function openSession(url: string): Promise<LockConnection> {
  const lost = new AbortController()
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    onclose: () => drop(),
    connection: { application_name: 'daybook lease', statement_timeout: QUERY_LIMIT_MS, ...SERVER_KEEPALIVE },
  })
  async function drop() {
    lost.abort()
    await sql.end({ timeout: 0 }).catch(() => {})
  }
  try {
    const [row] = await within(sql<Pid[]>`select pg_backend_pid() as pid`, CONNECT_TIMEOUT_S * 1_000)
    if (!row || lost.signal.aborted) throw new Error('The session was lost')
    void watch(sql, row.pid, lost.signal, drop)
    return { lost: lost.signal, drop, ...lockingOn(sql, row.pid, lost.signal, drop) }
  } catch (error) {
    await drop()
    throw error
  }
}

type Pid = { pid: number }

function lockingOn(
  sql: Sql,
  pid: number,
  lost: AbortSignal,
  drop: () => Promise<void>,
): Pick<LockConnection, 'tryLock' | 'unlock'> {
  return {
    async tryLock(name) {
      const query = sql<(Pid & { won: boolean })[]>`
        select pg_try_advisory_lock(${lockKey(name)}::bigint) as won, pg_backend_pid() as pid`
      const [row] = await within(query).catch(() => [])
      if (row?.pid === pid && !lost.aborted) return row.won
      // Whether the lock was taken is unknown, so the session goes, and with it the lock.
      await drop()
      return false
    },
    async unlock(name) {
      if (lost.aborted) return
      await within(sql`select pg_advisory_unlock(${lockKey(name)}::bigint)`).catch(drop)
    },
  }
}

/**
 * Drops the session when its connection is dead without being closed, or when the driver has replaced it unseen, which
 * the server's process id shows.
 */
async function watch(sql: Sql, pid: number, lost: AbortSignal, drop: () => Promise<void>): Promise<void> {
  while (!lost.aborted) {
    await sleep(LIVENESS_EVERY_MS, undefined, { signal: lost }).catch(() => {})
    if (lost.aborted) return
    const [row] = await within(sql<Pid[]>`select pg_backend_pid() as pid`).catch(() => [])
    if (row?.pid !== pid) await drop()
  }
}

async function within<T>(answer: PromiseLike<T>, limitMs = QUERY_LIMIT_MS): Promise<T> {
  const timer = new AbortController()
  const late = sleep(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Postgres did not answer within ${limitMs} ms`)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}

/** The number of a lock: the same for the same name, in every process and release. */
const lockKey = (name: string) =>
  createHash('sha256').update(`${NAMESPACE}:${name}`).digest().readBigInt64BE().toString()
