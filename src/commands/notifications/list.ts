import { createQueries, type Queries } from '../../../projections/index.ts'
import {
  type AttemptRow,
  type NotificationFilter,
  type NotificationRow,
  notificationsProjection,
} from '../../../projections/signin/notifications.ts'
import type { Books } from '../../books/books.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'

/** What people write for an outcome; `failed` is what was given up. */
export type NotificationSelection = { client: string; status?: 'pending' | 'accepted' | 'failed'; from?: Date }

const SHOWN = 20

/** What was sent to an app. */
export const listNotifications = async (
  books: Books,
  out: Output,
  which: NotificationSelection & { limit?: number },
): Promise<void> => {
  const queries = await notificationRows(books)
  const page = { limit: which.limit ?? SHOWN, offset: 0 }
  const rows = await queries.notifications(which.client, filterOf(which), page)
  await out.tell(rows.map(told), table(rows))
}

/** One of them, with every attempt. */
export const showNotification = async (books: Books, out: Output, id: string): Promise<void> => {
  const found = await (await notificationRows(books)).notification(id)
  if (!found) throw new CommandFailure(`there is no notification ${id}`)
  const { log, ...row } = found
  const heads = log.filter(({ bodyHead }) => bodyHead !== '')
  await out.tell(
    { ...told(row), log: log.map(toldAttempt) },
    [
      table([row]),
      columns([['Attempt', 'At', 'Answer', 'ms', 'Endpoint'], ...log.map(cells)], [0, 3]),
      ...heads.map(({ attempt, bodyHead }) => `Attempt ${attempt} was answered:\n${bodyHead}`),
    ].join('\n\n'),
  )
}

export const notificationRows = async (books: Books): Promise<Pick<Queries, 'notifications' | 'notification'>> => {
  const sql = await books.sql()
  await mustBeBuilt(sql, notificationsProjection)
  return createQueries(sql)
}

export const filterOf = ({ status, from }: Omit<NotificationSelection, 'client'>): NotificationFilter => ({
  status: status === 'failed' ? 'given-up' : status,
  from: from?.toISOString(),
})

const told = ({ eventId, clientId, kind, status, attempts, nextAt, scheduledAt }: NotificationRow) => ({
  event_id: eventId,
  client_id: clientId,
  kind,
  status: status === 'given-up' ? 'failed' : status,
  attempts,
  next_at: nextAt,
  scheduled_at: scheduledAt,
})

const toldAttempt = ({ attempt, url, status, reason, bodyHead, durationMs, attemptedAt }: AttemptRow) => ({
  attempt,
  at: attemptedAt,
  url,
  status,
  reason,
  body: bodyHead,
  duration_ms: durationMs,
})

export const table = (rows: readonly NotificationRow[]): string =>
  columns([
    ['Event id', 'Kind', 'Status', 'Attempts', 'Scheduled', 'Next'],
    ...rows
      .map(told)
      .map((row) => [row.event_id, row.kind, row.status, String(row.attempts), row.scheduled_at, row.next_at ?? '–']),
  ])

const cells = ({ attempt, attemptedAt, status, reason, durationMs, url }: AttemptRow): string[] => [
  String(attempt),
  attemptedAt,
  status === null ? (reason ?? '–') : String(status),
  String(durationMs),
  url ?? '–',
]
