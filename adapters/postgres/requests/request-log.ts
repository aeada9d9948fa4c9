import type { Sql } from '../connect.ts'
import { createRequestRows, type LoggedRequest } from './request-rows.ts'

/**
 * The request log (N-100), written beside the requests: a request is only put into a queue, which is written now and
 * then. What does not fit is dropped and counted, so that no flood of calls slows the calls of others.
 */

/** Milliseconds between two writes. */
const WRITE_EVERY_MS = 1_000
/** Requests that wait to be written. */
const QUEUE_MAX = 10_000
/** Requests that one account may have waiting: one that floods takes no room from the others. */
const SHARE_MAX = 500
/** Requests in one statement. */
const BATCH_MAX = 1_000
/** Milliseconds for which a reader waits for what was noted before. */
const READER_WAIT_MS = 2_000

/**
 * Why a request is not listed: the queue is `full`, its account has its `share` of it, or it could not be written
 * (`failed`).
 */
export type DropReason = 'full' | 'share' | 'failed'

export type RequestLog = Awaited<ReturnType<typeof createRequestLog>>

export const createRequestLog = async (
  sql: Sql,
  warn: (message: string, facts: object) => void,
  { writeEveryMs = WRITE_EVERY_MS }: { readonly writeEveryMs?: number } = {},
) => {
  const { add, forgetAll, ...rows } = await createRequestRows(sql)
  let queue: LoggedRequest[] = []
  const shares = new Map<string, number>()
  const dropped: Record<DropReason, number> = { full: 0, share: 0, failed: 0 }
  let writing: Promise<void> | undefined

  const writeAll = async () => {
    const taken = queue
    queue = []
    shares.clear()
    for (let at = 0; at < taken.length; at += BATCH_MAX) {
      const batch = taken.slice(at, at + BATCH_MAX)
      await add(batch).catch((err: unknown) => {
        dropped.failed += batch.length
        warn('the request log could not be written', { err, requests: batch.length })
      })
    }
  }
  /** One write at a time; what is noted meanwhile is of the next one. */
  const write = async (): Promise<void> => {
    while (writing) await writing
    if (queue.length === 0) return
    writing = writeAll().finally(() => {
      writing = undefined
    })
    await writing
  }
  const timer = setInterval(() => {
    if (!writing) write()
  }, writeEveryMs)
  timer.unref()

  return {
    ...rows,
    /** Notes a request; it is never waited for. */
    note(request: LoggedRequest): void {
      const { accountId } = request.caller
      const share = shares.get(accountId) ?? 0
      if (queue.length >= QUEUE_MAX) dropped.full++
      else if (share >= SHARE_MAX) dropped.share++
      else {
        shares.set(accountId, share + 1)
        queue.push(request)
      }
    },
    /** Resolves once what this process has noted can be read, or the wait is up. */
    async written(): Promise<void> {
      const wait = new AbortController()
      const timeUp = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, READER_WAIT_MS)
        wait.signal.addEventListener('abort', () => clearTimeout(timer))
      })
      await Promise.race([write(), timeUp]).finally(() => wait.abort())
    },
    /** Forgets what an account called, also what is not written yet. */
    async forgetAll(accountId: string): Promise<void> {
      queue = queue.filter(({ caller }) => caller.accountId !== accountId)
      await writing
      await forgetAll(accountId)
    },
    /** How many requests were not listed since the start, by the reason. */
    dropped: (): Readonly<Record<DropReason, number>> => dropped,
    async close(): Promise<void> {
      clearInterval(timer)
      await write()
    },
  }
}
