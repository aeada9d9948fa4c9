import { createQueries, type Queries } from '../../../projections/index.ts'
import {
  type AttemptRow,
  type NotificationFilter,
  type NotificationRow,
  notificationsProjection,
} from '../../../projections/signin/notifications.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { mustBeBuilt } from '../../books/verify-read-models.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/** The options that select notifications; `failed` ones are those that were given up. */
type NotificationSelection = { client: string; status?: 'pending' | 'accepted' | 'failed'; from?: Date }

const SHOWN = 20

/** Lists what was sent to an app. */
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

/** Shows one notification with every attempt. */
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

const notificationRows = async (books: Books): Promise<Pick<Queries, 'notifications' | 'notification'>> => {
  const sql = await books.sql()
  await mustBeBuilt(sql, notificationsProjection)
  return createQueries(sql)
}

const filterOf = ({ status, from }: Omit<NotificationSelection, 'client'>): NotificationFilter => ({
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

const table = (rows: readonly NotificationRow[]): string =>
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

type Wish = Partial<NotificationSelection> & { id?: string | undefined; yes?: boolean }

/** The most notifications of an app that one call looks at, the newest ones. */
const REPLAYED_MAX = 1_000

/** Has notifications sent again by the running service, or by the next one; without `yes` it only tells which. */
export const replayNotifications = async (books: Books, config: Config, out: Output, wish: Wish): Promise<void> => {
  const rows = (await chosen(books, wish)).filter(({ status }) => status !== 'pending')
  if (wish.yes) {
    const { flow } = await openOperator(books, config)
    for (const { eventId } of rows) await flow.ledger.notification.replay(eventId, {})
  }
  const verb = wish.yes ? 'are sent again' : 'would be sent again: say --yes to do it'
  const text = rows.length === 0 ? 'There is nothing to send again.' : `${table(rows)}\n\n${rows.length} ${verb}`
  await out.tell({ replayed: wish.yes ?? false, event_ids: rows.map(({ eventId }) => eventId) }, text)
}

const chosen = async (books: Books, { id, client, ...filter }: Wish): Promise<readonly NotificationRow[]> => {
  if ((id === undefined) === (client === undefined)) throw new BadSetting('an event id is needed, or --client')
  const queries = await notificationRows(books)
  if (client !== undefined)
    return await queries.notifications(client, filterOf(filter), { limit: REPLAYED_MAX, offset: 0 })
  const found = await queries.notification(id ?? '')
  if (!found) throw new CommandFailure(`there is no notification ${id}`)
  return [found]
}
