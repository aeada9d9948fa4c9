import { recentMap } from '../../domain/kernel/recent-map.ts'

/** The memory that one run has of its tries. A later run lacks it, and only tries a little sooner. */

/** Authorizations remembered, up to twice as many. */
const KEPT = 10_000
/** Milliseconds until an authorization that may still go through is tried again. */
const AGAIN_MS = 1_000
/** Milliseconds for which a loss is remembered here, until it is counted in the log; and how many of them. */
const LOSS_MS = 10_000
const LOSSES_MAX = 2_000
/** Milliseconds until an authorization whose budget is spent is looked at again. */
const PUT_OFF_MS = 5_000
/** Tries until an authorization that is refused in words that we do not know is given up. */
const TRIES_MAX = 30

export type Attempts = ReturnType<typeof createAttempts>

export const createAttempts = (now = () => performance.now()) => {
  const tries = recentMap<{ count: number; notBefore: number }>(KEPT)
  const carried = recentMap<true>(KEPT)
  const warned = recentMap<true>(KEPT)
  let losses: readonly { readonly budgets: readonly string[]; readonly usd: bigint; readonly at: number }[] = []
  const broadcast = new Map<number, { firstAt: number; lastAt: number; looks: number }>()
  return {
    mayTry: (id: string): boolean => !carried.get(id) && now() >= (tries.get(id)?.notBefore ?? 0),
    /** Notes that it was refused for now; false when it was tried often enough. */
    postpone(id: string): boolean {
      const count = (tries.get(id)?.count ?? 0) + 1
      tries.set(id, { count, notBefore: now() + AGAIN_MS })
      return count < TRIES_MAX
    },
    /** Notes that it waits for its budget, which is no try of it; true the first time. */
    putOff(id: string): boolean {
      const isFirst = !warned.get(id)
      warned.set(id, true)
      tries.set(id, { count: tries.get(id)?.count ?? 0, notBefore: now() + PUT_OFF_MS })
      return isFirst
    },
    /** Notes the cost of a transaction in vain, in millionths of a US dollar. */
    lose(budgets: readonly string[], usd: bigint) {
      losses = [...losses.filter(({ at }) => at > now() - LOSS_MS), { budgets, usd, at: now() }].slice(-LOSSES_MAX)
    },
    /**
     * The sums that budgets have lost a moment ago, which the log may not have counted yet: counting them twice is on
     * the safe side.
     */
    losses(): ReadonlyMap<string, bigint> {
      const lost = new Map<string, bigint>()
      for (const { budgets, usd, at } of losses) {
        if (at <= now() - LOSS_MS) continue
        for (const budget of budgets) lost.set(budget, (lost.get(budget) ?? 0n) + usd)
      }
      return lost
    },
    /** Notes that it stands in the chain, and only waits to be booked. */
    carriedOut: (id: string) => carried.set(id, true),
    /** Notes that it does not stand in the chain any more. */
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
    /** Counts one more look at a nonce that is used without a transaction of ours in sight, and answers the count. */
    missed(nonce: number): number {
      const known = broadcast.get(nonce) ?? { firstAt: now(), lastAt: now(), looks: 0 }
      broadcast.set(nonce, { ...known, looks: known.looks + 1 })
      return known.looks + 1
    },
    ended: (nonce: number) => broadcast.delete(nonce),
  }
}
