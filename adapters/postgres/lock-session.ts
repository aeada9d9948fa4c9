/** One connection that holds advisory locks. When it is lost, or may be lost, all its locks count as lost. */
import { createHash } from 'node:crypto'
import { createGathering } from '../../projections/engine/gathering.ts'
import { answerOf, openWatchedSession, type WatchedSession } from './watched-session.ts'

const NAMESPACE = 'daybook lease'

/** `lost` aborts as soon as the locks may belong to somebody else; `isHeld` says whether they are ours for certain. */
export type LockSession = Pick<WatchedSession, 'lost' | 'isHeld'> & { unlock(name: string): Promise<void> }

type LockConnection = LockSession & Pick<WatchedSession, 'drop'> & { tryLock(name: string): Promise<boolean> }

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
  const session = await openWatchedSession(url, 'daybook lease')
  return { ...session, ...lockingOn(session) }
}

function lockingOn({ sql, pid, lost, drop }: WatchedSession): Pick<LockConnection, 'tryLock' | 'unlock'> {
  // A process that starts wants the lock of each of its followers at the same moment.
  const tries = createGathering(0, async (keys: readonly string[]) => {
    const query = sql<{ pid: number; key: string; won: boolean }[]>`
      select key, pg_try_advisory_lock(key::bigint) as won, pg_backend_pid() as pid
      from json_array_elements_text(${JSON.stringify(keys)}::text::json) as key`
    const rows = await answerOf(query).catch(() => [])
    if (rows.length === keys.length && rows.every((row) => row.pid === pid) && !lost.aborted) {
      const won = new Map(rows.map((row) => [row.key, row.won]))
      return keys.map((key) => won.get(key) ?? false)
    }
    // Which locks were taken is unknown, so the session goes, and with it the locks.
    await drop()
    return keys.map(() => false)
  })
  // One that ends lets all of them go.
  const ends = createGathering(0, async (keys: readonly string[]) => {
    const query = sql`
      select pg_advisory_unlock(key::bigint) from json_array_elements_text(${JSON.stringify(keys)}::text::json) as key`
    if (!lost.aborted) await answerOf(query).catch(drop)
    return []
  })
  return {
    tryLock: (name) => tries.soon(lockKey(name)),
    unlock: (name) => ends.soon(lockKey(name)),
  }
}

/** The number of a lock: the same for the same name, in every process and release. */
const lockKey = (name: string) =>
  createHash('sha256').update(`${NAMESPACE}:${name}`).digest().readBigInt64BE().toString()
