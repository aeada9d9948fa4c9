import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { LeaseGroup } from '../../adapters/processes/lease-group.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { projections } from '../../projections/index.ts'
import { readModel } from './elsewhere.ts'
import type { Workers } from './workers.ts'

type Parts = {
  readonly feed: Feed
  readonly leases: LeaseGroup
  readonly workers: Pick<Workers, 'positions'>
  count(events: readonly RecordedEvent[]): void
  readonly log: Pick<Logger, 'warn'>
}

/** The name of its lease. */
const NAME = 'count-events'
const AGAIN_AFTER_MS = 1_000

/**
 * Tells of the events of the log, each in one process alone, so that sums over all processes are right. A process
 * begins with what comes after its start. One that takes over begins where the read models were when it last heard of
 * them, so that what was written in between is counted: a second time at the worst, for the last moment of a process
 * that was killed.
 */
export const countEvents = ({ feed, leases, workers, count, log }: Parts, signal: AbortSignal): Promise<unknown> => {
  const started = feed.head()
  return leases.hold(NAME, signal, async (held) => {
    const positions = workers.positions()
    const come = projections.map(({ name }) => positions.get(readModel(name)) ?? -1n)
    let at = come.reduce((most, each) => (each > most ? each : most), started)
    while (!held.aborted)
      try {
        for await (const page of feed.after(at, held)) {
          at = page.at(-1)?.position ?? at
          count(page)
        }
      } catch (error) {
        log.warn({ err: error }, 'events cannot be counted, trying again')
        await pause(AGAIN_AFTER_MS, undefined, { signal: held }).catch(() => {})
      }
  })
}
