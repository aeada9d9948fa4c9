import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { StreamCut } from '../../domain/audit/stream-cut.ts'
import type { PartsReport } from './check.ts'
import type { Misfit } from './part.ts'

type PartsWatchContext = {
  readonly store: Pick<LogStore, 'cuts'>
  /** Holds the parts that follow the log against it. */
  readonly check: () => Promise<PartsReport>
  readonly log: Pick<Logger, 'error' | 'info' | 'warn'>
}

const LOOK_EVERY_MS = 2_000

/** The misfits of a log that was put back under a running service; whatever is written to it would be forgotten. */
const OF_THE_LOG: readonly Misfit[] = ['another-log', 'log-gone', 'log-older', 'log-parted']

const REASON = 'the log is not the one any more that this installation has followed: see daybook doctor'

/**
 * Appends nothing while the log under this process is not the one that the other parts have seen, as after a server was
 * put back from a backup. A misfit counts only after two looks: one node of a cluster may show an event late. Resolves
 * after the signal.
 */
export const watchParts = async ({ store, check, log }: PartsWatchContext, signal: AbortSignal): Promise<void> => {
  let [before, halted] = [false, false]
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const lost = await check().then(ofTheLog, (error: unknown) => {
      // A stream that shows less than before is what a log that was put back looks like from within.
      if (error instanceof StreamCut) return [error.message]
      log.warn({ err: error }, 'the parts of the installation cannot be looked at, trying again')
      return undefined
    })
    if (!lost) continue
    const halts = lost.length > 0 && before
    before = lost.length > 0
    if (halts === halted) continue
    halted = halts
    store.cuts.halt(halts ? REASON : undefined)
    if (halts) log.error({ lost }, `nothing is appended, because ${REASON}`)
    else log.info({}, 'the parts of the installation fit together again')
  }
}

/** Which parts have seen another log, and how. */
const ofTheLog = ({ parts }: PartsReport): readonly string[] =>
  parts.flatMap(({ part, misfit, says }) => (misfit && OF_THE_LOG.includes(misfit) ? [`${part}: ${says}`] : []))
