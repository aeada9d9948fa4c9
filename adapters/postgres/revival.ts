/**
 * Keeps a server process running: one that ended without being told to is started again, so that its users only see an
 * outage.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 250
const RETRY_AFTER_MS = 5_000

export type RevivedServer = {
  /** The process as it runs now; the last one while there is none. */
  pid(): number
  /** Starts the server no more; resolves once a start that is under way is over. */
  letGo(): Promise<void>
}

/** `start` answers the new process once it can be used; when that fails it is tried again, for ever. */
export const keepRunning = (
  first: number,
  runs: (pid: number) => boolean,
  start: () => Promise<number>,
  log: (message: string, facts: object) => void,
): RevivedServer => {
  const stopping = new AbortController()
  const { signal } = stopping
  let pid = first
  const watching = (async () => {
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted || isThere(pid) || runs(pid)) continue
      log('PostgreSQL ended by itself, starting it again', {})
      try {
        pid = await start()
      } catch (error) {
        log('PostgreSQL could not be started again', { err: error })
        await sleep(RETRY_AFTER_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  })()
  return {
    pid: () => pid,
    letGo() {
      stopping.abort()
      return watching
    },
  }
}

/**
 * Whether a process of that number exists, which is cheaper to ask than what it is. When another program has got the
 * number meanwhile, that is found out once it ends.
 */
const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
