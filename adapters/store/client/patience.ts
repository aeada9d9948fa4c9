/** How long to wait and how often to try again when the store is slow, away, or electing a leader. */
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'

/** Rejects with TimedOut when a promise takes longer; the promise itself cannot be stopped and its late result is dropped. */
export const within = async <T>(ms: number, what: string, promise: Promise<T>): Promise<T> => {
  const timer = new AbortController()
  promise.catch(() => undefined)
  const late = sleep(ms, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new TimedOut(`${what}: no answer within ${ms} ms`)),
    () => new Promise<never>(() => undefined),
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}

export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Waits before try number `attempt` (from 1): doubling from `min` up to `max` ms, of which a random half to all. Ends early on abort. */
export const pause = async (attempt: number, min: number, max: number, signal?: AbortSignal): Promise<void> => {
  const full = Math.min(max, min * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS))
  await sleep(full * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {}).catch(() => undefined)
}

/** Whether the server looked at a request and said no, so that asking again cannot help. All else may be over in a moment. */
export const isDefinite = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code, type } = error as { code?: unknown; type?: unknown }
  return (
    (typeof code === 'number' && DEFINITE_CODES.has(code)) || (typeof type === 'string' && DEFINITE_TYPES.has(type))
  )
}

/** Tries a read until it works, a definite no comes, or its tries or its time are used up, or the store closes; then rejects with the last error. */
export const retried = async <T>(
  closing: AbortSignal,
  action: () => Promise<T>,
  onRetry: (error: unknown) => void,
): Promise<T> => {
  const end = performance.now() + READ_LIMIT_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await action()
    } catch (error) {
      if (isDefinite(error) || attempt >= READ_TRIES || performance.now() >= end || closing.aborted) throw error
      onRetry(error)
      await pause(attempt, RETRY_MIN_MS, RETRY_MAX_MS, closing)
    }
  }
}

/** Shortest and longest wait between two tries of a call. */
export const RETRY_MIN_MS = 50
export const RETRY_MAX_MS = 2_000

const READ_TRIES = 20
const READ_LIMIT_MS = 20_000
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
