import { recentMap } from '../../domain/recent-map.ts'

/** What one run remembers of its tries. A run that comes after it only tries a little sooner. */

/** Authorizations remembered, up to twice as many. */
const KEPT = 10_000
/** Milliseconds until one that may still come through is tried again. */
const AGAIN_MS = 1_000
/** Tries until one that is refused without a word that we know is given up. */
const TRIES_MAX = 30

export type Attempts = ReturnType<typeof createAttempts>

export const createAttempts = (now = () => performance.now()) => {
  const tries = recentMap<{ count: number; notBefore: number }>(KEPT)
  const carried = recentMap<true>(KEPT)
  const broadcast = new Map<number, { firstAt: number; lastAt: number; looks: number }>()
  return {
    mayTry: (id: string): boolean => !carried.get(id) && now() >= (tries.get(id)?.notBefore ?? 0),
    /** It was refused for now; false when it was tried often enough. */
    postpone(id: string): boolean {
      const count = (tries.get(id)?.count ?? 0) + 1
      tries.set(id, { count, notBefore: now() + AGAIN_MS })
      return count < TRIES_MAX
    },
    /** It stands in the chain, and only waits to be booked. */
    carriedOut: (id: string) => carried.set(id, true),
    /** It does not any more. */
    takenBack: (id: string) => carried.delete(id),
    /** Milliseconds since a nonce was first and last broadcast by this run; undefined when it never was. */
    sinceBroadcast(nonce: number): { first: number; last: number } | undefined {
      const known = broadcast.get(nonce)
      return known && { first: now() - known.firstAt, last: now() - known.lastAt }
    },
    wasBroadcast(nonce: number) {
      const known = broadcast.get(nonce)
      broadcast.set(nonce, { firstAt: known?.firstAt ?? now(), lastAt: now(), looks: known?.looks ?? 0 })
    },
    /** How often a nonce was found used without a transaction of ours in sight. */
    missed(nonce: number): number {
      const known = broadcast.get(nonce) ?? { firstAt: now(), lastAt: now(), looks: 0 }
      broadcast.set(nonce, { ...known, looks: known.looks + 1 })
      return known.looks + 1
    },
    ended: (nonce: number) => broadcast.delete(nonce),
  }
}
