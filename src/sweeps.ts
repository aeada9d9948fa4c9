import { setTimeout as pause } from 'node:timers/promises'
import type { Leases } from '../adapters/postgres/lease.ts'
import { type Due, expireDue } from '../domain/flows/expire-due.ts'
import type { LedgerDoors } from '../domain/ledger.ts'
import type { World } from '../domain/ports.ts'

/** How often what is due is looked for. */
const EVERY_MS = 5_000
const NAME = 'expiry'

/** Gives up what nobody paid in time, in one process at a time, until the signal aborts. */
export const sweepExpired = (
  parts: { leases: Leases; doors: LedgerDoors; world: World; due: Due; log: Log },
  signal: AbortSignal,
): Promise<unknown> => {
  const { ledger } = parts.doors.open({ actor: NAME, correlationId: NAME })
  return parts.leases.hold(NAME, signal, async (held) => {
    while (!held.aborted) {
      await expireDue(ledger, parts.world, parts.due).catch((error: unknown) =>
        parts.log.warn({ err: error }, 'what is due could not be given up, trying again'),
      )
      await pause(EVERY_MS, undefined, { signal: held }).catch(() => {})
    }
  })
}

type Log = { warn(fields: object, message: string): void }
