import { type DueOrders, debitDue } from '../../domain/use-cases/balance/debit-due.ts'
import { type DueCardPages, endDueCardPages } from '../../domain/use-cases/card/end-due.ts'
import { type Due, expireDue } from '../../domain/use-cases/card/expire-due.ts'
import type { Outside } from '../../domain/use-cases/context.ts'
import { type DueGames, endDueGames } from '../../domain/use-cases/game/end-due.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { type Sweeping, sweep } from './sweep.ts'

/** How often what is due is looked for. */
const EVERY_MS = 5_000
/** Asking card processors takes longer, and hurries nobody. */
const CARD_PAGES_EVERY_MS = 60_000

type Parts = Sweeping & { outside: Outside; due: Due & DueOrders & DueGames & DueCardPages }

/** Everything that is done when its time has come, each in one process at a time, until the signal aborts. */
export const sweepDue = (parts: Parts, signal: AbortSignal): Promise<unknown> => {
  const { outside, due, log } = parts
  const { world } = outside
  const failed = (err: unknown, mandateId: string) =>
    log.warn({ err, mandateId }, 'a standing order could not be tried')
  return Promise.all([
    sweep({ name: 'expiry', everyMs: EVERY_MS }, parts, signal, (ledger) => expireDue(ledger, world, due)),
    sweep({ name: 'standing-orders', everyMs: EVERY_MS }, parts, signal, (ledger) =>
      debitDue(ledger, world, due, failed),
    ),
    sweep({ name: 'card-pages', everyMs: CARD_PAGES_EVERY_MS }, parts, signal, endsCardPages(parts)),
    sweep({ name: 'games', everyMs: EVERY_MS }, parts, signal, (ledger) => endDueGames(ledger, world, due)),
  ])
}

/** Each round goes on where the one before has ended. */
const endsCardPages = ({ outside, due, log }: Parts) => {
  let after = ''
  const failed = (err: unknown, cardPayment: string) =>
    log.warn({ err, cardPayment }, 'a page of a card processor could not be ended')
  return async (ledger: Ledger, held: AbortSignal) => {
    after = await endDueCardPages({ ...outside, ledger }, due, after, failed, held)
  }
}
