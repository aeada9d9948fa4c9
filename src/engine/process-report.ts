import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Presence } from '../../adapters/processes/presence.ts'
import type { ProcessReports } from '../../adapters/processes/reports.ts'
import type { Workers } from './workers.ts'

/** Milliseconds between two looks whether there is something new to tell. */
const LOOK_EVERY_MS = 1_000

type Parts = {
  readonly reports: ProcessReports
  readonly presence: Pick<Presence, 'id'>
  readonly workers: Pick<Workers, 'running' | 'stops'>
  readonly log: Logger
}

/** Tells which followers run in this process, whenever that changes, until the signal aborts. */
export const tellOfProcess = async (
  { reports, presence: { id }, workers, log }: Parts,
  signal: AbortSignal,
): Promise<void> => {
  let told = ''
  while (!signal.aborted) {
    const report = { runs: workers.running(), stopped: [...workers.stops().keys()] }
    const text = JSON.stringify(report)
    if (text !== told)
      await reports.tell(id, report).then(
        () => {
          told = text
        },
        (error: unknown) => log.warn({ err: error }, 'what this process does could not be noted, trying again'),
      )
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  // Its place ends in any case, and with it what it has said.
  await reports.forget(id).catch(() => {})
}
