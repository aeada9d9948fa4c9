import { setTimeout as pause } from 'node:timers/promises'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'

/** What every sweep needs. */
export type Sweeping = {
  readonly leases: Leases
  readonly doors: LedgerDoors
  readonly log: { warn(fields: object, message: string): void }
}

/** `waitsFirst`: the first round is one pause after the start. */
type Pace = { readonly name: string; readonly everyMs: number; readonly waitsFirst?: true }

/**
 * Does a piece of work again and again, in one process at a time, until the signal aborts; a round that fails costs no
 * other.
 */
export const sweep = (
  { name, everyMs, waitsFirst }: Pace,
  { leases, doors, log }: Sweeping,
  signal: AbortSignal,
  work: (ledger: Ledger, held: AbortSignal) => Promise<unknown>,
): Promise<unknown> => {
  const { ledger } = doors.open({ actor: name, correlationId: name })
  return leases.hold(name, signal, async (held) => {
    const rest = () => pause(everyMs, undefined, { signal: held }).catch(() => {})
    if (waitsFirst) await rest()
    while (!held.aborted) {
      await work(ledger, held).catch((error: unknown) =>
        log.warn({ err: error, sweep: name }, 'a round of what is done by the clock has failed, trying again'),
      )
      await rest()
    }
  })
}
