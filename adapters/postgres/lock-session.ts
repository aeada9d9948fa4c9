/**
 * One connection that holds advisory locks. When it is lost, or may be lost, all its locks count as lost. A process
 * that hangs keeps its connections, because its kernel goes on answering for it; so the server ends a session that asks
 * nothing for a while, and with it the locks.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGathering } from '../../projections/engine/gathering.ts'
import { CONNECT_TIMEOUT_S, SERVER_KEEPALIVE, type Sql } from './connect.ts'
import { openDriver } from './driver.ts'

const LIVENESS_EVERY_MS = 2_000
const QUERY_LIMIT_MS = 5_000
/** The server ends a session that was silent for so long (PostgreSQL 14 and newer). */
const IDLE_LIMIT_MS = 10_000
/** Our own clock gives the locks up before the server does: nobody else can have them by then. */
const TRUST_MS = IDLE_LIMIT_MS - 1_000
const NAMESPACE = 'daybook lease'

export type LockSession = {
  /** Aborts as soon as the locks may belong to somebody else. */
  readonly lost: AbortSignal
  /**
   * Whether the locks are ours for certain. Asked by whoever is about to do something: a process that has hung finds
   * out by this, before any timer or message tells it.
   */
  isHeld(): boolean
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
  const sql = openDriver(url, {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    onclose: () => drop(),
    connection: {
      application_name: 'daybook lease',
      statement_timeout: QUERY_LIMIT_MS,
      idle_session_timeout: IDLE_LIMIT_MS,
      ...SERVER_KEEPALIVE,
    },
  })
  async function drop() {
    lost.abort()
    await sql.end({ timeout: 0 }).catch(() => {})
  }
  let trusted = clocks()
  const isHeld = () => {
    if (!lost.signal.aborted && sinceOf(trusted) >= TRUST_MS) void drop()
    return !lost.signal.aborted
  }
  try {
    const [row] = await within(sql<Pid[]>`select pg_backend_pid() as pid`, CONNECT_TIMEOUT_S * 1_000)
    if (!row || lost.signal.aborted) throw new Error('The session was lost')
    const answered = (sentAt: Clocks) => {
      trusted = sentAt
    }
    void watch({ sql, pid: row.pid, lost: lost.signal, drop, answered, isHeld })
    return { lost: lost.signal, isHeld, drop, ...lockingOn(sql, row.pid, lost.signal, drop) }
  } catch (error) {
    await drop()
    throw error
  }
}

type Pid = { pid: number }

/** Both clocks of a process: one stands still while the machine sleeps, and the other may be set. */
type Clocks = { readonly monotonic: number; readonly wall: number }

const clocks = (): Clocks => ({ monotonic: performance.now(), wall: Date.now() })

/** Milliseconds since, by the clock that says more. */
const sinceOf = ({ monotonic, wall }: Clocks): number => Math.max(performance.now() - monotonic, Date.now() - wall)

type Watched = {
  readonly sql: Sql
  readonly pid: number
  readonly lost: AbortSignal
  drop(): Promise<void>
  /** Called with the moment at which a question was sent that the server has answered. */
  answered(sentAt: Clocks): void
  isHeld(): boolean
}

function lockingOn(
  sql: Sql,
  pid: number,
  lost: AbortSignal,
  drop: () => Promise<void>,
): Pick<LockConnection, 'tryLock' | 'unlock'> {
  // A process that starts wants the lock of each of its followers at the same moment.
  const tries = createGathering(0, async (keys: readonly string[]) => {
    const query = sql<(Pid & { key: string; won: boolean })[]>`
      select key, pg_try_advisory_lock(key::bigint) as won, pg_backend_pid() as pid
      from json_array_elements_text(${JSON.stringify(keys)}::text::json) as key`
    const rows = await within(query).catch(() => [])
    if (rows.length === keys.length && rows.every((row) => row.pid === pid) && !lost.aborted) {
      const won = new Map(rows.map((row) => [row.key, row.won]))
      return keys.map((key) => won.get(key) ?? false)
    }
    // Which locks were taken is unknown, so the session goes, and with it the locks.
    await drop()
    return keys.map(() => false)
  })
  return {
    tryLock: (name) => tries.soon(lockKey(name)),
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
async function watch({ sql, pid, lost, drop, answered, isHeld }: Watched): Promise<void> {
  while (isHeld()) {
    const sentAt = clocks()
    const [row] = await within(sql<Pid[]>`select pg_backend_pid() as pid`).catch(() => [])
    if (row?.pid !== pid) return drop()
    answered(sentAt)
    await sleep(LIVENESS_EVERY_MS, undefined, { signal: lost }).catch(() => {})
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
