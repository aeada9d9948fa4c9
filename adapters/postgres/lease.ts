/** Sees to it that a task runs in one process at a time, by a Postgres advisory lock that dies with its connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import { keepLockSession, type LockSession } from './lock-session.ts'

/**
 * Milliseconds after which a waiting process asks again, give or take a quarter, so that they do not all ask at once.
 */
const POLL_MS = 1_000
const POLL_JITTER = 0.25

export type Leases = {
  /**
   * Waits for its turn and runs `work`; ends when that ends. The signal of the work aborts when the outer one does, or
   * when the lock was lost with its connection; the work must end soon after. After a lost lock, the next turn is
   * waited for and the work is run again.
   */
  hold(name: string, signal: AbortSignal, work: Work): Promise<void>
  /**
   * Whether the work of this name may run in this process now. Work asks before each step that nobody else may do as
   * well: a process that hung learns by this that its turn is over.
   */
  holds(name: string): boolean
  /** Aborts all work, waits for its end and lets all locks go. */
  close(): Promise<void>
}

type Work = (signal: AbortSignal) => Promise<void>

/**
 * The leases of one process, all on one connection of their own. It must reach the server itself, not a transaction
 * pooler.
 */
export function createLeases(url: string): Leases {
  const sessions = keepLockSession(url)
  const held = new Map<string, LockSession>()
  // The server lets one session take a lock twice, so turns inside this process are taken here.
  const busy = new Set<string>()
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  /** True when the work came to its end. */
  async function takeTurn(name: string, signal: AbortSignal, work: Work): Promise<boolean> {
    if (busy.has(name)) return false
    busy.add(name)
    try {
      const session = await sessions.lock(name)
      if (!session) return false
      held.set(name, session)
      try {
        return await runUnder(session, signal, work)
      } finally {
        held.delete(name)
        await session.unlock(name)
      }
    } finally {
      busy.delete(name)
    }
  }

  return {
    hold(name, outer, work) {
      const signal = AbortSignal.any([outer, closing.signal])
      const run = untilDone(signal, () => takeTurn(name, signal, work))
      running.add(run)
      return run.finally(() => running.delete(run))
    },
    holds: (name) => held.get(name)?.isHeld() ?? false,
    async close() {
      closing.abort()
      await Promise.allSettled(running)
      await sessions.close()
    },
  }
}

/** For a process that leaves this work to others: it waits for its turn, and never has one. */
export const withoutTurns = (): Leases => {
  const closing = new AbortController()
  return {
    hold: (_name, signal) => aborted(AbortSignal.any([signal, closing.signal])),
    holds: () => false,
    close: async () => closing.abort(),
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Answers whether the work ended of itself. What it throws because its lock was lost, or because it was told to stop,
 * is no error.
 */
async function runUnder({ lost }: LockSession, signal: AbortSignal, work: Work): Promise<boolean> {
  try {
    if (!signal.aborted) await work(AbortSignal.any([signal, lost]))
  } catch (error) {
    const stopped = signal.aborted && error instanceof Error && error.name === 'AbortError'
    if (!stopped && !lost.aborted) throw error
  }
  return !lost.aborted
}

async function untilDone(signal: AbortSignal, attempt: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted) {
    if (await attempt()) return
    const pause = POLL_MS * (1 + POLL_JITTER * (2 * Math.random() - 1))
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
