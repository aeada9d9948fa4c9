import { setTimeout as pause } from 'node:timers/promises'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'

/** A job that is done again and again, in one process at a time. */
export type TimedJob = {
  /** The name of its lease, and of the actor of what it writes. */
  readonly name: string
  readonly everyMs: number
  /** The first round is one pause after the start. */
  readonly waitsFirst?: true
  /** @param held aborts when another process is to go on */
  round(ledger: Ledger, held: AbortSignal): Promise<unknown>
}

/** What every timed job needs. */
export type JobParts = {
  readonly leases: Leases
  readonly doors: LedgerDoors
  readonly log: { warn(fields: object, message: string): void }
}

/** Runs a job until the signal aborts; a round that fails costs no other. */
export const runTimedJob = (
  { name, everyMs, waitsFirst, round }: TimedJob,
  { leases, doors, log }: JobParts,
  signal: AbortSignal,
): Promise<unknown> => {
  const { ledger } = doors.open({ actor: name, correlationId: name })
  return leases.hold(name, signal, async (held) => {
    const rest = () => pause(everyMs, undefined, { signal: held }).catch(() => {})
    if (waitsFirst) await rest()
    while (!held.aborted && leases.holds(name)) {
      await round(ledger, held).catch((error: unknown) =>
        log.warn({ err: error, sweep: name }, 'a round of what is done by the clock has failed, trying again'),
      )
      await rest()
    }
  })
}
