import { type DueOrders, debitDue } from '../domain/flows/balance/debit-due.ts'
import { type Due, expireDue } from '../domain/flows/expire-due.ts'
import { type DueGames, endDueGames } from '../domain/flows/game/end-due.ts'
import type { World } from '../domain/ports.ts'
import { type Sweeping, sweep } from './sweep.ts'

/** How often what is due is looked for. */
const EVERY_MS = 5_000

type Parts = Sweeping & { world: World; due: Due & DueOrders & DueGames }

/** Everything that is done when its time has come, each in one process at a time, until the signal aborts. */
export const sweepDue = (parts: Parts, signal: AbortSignal): Promise<unknown> => {
  const { world, due, log } = parts
  const failed = (err: unknown, mandateId: string) =>
    log.warn({ err, mandateId }, 'a standing order could not be tried')
  return Promise.all([
    sweep({ name: 'expiry', everyMs: EVERY_MS }, parts, signal, (ledger) => expireDue(ledger, world, due)),
    sweep({ name: 'standing-orders', everyMs: EVERY_MS }, parts, signal, (ledger) =>
      debitDue(ledger, world, due, failed),
    ),
    sweep({ name: 'games', everyMs: EVERY_MS }, parts, signal, (ledger) => endDueGames(ledger, world, due)),
  ])
}
