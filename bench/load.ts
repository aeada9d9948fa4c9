import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { noted } from './children.ts'
import type { Figures } from './comparison.ts'

/** The load that a process of its own sends. */
export type Load = {
  readonly url: string
  /** Paths that requests go to in turn, instead of the one of `url`. */
  readonly paths?: readonly string[]
  readonly connections: number
  readonly seconds: number
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A file of bodies, one a line, that are sent in turn instead of `body`. */
  readonly bodies?: string
  /** Sends each request from another `X-Forwarded-For`; this is the number before that of the first. */
  readonly callers?: number
  /** Requests a second, of all connections together; without it they go as fast as they can. */
  readonly perSecond?: number
  /** Requests after which the load ends, however long they take. */
  readonly requests?: number
}
export type LoadResult = {
  readonly errors: number
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
  readonly p50: number
  readonly p99: number
}

const LONGEST_SECONDS = 16
const PROGRAM = fileURLToPath(new URL('peers/load.ts', import.meta.url))

/**
 * Throws when any answer has another status than `status`: such a round would measure refusals. On a machine so busy
 * that nobody is answered in time, the round is longer.
 */
export const load = async (what: Load, status: number): Promise<Figures & { readonly answered: number }> => {
  const { errors, seconds, statuses, p50, p99 } = await loaded(what)
  const nobody = errors === 0 && Object.keys(statuses).length === 0
  if (nobody && what.seconds < LONGEST_SECONDS) return load({ ...what, seconds: 4 * what.seconds }, status)
  const answered = statuses[status] ?? 0
  if (errors > 0 || answered === 0 || Object.keys(statuses).length !== 1)
    throw new Error(`${what.url}: ${errors} errors, answers ${JSON.stringify(statuses)}, wanted ${status}`)
  return { rate: answered / seconds, p50, p99, answered }
}

/** The same for answers of any status. */
export const loaded = async (what: Load): Promise<LoadResult> => {
  const limits = { timeout: (what.seconds + 30) * 1000 }
  const loading = promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(what)], limits)
  noted(loading.child)
  const { stdout } = await loading
  return JSON.parse(stdout) as LoadResult
}
