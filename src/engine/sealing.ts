import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SealedLog } from '../../adapters/audit/containment.ts'
import { HeadNotContinued, type HeadToContinue, sealGuard } from '../../adapters/audit/seal-guard.ts'
import { SEAL_EVENTS_MAX, type SealerParts, sealUpTo } from '../../adapters/audit/sealer.ts'
import { within } from '../../adapters/timing/time-limit.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'
import { type JobParts, runTimedJob } from '../clock/timed-job.ts'
import { compareHeads, type HeadComparison, JOURNAL } from '../parts/witnessed.ts'
import { readSealWitness, takeOverSealWitness, writeSealWitness } from '../settings/seal-witness.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/**
 * Seals the log while the service runs, in one process at a time, and only a log that goes on from what was sealed
 * before.
 */
export type Sealer = {
  /** Takes note of everything that arrives. */
  arrived(events: readonly RecordedEvent[]): void
  /** Runs until the signal aborts. */
  run(parts: JobParts & SealParts & { feed: Feed }, signal: AbortSignal): Promise<unknown>
  /** Seals what is left, once nothing is written any more. Ends within `FINISH_MS`, whatever happens. */
  finish(parts: SealParts, doors: LedgerDoors): Promise<void>
  report(): SealReport
  /** How long the oldest event without a seal has waited; undefined where another process seals. */
  waiting(): SealWaiting | undefined
}

type SealParts = Pick<SealerParts, 'world' | 'vault' | 'store' | 'lines'> & {
  /** False while a witness has seen another history of the log. */
  maySeal(ledger: Ledger): Promise<boolean>
}

/** What readiness says of the seals. */
type SealReport = {
  /**
   * `verifying`: events that were sealed since the newest head that is known here are verified, and nothing is sealed
   * meanwhile.
   */
  readonly status: 'ok' | 'verifying' | 'refused'
  /** Why nothing is sealed; null while it is. */
  readonly reason: string | null
}

export type SealWaiting = {
  readonly seconds: number
  /** Whether that is much longer than an event waits for its seal. */
  readonly isLate: boolean
}

