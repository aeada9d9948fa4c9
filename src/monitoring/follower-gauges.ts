import { Gauge, type Registry } from 'prom-client'
import type { ProcessSource } from './process-gauges.ts'

/** What the gauges of the followers ask. */
export type FollowerSource = {
  /** The position of the newest event. */
  head(): bigint
  /** The position of each follower of the log, keyed by its name. */
  positions(): ReadonlyMap<string, bigint>
  readonly processes: Pick<ProcessSource, 'running'>
}

/** Gauges of how far the followers of the log have come. */
export const followerGauges = (registry: Registry, { head, positions, processes }: FollowerSource): void => {
  new Gauge({
    name: 'daybook_follower_lag_positions',
    help: 'Log positions between the newest event and what a follower has come to',
    labelNames: ['follower'] as const,
    registers: [registry],
    collect() {
      const newest = head()
      // A process that stands by may know of a follower elsewhere before it has heard of the event.
      for (const [follower, at] of positions()) this.set({ follower }, Math.max(0, Number(newest - at)))
    },
  })
  /** Where each follower was when it was last seen to move. */
  const seen = new Map<string, { readonly at: bigint; readonly since: number }>()
  new Gauge({
    name: 'daybook_follower_stuck_seconds',
    help: 'Seconds that a follower of this process has not moved while there was something to do, as far as was looked',
    labelNames: ['follower'] as const,
    registers: [registry],
    collect() {
      this.reset()
      const [newest, all, now] = [head(), positions(), performance.now()]
      for (const follower of processes.running()) {
        const at = all.get(follower)
        if (at === undefined) continue
        const before = seen.get(follower)
        const isStill = before?.at === at && at < newest
        const since = isStill ? before.since : now
        seen.set(follower, { at, since })
        this.set({ follower }, (now - since) / 1_000)
      }
    },
  })
}
