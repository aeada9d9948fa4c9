/**
 * One connection that is watched, for what dies with it: locks, and listening. A process that hangs keeps its
 * connections, because its kernel goes on answering for it; so the server ends a session that asks nothing for a while.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../timing/time-limit.ts'
import { CONNECT_TIMEOUT_S, SERVER_KEEPALIVE, type Sql } from './connect.ts'
import { openDriver } from './driver.ts'

const LIVENESS_EVERY_MS = 2_000
const QUERY_LIMIT_MS = 5_000
const DROP_LIMIT_MS = 1_000
/** The server ends a session that was silent for so long (PostgreSQL 14 and newer). */
export const IDLE_LIMIT_MS = 10_000
/** Our own clock gives up what the session holds before the server does: nobody else can have it by then. */
export const TRUST_MS = IDLE_LIMIT_MS - 1_000

export type WatchedSession = {
  readonly sql: Sql
  /** The server's number for this session; another one shows that the driver has replaced it unseen. */
  readonly pid: number
  /** Aborts as soon as what the session holds may belong to somebody else. */
  readonly lost: AbortSignal
  /**
   * Whether the session is there for certain. Asked by whoever is about to do something: a process that has hung finds
   * out by this, before any timer or message tells it.
   */
  isHeld(): boolean
  drop(): Promise<void>
}

/** Rejects when the server cannot be reached. It must be the server itself, not a transaction pooler. */
export async function openWatchedSession(
  url: string,
  name: string,
  heard?: (channel: string, message: string) => void,
): Promise<WatchedSession> {
  const lost = new AbortController()
  const sql = openDriver(url, {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    onclose: () => drop(),
    onnotify: heard,
    connection: {
      application_name: name,
      statement_timeout: QUERY_LIMIT_MS,
      idle_session_timeout: IDLE_LIMIT_MS,
      ...SERVER_KEEPALIVE,
    },
  })
  async function drop() {
    lost.abort()
    // Nobody who begins anew waits for a driver that does not end.
    await answerOf(sql.end({ timeout: 0 }), DROP_LIMIT_MS).catch(() => {})
  }
  let trusted = clocks()
  const isHeld = () => {
    if (!lost.signal.aborted && millisecondsSince(trusted) >= TRUST_MS) void drop()
    return !lost.signal.aborted
  }
  try {
    const [row] = await answerOf(sql<Pid[]>`select pg_backend_pid() as pid`, CONNECT_TIMEOUT_S * 1_000)
    if (!row || lost.signal.aborted) throw new Error('The session was lost')
    const session = { sql, pid: row.pid, lost: lost.signal, isHeld, drop }
    void watch(session, (sentAt) => {
      trusted = sentAt
    })
    return session
  } catch (error) {
    await drop()
    throw error
  }
}

type Pid = { pid: number }

/** Both clocks of a process: one stands still while the machine sleeps, and the other may be set. */
export type Clocks = { readonly monotonic: number; readonly wall: number }

export const clocks = (): Clocks => ({ monotonic: performance.now(), wall: Date.now() })

/** Milliseconds since, by the clock that says more. */
export const millisecondsSince = ({ monotonic, wall }: Clocks): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall)

/** Rejects when Postgres has not answered in time. */
export const answerOf = <T>(answer: PromiseLike<T>, limitMs = QUERY_LIMIT_MS): Promise<T> =>
  within(limitMs, answer, () => new Error(`Postgres did not answer within ${limitMs} ms`))

/**
 * Drops the session when its connection is dead without being closed, or when the driver has replaced it unseen, which
 * the server's process id shows. `confirm` is called with the moment at which a question was sent that the server has
 * answered.
 */
async function watch(
  { sql, pid, lost, isHeld, drop }: WatchedSession,
  confirm: (sentAt: Clocks) => void,
): Promise<void> {
  while (isHeld()) {
    const sentAt = clocks()
    const [row] = await answerOf(sql<Pid[]>`select pg_backend_pid() as pid`).catch(() => [])
    if (row?.pid !== pid) return drop()
    confirm(sentAt)
    await sleep(LIVENESS_EVERY_MS, undefined, { signal: lost }).catch(() => {})
  }
}
