import { SEAL_EVENTS_MAX, type Sealing, sealUpTo } from '../adapters/audit/sealer.ts'
import type { Ledger } from '../domain/ledger.ts'
import type { Feed, Recorded } from '../domain/ports.ts'
import { type Sweeping, sweep } from './sweep.ts'

/** Seals the log while the service runs, in one process at a time. */
export type Sealer = {
  /** Told of everything that arrives. */
  arrived(events: readonly Recorded[]): void
  /** Runs until the signal aborts. */
  run(parts: SealerParts, signal: AbortSignal): Promise<unknown>
}

type SealerParts = Sweeping &
  Omit<Sealing, 'ledger'> & {
    readonly feed: Feed
    /** False while the log must not be sealed. */
    maySeal(ledger: Ledger): Promise<boolean>
  }

const LOOK_EVERY_MS = 1_000

/** @param everySeconds how long an event waits for its seal when fewer come than fill one */
export const createSealer = (everySeconds: number): Sealer => {
  let unsealed = 0
  return {
    arrived(events) {
      unsealed += events.length
    },
    run({ feed, maySeal, ...parts }, signal) {
      /** Up to where the log was looked at last; at first the seals that another process left unwritten are caught up with. */
      let looked: bigint | undefined
      let since: number | undefined
      return sweep({ name: 'seal-log', everyMs: LOOK_EVERY_MS }, parts, signal, async (ledger) => {
        const head = feed.head()
        if (head === looked) return
        since ??= performance.now()
        const late = performance.now() - since >= everySeconds * 1_000
        if (looked !== undefined && !late && unsealed < SEAL_EVENTS_MAX) return
        if (!(await maySeal(ledger))) return
        unsealed = 0
        unsealed += await sealUpTo({ ...parts, ledger }, head, !late)
        looked = head
        if (late || unsealed === 0) since = undefined
      })
    },
  }
}
