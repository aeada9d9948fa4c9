/**
 * Data keys in use, so that not every seal asks the database. It never outlives an erasure for longer than its time
 * limit.
 */
import type { KeyObject } from 'node:crypto'

const CACHE_MAX_KEYS = 10_000
const CACHE_TTL_MS = 60_000

export type KeyCache = {
  get(subject: string): KeyObject | undefined
  /**
   * Called before a key is read from the database; what it answers keeps the key, unless the subject was evicted
   * meanwhile.
   */
  reading(subject: string): (key: KeyObject | undefined) => KeyObject | undefined
  evict(subject: string): void
  clear(): void
}

/** The least recently used key leaves first. `now` is in milliseconds. */
export function createKeyCache(now: () => number = () => performance.now()): KeyCache {
  const kept = new Map<string, { key: KeyObject; until: number }>()
  let evictions = 0

  return {
    get(subject) {
      const entry = kept.get(subject)
      if (!entry) return undefined
      kept.delete(subject)
      if (entry.until <= now()) return undefined
      kept.set(subject, entry)
      return entry.key
    },
    reading(subject) {
      const before = evictions
      const until = now() + CACHE_TTL_MS
      return (key) => {
        if (!key || evictions !== before) return key
        kept.delete(subject)
        kept.set(subject, { key, until })
        const oldest = kept.keys().next()
        if (kept.size > CACHE_MAX_KEYS && !oldest.done) kept.delete(oldest.value)
        return key
      }
    },
    evict(subject) {
      evictions++
      kept.delete(subject)
    },
    clear() {
      evictions++
      kept.clear()
    },
  }
}
