import { RefusedAppend, StaleAppend } from '../../adapters/store/node/appends.ts'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'

/** The embedded node for as long as the service runs: a full disk refuses writes, and does not end everything else. */
export type LastingCore = Core & {
  /** False after a failed commit, until one succeeds again or nothing was tried for a while. */
  writable(): boolean
}

/**
 * Appends are refused at once for so long after a failed commit: trying each would only open the file again and again.
 */
const RETRY_AFTER_MS = 1_000
const FORGOTTEN_AFTER_MS = 10_000

/**
 * Opens the log at `file` and, when a commit fails, opens it again from what is on the disk: whoever waited is told
 * that the outcome is unknown, and nothing that was not durable is remembered. Ends the process when the file cannot
 * even be opened.
 */
export const openLastingCore = (file: string, log: (message: string, facts: object) => void): LastingCore => {
  let closed = false
  let failedAt: number | undefined
  const open = (): Core =>
    openCore(file, {
      fatal: (error) => {
        failedAt = performance.now()
        log('the event log could not be written, opening it again', { err: error })
        if (!closed) core = reopened(open)
      },
    })
  let core = open()
  const failedWithin = (ms: number) => failedAt !== undefined && performance.now() - failedAt < ms

  return {
    append: async (...given) => {
      if (failedWithin(RETRY_AFTER_MS)) throw new OutcomeUnknown('the event log cannot be written right now')
      try {
        const committed = await core.append(...given)
        failedAt = undefined
        return committed
      } catch (error) {
        const definite = error instanceof StaleAppend || (error instanceof RefusedAppend && error.reason !== 'busy')
        throw definite ? error : new OutcomeUnknown('the event log was not written in time', { cause: error })
      }
    },
    head: (...given) => core.head(...given),
    last: () => core.last(),
    readStream: (...given) => core.readStream(...given),
    readAll: (...given) => core.readAll(...given),
    readText: (...given) => core.readText(...given),
    grown: (...given) => core.grown(...given),
    closed: () => closed,
    close: () => {
      closed = true
      return core.close()
    },
    writable: () => !failedWithin(FORGOTTEN_AFTER_MS),
  }
}

const reopened = (open: () => Core): Core => {
  try {
    return open()
  } catch (error) {
    process.stderr.write(`the event log can be neither written nor opened, stopping: ${(error as Error).message}\n`)
    process.exit(1)
  }
}
