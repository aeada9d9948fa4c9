import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import { RefusedAppend, StaleAppend } from '../../adapters/store/node/appends.ts'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { ownEventsOnly } from '../../adapters/store/node/own-events.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { ledgerRules } from '../../domain/write-side/readable.ts'

export type Closers = (() => Promise<unknown>)[]

export type Log = (message: string, facts: object) => void

/** The log that a process works on. */
export type OpenedLog = {
  readonly place: LogPlace
  /** The URL at which another process reaches the same log. */
  readonly eventStoreUrl: string
  /** Whether the log takes writes, as far as this process knows; reads may go on while it does not. */
  writable(): boolean
}

type EmbeddedPlace = {
  readonly file: string
  /** The socket at which other programs of this machine reach it. */
  readonly socket: string
  /** Where others reach it, too. */
  readonly listen: string | undefined
}

/** Opens the embedded node, and serves what is in it to other processes. */
export const openEmbeddedLog = async (
  { file, socket: path, listen }: EmbeddedPlace,
  closers: Closers,
  log: Log,
): Promise<OpenedLog> => {
  const core = openLastingCore(file, log)
  const place = placeOf(core, file, log)
  closers.push(() => place.close())
  const toOthers = ownEventsOnly(core, ledgerRules)
  const eventStoreUrl = `unix:${path}`
  const socket = await serveProtocol(toOthers, eventStoreUrl)
  closers.push(() => socket.stop())
  if (listen) {
    const served = await serveProtocol(toOthers, listen)
    closers.push(() => served.stop())
  }
  return { place, eventStoreUrl, writable: core.writable }
}

/** The embedded node for as long as the service runs: a full disk refuses writes, and does not end everything else. */
type LastingCore = Core & {
  /** False after a failed commit, until one succeeds again or nothing was tried for a while. */
  writable(): boolean
}

/**
 * Milliseconds after a failed commit in which appends are refused at once: trying each would only open the file again
 * and again.
 */
const RETRY_AFTER_MS = 1_000
const FORGOTTEN_AFTER_MS = 10_000

/**
 * Opens the log at `file` and, when a commit fails, opens it again from what is on the disk: whoever waited is told
 * that the outcome is unknown, and nothing that was not durable is remembered. Ends the process when the file cannot
 * even be opened.
 */
const openLastingCore = (file: string, log: (message: string, facts: object) => void): LastingCore => {
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
