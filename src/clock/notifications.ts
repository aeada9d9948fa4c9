import { setTimeout as pause } from 'node:timers/promises'
import type { Leases } from '../../adapters/postgres/lease.ts'
import { type NotificationContext, sendNotification } from '../../domain/use-cases/signin/send-notification.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'

/** Milliseconds between two looks for what is due to be sent again. */
const EVERY_MS = 1_000
/**
 * The most notifications that are sent at once, and the most of them to one app, so that a slow endpoint holds up no
 * other app.
 */
const AT_ONCE_MAX = 32
const PER_APP_MAX = 4
const NAME = 'notification-sweep'

type Parts = {
  leases: Leases
  doors: LedgerDoors
  queries: Pick<Queries, 'dueNotifications'>
  sending: Omit<NotificationContext, 'ledger'>
  log: { warn(fields: object, message: string): void }
}

/**
 * Sends receipts and logout notifications again when it is time (A-RCP-06); in one process at a time, until the signal
 * aborts.
 */
export const sendDueNotifications = (parts: Parts, signal: AbortSignal): Promise<unknown> =>
  parts.leases.hold(NAME, signal, async (held) => {
    const underWay = new Map<string, Promise<void>>()
    while (!held.aborted && parts.leases.holds(NAME)) {
      await beginDue(parts, underWay).catch((error: unknown) =>
        parts.log.warn({ err: error }, 'what is due could not be looked for, trying again'),
      )
      await pause(EVERY_MS, undefined, { signal: held }).catch(() => {})
    }
    await Promise.all(underWay.values())
  })

/** The rows may be a moment old; whether an attempt is due is decided by the log when it is made. */
const beginDue = async (
  { doors, queries, sending, log }: Parts,
  underWay: Map<string, Promise<void>>,
): Promise<void> => {
  if (underWay.size >= AT_ONCE_MAX) return
  const { ledger } = doors.open({ actor: NAME, correlationId: NAME })
  for (const { eventId } of await queries.dueNotifications(
    sending.world.now().toISOString(),
    AT_ONCE_MAX,
    PER_APP_MAX,
  )) {
    if (underWay.size >= AT_ONCE_MAX) return
    if (underWay.has(eventId)) continue
    const sent = sendNotification({ ...sending, ledger }, eventId)
      .catch((error: unknown) => log.warn({ err: error, eventId }, 'a notification could not be sent, trying again'))
      .finally(() => underWay.delete(eventId))
    underWay.set(eventId, sent)
  }
}
