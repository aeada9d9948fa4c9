import { userInfo } from 'node:os'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { beginAgain, sentNotifications, sentWebhooks } from '../../adapters/postgres/fall-back.ts'
import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import { LOG_ID } from '../../domain/audit/log.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { operatorLedger } from '../books/operator-ledger.ts'
import type { PartsReport } from '../parts/check.ts'
import { lastCommon, rowsBeyond } from '../parts/database.ts'
import { type LogEvent, readLog } from '../parts/log.ts'
import type { InstallationPart } from '../parts/part.ts'
import { world } from '../settings/world.ts'

/** A log that lacks events that other parts have seen, and on which the service is to go on. */
export type FallBack = {
  readonly place: LogPlace
  readonly sql: Sql
  readonly report: PartsReport
  readonly reason: string
}

export type FallBackReport = {
  /** The newest event that the log still had. */
  readonly head: LogEvent
  /** Events that are gone; null where nobody can tell how many. */
  readonly gone: number | null
  /** Webhooks and notifications that were sent before, and are not sent again. */
  readonly told: number
  /** The schema in which the rows as they were are kept; undefined where the database had seen nothing more. */
  readonly aside: string | undefined
}

/**
 * Records who goes on, and what is missing, as the first new event, and lets the database begin again with this log:
 * read models are built anew, policies begin at the first event and ask the log what was done, and effects go on at its
 * end. It may be cut off anywhere and be run again.
 */
export const fallBack = async ({ place, sql, report, reason }: FallBack): Promise<FallBackReport> => {
  const log = await readLog(place)
  const { id, head, base } = log
  if (id === undefined || !head) throw new Error('an empty log has nothing to fall back to')
  const ahead = report.parts.filter(({ misfit }) => misfit !== null)
  const database = ahead.find(({ part }) => part === 'database')
  const common = database?.misfit === 'log-parted' ? await lastCommon(sql, log) : head.order
  const gone = Math.max(database ? await rowsBeyond(sql, common) : 0, ...ahead.map(({ beyond }) => beyond ?? 0)) || null
  const ledger = operatorLedger(place.store)
  const seen = furthestOf(ahead)
  await ledger.log.recordFallBack(LOG_ID, {
    log: id,
    base: String(base),
    by: userInfo().username,
    reason,
    head: { id: head.id, order: String(head.order), at: head.at },
    seen: { by: seen.part, reach: seen.reach, at: seen.at },
    gone,
    branch: world.id('branch'),
  })
  if (!database) return { head, gone, told: 0, aside: undefined }
  const told = await rememberTold(ledger, sql, common)
  const end = (await readLog(place)).head ?? head
  const aside = await beginAgain(
    sql,
    effects.map(({ name }) => name),
    end,
  )
  return { head, gone, told, aside }
}

/** The part that has seen most. */
const furthestOf = (ahead: readonly InstallationPart[]): InstallationPart => {
  const [first, ...rest] = ahead
  if (!first) throw new Error('every part fits')
  return rest.reduce((most, part) => ((part.position ?? -1n) > (most.position ?? -1n) ? part : most), first)
}

/**
 * Records again what was sent to merchants and apps and is gone from the log, before anything could send it once more.
 * The ids are the same as before, because they are made from what is told.
 */
const rememberTold = async (ledger: Ledger, sql: Sql, after: bigint): Promise<number> => {
  const webhooks = await sentWebhooks(sql, after)
  for (const { eventId, accountId, transactionId, ...outcome } of webhooks) {
    const { status } = await ledger.delivery.read(eventId)
    if (status === 'scheduled') await ledger.delivery.record(eventId, outcome)
    else await ledger.delivery.skip(eventId, { accountId, transactionId })
  }
  const notifications = await sentNotifications(sql, after)
  for (const { eventId, clientId } of notifications) await ledger.notification.skip(eventId, { clientId })
  return webhooks.length + notifications.length
}
