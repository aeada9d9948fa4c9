import { recentMap } from '../../domain/recent-map.ts'
import { Refusal } from '../../domain/refusal.ts'

/** How often something may be done: `burst` at once, and `perSecond` in the long run. */
export type Rate = { readonly perSecond: number; readonly burst: number }

/** A token bucket for each caller, so that one who is at its limit does not slow another (N-09). */
export type Buckets = {
  /** Takes a token of the caller's. Refuses `rate-limited` when it has none, with the time until it has. */
  take(caller: string): void
}

/** Callers remembered, and up to twice as many. Who called longest ago is forgotten first, and has a full bucket again: nobody is held up by it. */
const CALLERS_KEPT = 25_000

/** `nowMs` is a clock that is never set back. */
export const createBuckets = ({ perSecond, burst }: Rate, nowMs = () => performance.now()): Buckets => {
  const buckets = recentMap<{ tokens: number; at: number }>(CALLERS_KEPT)
  const bucketOf = (caller: string, at: number) => {
    const known = buckets.get(caller)
    if (known) return known
    const full = { tokens: burst, at }
    buckets.set(caller, full)
    return full
  }
  /** The caller's bucket as it is now. Refuses when there is no whole token in it. */
  const filled = (caller: string) => {
    const now = nowMs()
    const bucket = bucketOf(caller, now)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) {
      const waitS = Math.ceil((1 - bucket.tokens) / perSecond)
      throw new Refusal('rate-limited', 'Too many calls. Try again later.', undefined, waitS)
    }
    return bucket
  }
  return {
    take(caller) {
      filled(caller).tokens -= 1
    },
  }
}