export type SealerSettings = {
  /** How long an event waits for its seal when fewer come than fill one. */
  readonly everySeconds: number
  /** The journal of heads. */
  readonly journal: string
  /** Heads that others have signed or shown, which every seal has to go on from as well. */
  readonly others?: () => readonly HeadToContinue[]
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** The name of the job, and the actor of its events. */
const JOB = 'seal-log'
const LOOK_EVERY_MS = 1_000
/** Sealed events that a start verifies before it goes on: some 20 ms. */
const TAIL_AT_ONCE = 2_000
/** How long a verification waits before it asks a store again that did not answer. */
const VERIFY_AGAIN_MS = 5_000
/** A seal is late after so many times the longest wait of an event, and so many seconds. */
const LATE_TIMES = 3
const LATE_AFTER_S = 30
/** How long a stop waits for its last seal. */
const FINISH_MS = 5_000

/**
 * Verifies the log from the newest witnessed head on. Rejects with BadSetting when the log does not contain that head.
 * A long tail is verified in the background, and nothing is sealed before that has ended.
 */
export const startSealer = async (
  { everySeconds, journal, others = () => [], log }: SealerSettings,
  sealed: SealedLog,
  signal: AbortSignal,
): Promise<Sealer> => {
  const guard = sealGuard(() => [...witnessedHere(journal), ...others()])
  let unsealed = 0
  let report: SealReport = SEALING
  /** When the oldest event without a seal was seen; undefined while all are sealed. */
  let since: number | undefined
  let isHere = () => false
  const refuse = (words: string) => {
    if (report.reason !== words) log.error({ reason: words }, 'the log is not sealed')
    report = { status: 'refused', reason: words }
  }
  /**
   * Answers how many events are left without a seal; a log that may not be sealed is looked at again with its next
   * events.
   */
  const seal = async (parts: SealParts, ledger: Ledger, until: bigint, whole: boolean): Promise<number> => {
    try {
      const left = await sealUpTo({ ...parts, ledger, guard, ...keeping(journal, log) }, until, whole)
      report = SEALING
      return left
    } catch (error) {
      if (!(error instanceof HeadNotContinued)) throw error
      refuse(error.message)
      return 0
    }
  }
  const left = await verifyStart(sealed, journal)
  if (left > 0) report = { status: 'verifying', reason: `${left} events that were sealed meanwhile are verified first` }
  const verified = (left > 0 ? verifyTail(sealed, { journal, log }, signal) : SOUND).then(
    (found) => {
      if (found.fits) report = SEALING
      else refuse(found.words)
      return found.fits
    },
    // The service was stopped before its store answered.
    () => false,
  )
  return {
    arrived(events) {
      unsealed += events.length
    },
    run({ feed, ...parts }, signal) {
      /**
       * The head at the last look. Before the first one it is undefined, and everything that was left without a seal is
       * sealed at once.
       */
      let looked: bigint | undefined
      isHere = () => parts.leases.holds(JOB)
      const round = async (ledger: Ledger) => {
        const head = feed.head()
        if (head === looked) return
        since ??= performance.now()
        if (!(await verified)) return
        const late = looked === undefined || performance.now() - since >= everySeconds * 1_000
        if (!late && unsealed < SEAL_EVENTS_MAX) return
        if (!(await parts.maySeal(ledger))) return
        unsealed = 0
        unsealed += await seal(parts, ledger, head, !late)
        looked = head
        if (late || unsealed === 0) since = undefined
      }
      return runTimedJob({ name: JOB, everyMs: LOOK_EVERY_MS, round }, parts, signal)
    },
    async finish(parts, doors) {
      const { ledger } = doors.open({ actor: JOB, correlationId: JOB })
      const last = async () => {
        if (report.status !== 'ok' || !(await verified) || !(await parts.maySeal(ledger))) return
        await seal(parts, ledger, await parts.store.head(), false)
      }
      await within(FINISH_MS, last(), () => new Error(`no seal within ${FINISH_MS} ms`)).catch((error: unknown) =>
        log.warn({ err: error }, 'the end of the log is not sealed'),
      )
    },
    report: () => report,
    waiting() {
      if (!isHere()) return undefined
      const seconds = since === undefined ? 0 : (performance.now() - since) / 1_000
      return { seconds, isLate: seconds > LATE_TIMES * everySeconds + LATE_AFTER_S }
    },
  }
}

const SEALING: SealReport = { status: 'ok', reason: null }
const SOUND = Promise.resolve({ fits: true } as const)

/** Answers how many sealed events are still to be verified. Rejects with BadSetting. */
const verifyStart = async (sealed: SealedLog, journal: string): Promise<number> => {
  takeOverSealWitness(journal)
  const found = await compareHeads(sealed, journal, TAIL_AT_ONCE)
  if (!found.fits) throw new BadSetting(`the log is not the one that was sealed here: ${found.words}`)
  if (found.left === 0) remember(journal, found)
  return found.left
}

/** Verifies everything that was sealed after the newest witnessed head, once the store answers. */
const verifyTail = async (
  sealed: SealedLog,
  { journal, log }: Pick<SealerSettings, 'journal' | 'log'>,
  signal: AbortSignal,
): Promise<HeadComparison> => {
  for (;;)
    try {
      const found = await compareHeads(sealed, journal)
      if (found.fits) remember(journal, found)
      return found
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error }, 'the sealed log could not be verified, trying again')
      await paused(VERIFY_AGAIN_MS, signal)
    }
}

/** Notes the newest head that was verified, so that the next start does not verify it again. */
const remember = (journal: string, { witnessed: known, log }: Extract<HeadComparison, { fits: true }>): void => {
  if (log && log.head.size > (known?.size ?? 0)) writeSealWitness(journal, log)
}

/** The callbacks by which a sealer keeps each head before anybody sees it, and then logs it. */
export const keeping = (journal: string, log?: Pick<Logger, 'info'>): Pick<SealerParts, 'witness' | 'sealed'> => ({
  witness: (witness) => writeSealWitness(journal, witness),
  // The process's log is a second place that whoever changes the ledger would have to reach.
  sealed: (head) => log?.info({ head }, 'the log is sealed'),
})

/** The newest head of the journal, as one that every seal has to go on from. */
export const witnessedHere = (journal: string): readonly HeadToContinue[] => {
  const witness = readSealWitness(journal)
  return witness ? [{ ...witness, source: JOURNAL }] : []
}

const paused = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => {})
