/**
 * One call over a pool, held to one time limit from its place in the queue to the last character kept of the answer.
 */
import type { Dispatcher, Pool } from 'undici'
import type { PostResult } from '../../domain/kernel/ports.ts'
import { CallFailure } from './guarded-connect.ts'

/**
 * Milliseconds from the call to the last character read (document 3, Limits: 7 seconds total), unless less is asked
 * for.
 */
const TOTAL_TIMEOUT_MS = 7_000
export type CallOutcome = Omit<PostResult, 'durationMs'> & {
  /** The bytes of the body that were kept, as they came. */
  readonly bytes: Buffer
  /** Seconds for which the answer may be kept, where it says so (RFC 9111). */
  readonly maxAgeS?: number | undefined
}

/** The UTF-16 code units that are kept of an answer, and the milliseconds that it is waited for. */
export type AnswerLimits = { readonly characters: number; readonly totalMs?: number | undefined }

export type OutboundCall = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string | Buffer | null
  readonly headers: Record<string, string>
}

/**
 * Never rejects. Once `characters` of an answer have come, no more is read. An answer that broke off, or whose time ran
 * out, still counts, with its status and the part that came.
 */
export const callOnce = (
  pool: Pool,
  call: OutboundCall,
  { characters, totalMs = TOTAL_TIMEOUT_MS }: AnswerLimits,
): Promise<CallOutcome> =>
  new Promise((resolve) => {
    const head = keptHead(characters)
    let control: Dispatcher.DispatchController | undefined
    let status: number | undefined
    let maxAgeS: number | undefined
    let late: CallFailure | undefined

    const end = (error?: unknown) => {
      clearTimeout(timeout)
      resolve(
        status === undefined
          ? failedOutcome(faultOf(error))
          : { status, reason: undefined, bodyHead: head.text(), bytes: head.bytes(), maxAgeS },
      )
    }
    const timeout = setTimeout(
      () => {
        late = new CallFailure('total-timeout')
        end(late)
        control?.abort(late)
      },
      Math.min(totalMs, TOTAL_TIMEOUT_MS),
    )

    pool.dispatch(call, {
      onRequestStart(controller) {
        control = controller
        // A call that waited for a free connection until its time was up is not sent any more.
        if (late) controller.abort(late)
      },
      onResponseStart(_controller, code, headers) {
        if (code < 200) return
        status = code
        maxAgeS = maxAgeOf(headers['cache-control'])
      },
      onResponseData(controller, chunk) {
        if (!head.add(chunk)) return
        end()
        // The call is not aborted at once, because undici is in the middle of reading. An answer that is complete by
        // then keeps its connection.
        queueMicrotask(() => controller.abort(new CallFailure('connection-failed')))
      },
      onResponseEnd: () => end(),
      onResponseError: (_controller, error) => end(error),
    })
  })

export const failedOutcome = (reason: CallFailure['fault']): CallOutcome => ({
  status: undefined,
  reason,
  bodyHead: '',
  bytes: Buffer.alloc(0),
})

const faultOf = (error: unknown) => (error instanceof CallFailure ? error.fault : 'connection-failed')

/** The seconds for which an answer may be kept: 0 for one that must not be kept. */
const maxAgeOf = (control: string | string[] | undefined): number | undefined => {
  const text = String(control ?? '').toLowerCase()
  if (/\bno-(store|cache)\b/.test(text)) return 0
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})\b/.exec(text) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

/**
 * The start of an answer, fit to be stored: Postgres takes neither NUL nor half a surrogate pair, which the cut may
 * leave.
 */
const keptHead = (characters: number) => {
  const chunks: Buffer[] = []
  let bytes = 0
  const decoded = (options?: { stream: boolean }) => new TextDecoder().decode(Buffer.concat(chunks), options)
  return {
    /** True once there is enough. */
    add(chunk: Buffer): boolean {
      chunks.push(chunk)
      bytes += chunk.length
      // A character has a byte at least; the last one may still be on its way.
      return bytes >= characters && decoded({ stream: true }).length >= characters
    },
    bytes: () => Buffer.concat(chunks),
    text: () => decoded().slice(0, characters).replaceAll('\0', '\uFFFD').toWellFormed(),
  }
}
