import { recentMap } from '../../../../domain/kernel/recent-map.ts'
import { CALLERS_KEPT, type Rate } from './token-buckets.ts'

/**
 * The part of a limit that each process has for itself, so that a caller who comes now and then, as most do, costs no
 * statement. The shared buckets have what the parts of all processes leave; so all of it together is the limit.
 */

/** A process has one part in so many of each limit; of a limit of fewer calls it has none. */
const PARTS = 64

/** @param processes how many are alive; 0 while the others may not know of this one */
export const createOwnPart = ({ perSecond, burst }: Rate, processes: () => number, nowMs: () => number) => {
  const startedAt = nowMs()
  const most = Math.floor(burst / PARTS)
  const flowsPerMs = (perSecond * most) / burst / 1_000
  const buckets = recentMap<{ tokens: number; at: number }>(CALLERS_KEPT)
  const filled = (caller: string) => {
    const now = nowMs()
    const known = buckets.get(caller)
    // A start gives nothing: the part of a process that has just come flows in like everybody's.
    const bucket = known ?? { tokens: 0, at: startedAt }
    if (!known) buckets.set(caller, bucket)
    bucket.tokens = Math.min(most, bucket.tokens + (now - bucket.at) * flowsPerMs)
    bucket.at = now
    return bucket
  }
  return {
    /** Takes tokens of the part, if all of them are there. */
    take(caller: string, tokens = 1): boolean {
      if (most === 0 || processes() === 0) return false
      const bucket = filled(caller)
      if (bucket.tokens < tokens) return false
      bucket.tokens -= tokens
      return true
    },
    /** Puts tokens back into the part, as far as it has room. False where there is no part. */
    giveBack(caller: string, tokens: number): boolean {
      if (most === 0 || processes() === 0) return false
      const bucket = filled(caller)
      bucket.tokens = Math.min(most, bucket.tokens + tokens)
      return true
    },
    /** What the processes share. */
    rest(): Rate {
      const rest = burst - Math.min(PARTS - 1, Math.max(1, processes())) * most
      return { perSecond: (perSecond * rest) / burst, burst: rest }
    },
  }
}
