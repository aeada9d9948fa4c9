import { setTimeout as pause } from 'node:timers/promises'
import type { Leases } from '../adapters/postgres/lease.ts'
import { type DueOrders, debitDue } from '../domain/flows/balance/debit-due.ts'
import { type Due, expireDue } from '../domain/flows/expire-due.ts'
import type { Ledger, LedgerDoors } from '../domain/ledger.ts'
import type { World } from '../domain/ports.ts'

/** How often what is due is looked for. */
const EVERY_MS = 5_000

type Parts = { leases: Leases; doors: LedgerDoors; world: World; due: Due & DueOrders; log: Log }
type Log = { warn(fields: object, message: string): void }

/** Everything that is done when its time has come, each in one process at a time, until the signal aborts. */
export const sweepDue = (parts: Parts, signal: AbortSignal): Promise<unknown> => {
  const { world, due, log } = parts
  const failed = (err: unknown, mandateId: string) =>
    log.warn({ err, mandateId }, 'a standing order could not be tried')
  return Promise.all([
    sweep('expiry', parts, signal, (ledger) => expireDue(ledger, world, due)),
    sweep('standing-orders', parts, signal, (ledger) => debitDue(ledger, world, due, failed)),
  ])
}

const sweep = (
  name: string,
  { leases, doors, log }: Parts,
  signal: AbortSignal,
  work: (ledger: Ledger) => Promise<unknown>,
): Promise<unknown> => {
  const { ledger } = doors.open({ actor: name, correlationId: name })
  return leases.hold(name, signal, async (held) => {
    while (!held.aborted) {
      await work(ledger).catch((error: unknown) =>
        log.warn({ err: error, sweep: name }, 'what is due could not be done, trying again'),
      )
      await pause(EVERY_MS, undefined, { signal: held }).catch(() => {})
    }
  })
}
