/**
 * Keeps a provider that fails from slowing every call: after a failure it is left alone for a while, twice as long each
 * time, and then asked by one call at a time until it answers again.
 */
export type Breaker = {
  state(): BreakerState
  /** Whether it may be asked like any other: it is closed, or half open and nobody is asking. */
  isFree(): boolean
  /** Milliseconds until its pause is over; infinite when it must never be asked. */
  pauseLeft(): number
  /** Resolves when the call that finds out whether it answers again has ended; undefined when there is no such call. */
  probing(): Promise<void> | undefined
  /** Says that a call begins; one of the three functions then tells its outcome. */
  begin(): { answered(): void; failed(): void; neverAgain(): void }
}

/**
 * `closed`: it answers. `open`: it failed and is left alone. `half-open`: the next answer will tell. `wrong-chain`:
 * never asked.
 */
export type BreakerState = 'closed' | 'open' | 'half-open' | 'wrong-chain'

/** The longest pause; a provider that was down for long is known to be back within this time. */
const PAUSE_MAX_MS = 60_000

/** `pauseMs` is the first pause. */
export const createBreaker = (pauseMs: number): Breaker => {
  /** Failures in a row; calls that were under way together count once. */
  let failures = 0
  /** Reading of the monotonic clock in milliseconds. */
  let until = 0
  let probe: PromiseWithResolvers<void> | undefined
  const pauseLeft = () => Math.max(0, until - performance.now())

  return {
    state() {
      if (until === Number.POSITIVE_INFINITY) return 'wrong-chain'
      if (failures === 0) return 'closed'
      return pauseLeft() > 0 ? 'open' : 'half-open'
    },
    isFree: () => failures === 0 || (pauseLeft() === 0 && !probe),
    pauseLeft,
    probing: () => probe?.promise,
    begin() {
      const before = failures
      const own = failures > 0 && !probe ? Promise.withResolvers<void>() : undefined
      probe ??= own
      const end = () => {
        if (!own) return
        probe = undefined
        own.resolve()
      }
      return {
        answered() {
          failures = 0
          until = 0
          end()
        },
        failed() {
          if (failures === before && (own || before === 0)) {
            failures++
            until = performance.now() + Math.min(PAUSE_MAX_MS, pauseMs * 2 ** (failures - 1))
          }
          end()
        },
        neverAgain() {
          failures++
          until = Number.POSITIVE_INFINITY
          end()
        },
      }
    },
  }
}
