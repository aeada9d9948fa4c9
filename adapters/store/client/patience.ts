/** Decides how long to wait and how often to try again when the store is slow, away, or electing a leader. */
import { setTimeout as sleep } from 'node:timers/promises'
import { NotLeaderError } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import { OutcomeUnknown } from '../../../domain/kernel/ports.ts'
import { within } from '../../timing/time-limit.ts'
import { TIME_LIMITS } from './time-limits.ts'

/**
 * Rejects with AnswerTimeout when a promise takes longer; the promise itself cannot be stopped and its late result is
 * dropped.
 */
export const withinTime = <T>(ms: number, what: string, promise: Promise<T>): Promise<T> =>
  within(ms, promise, () => new AnswerTimeout(`${what}: no answer within ${Math.round(ms)} ms`))

export class AnswerTimeout extends Error {
  override readonly name = 'AnswerTimeout'
}

/** The answer of the server cannot be used, and asking again would bring the same one. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

/** More calls wait for their turn than may; nothing was sent. */
export class TooBusy extends OutcomeUnknown {}

/**
 * Waits before try number `attempt` (from 1): doubling from `min` up to `max` ms, of which a random half to all. Ends
 * early on abort.
 */
export const pause = async (attempt: number, min: number, max: number, signal?: AbortSignal): Promise<void> => {
  const full = Math.min(max, min * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS))
  await sleep(full * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {}).catch(() => undefined)
}

/**
 * Whether the server looked at a request and said no, so that asking again cannot help. All else may be over in a
 * moment.
 */
export const isDefinite = (error: unknown): boolean => {
  // A node that is not the leader says "not found", and names the leader; the client goes there with the next call.
  if (!(error instanceof Error) || error instanceof NotLeaderError) return false
  if (error instanceof UnusableAnswer || error instanceof TooBusy) return true
  const { code, type } = error as { code?: unknown; type?: unknown }
  return (
    (typeof code === 'number' && DEFINITE_CODES.has(code)) || (typeof type === 'string' && DEFINITE_TYPES.has(type))
  )
}

/**
 * Tries a read until it works or a definite no comes, which it rejects with; rejects with OutcomeUnknown, and the last
 * error as its cause, when its tries or its time are used up. An action gets the time when it has to be done, on the
 * clock of `performance`.
 */
export const retried = async <T>(
  closing: AbortSignal,
  action: (end: number) => Promise<T>,
  onRetry: (error: unknown) => void,
  limitMs = TIME_LIMITS.readMs,
): Promise<T> => {
  const end = performance.now() + limitMs
  let before: unknown
  for (let attempt = 1; ; attempt++) {
    closing.throwIfAborted()
    try {
      return await action(end)
    } catch (error) {
      closing.throwIfAborted()
      // A try that was cut short by the end says less than the one before it.
      const last = before !== undefined && error instanceof AnswerTimeout && performance.now() >= end ? before : error
      before = error
      if (isDefinite(error)) throw error
      if (attempt >= READ_TRIES || performance.now() >= end) throw unanswered(last)
      onRetry(error)
      await pause(attempt, RETRY_MIN_MS, RETRY_MAX_MS, closing)
    }
  }
}

const unanswered = (error: unknown) =>
  new OutcomeUnknown(`the store did not answer a read: ${(error as Error).message}`, { cause: error })

/** Shortest and longest wait between two tries of a call. */
export const RETRY_MIN_MS = 50
export const RETRY_MAX_MS = 2_000

const READ_TRIES = 20
/** Keeps the doubling inside the range of a number. */
const MAX_DOUBLINGS = 20

const DEFINITE_CODES: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.NOT_FOUND,
  status.PERMISSION_DENIED,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.UNIMPLEMENTED,
  status.UNAUTHENTICATED,
])
const DEFINITE_TYPES: ReadonlySet<string> = new Set([
  'access-denied',
  'invalid-argument',
  'maximum-append-size-exceeded',
  'missing-required-metadata-property',
  'stream-deleted',
  'unsupported',
])
