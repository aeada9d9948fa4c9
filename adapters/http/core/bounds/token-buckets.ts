import { recentMap } from '../../../../domain/kernel/recent-map.ts'
import { type LimitName, LimitReached } from '../../../../domain/kernel/refusals/limits.ts'

/** How often something may be done: `burst` at once, and `perSecond` in the long run. */
export type Rate = { readonly perSecond: number; readonly burst: number }

/** A token bucket for each caller, which this process counts by itself. */
export type Buckets = {
  /**
   * Takes tokens from the caller's bucket. At least one whole token has to be there; what the call takes beyond that is
   * owed. Refuses `rate-limited` when there is none, with the time until there is.
   */
  take(caller: string, tokens?: number): void
  /** Takes tokens even when there are none; a negative number gives tokens back. */
  charge(caller: string, tokens: number): void
}

/**
 * Callers that are remembered, and up to twice as many. The one who called longest ago is forgotten first, and has a
 * full bucket again: nobody is held up by it.
 */
export const CALLERS_KEPT = 25_000

export const TOO_MANY_CALLS = 'Too many calls. Try again later.'

/** `nowMs` is a clock that is never set back; `words` are those of the refusal. */
export const createBuckets = (
  limit: LimitName,
  { perSecond, burst }: Rate,
  nowMs = () => performance.now(),
  words = TOO_MANY_CALLS,
): Buckets => {
  const buckets = recentMap<{ tokens: number; at: number }>(CALLERS_KEPT)
  const bucketOf = (caller: string, at: number) => {
    const known = buckets.get(caller)
    if (known) return known
    const full = { tokens: burst, at }
    buckets.set(caller, full)
    return full
  }
  /** The caller's bucket as it is now. */
  const filled = (caller: string) => {
    const now = nowMs()
    const bucket = bucketOf(caller, now)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    return bucket
  }
  return {
    take(caller, tokens = 1) {
      const bucket = filled(caller)
      if (bucket.tokens < 1) throw new LimitReached(limit, (1 - bucket.tokens) / perSecond, words)
      bucket.tokens -= tokens
    },
    charge(caller, tokens) {
      filled(caller).tokens -= tokens
    },
  }
}
