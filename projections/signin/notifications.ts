import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Change, type Projection, patch, put, type Row, type Table } from '../engine/projection.ts'

/**
 * Notifications to the back-channel endpoints of apps, with every attempt (A-RCP-06): the delivery log, and what is due
 * to be sent again.
 */

const notifications = {
  name: 'notifications',
  columns: {
    event_id: 'text',
    client_id: 'text',
    kind: 'text',
    status: 'text',
    attempts: 'integer',
    next_at: 'text',
    scheduled_at: 'text',
    number: 'bigint',
  },
  key: ['event_id'],
  indexes: ['client_id, number desc', 'next_at'],
  numbered: { column: 'number', per: 'client_id' },
} as const satisfies Table

const attempts = {
  name: 'notification_attempts',
  columns: {
    event_id: 'text',
    attempt: 'integer',
    url: 'text',
    status: 'integer',
    reason: 'text',
    body_head: 'text',
    duration_ms: 'integer',
    attempted_at: 'text',
  },
  key: ['event_id', 'attempt'],
} as const satisfies Table

export const notificationsProjection: Projection = {
  name: 'notifications',
  version: 1,
  tables: [notifications, attempts],
  on: {
    NotificationScheduled: ({ stream, at, data }) =>
      put(notifications, {
        event_id: idOf(stream),
        client_id: data.clientId,
        kind: data.kind,
        status: 'pending',
        attempts: 0,
        next_at: null,
        scheduled_at: at,
        number: null,
      }),
    NotificationAccepted: ({ stream, data }) => attempted(idOf(stream), data, { status: 'accepted', next_at: null }),
    NotificationAttemptFailed: ({ stream, data }) =>
      attempted(idOf(stream), data, {
        status: data.nextAt === null ? 'given-up' : 'pending',
        next_at: data.nextAt,
      }),
    NotificationReplayed: ({ stream }) =>
      patch(notifications, [idOf(stream)], () => ({ status: 'pending', next_at: null })),
  },
}

type AttemptFacts = {
  attempt: number
  url: string | null
  status: number | null
  reason: string | null
  bodyHead: string
  durationMs: number
  attemptedAt: string
}

const attempted = (eventId: string, data: AttemptFacts, now: Row): Change[] => [
  patch(notifications, [eventId], () => ({ ...now, attempts: data.attempt })),
  put(attempts, {
    event_id: eventId,
    attempt: data.attempt,
    url: data.url,
    status: data.status,
    reason: data.reason,
    body_head: data.bodyHead,
    duration_ms: data.durationMs,
    attempted_at: data.attemptedAt,
  }),
]

export type NotificationRow = {
  eventId: string
  clientId: string
  kind: 'receipt' | 'logout'
  status: 'pending' | 'accepted' | 'given-up'
  attempts: number
  /** Time at which it is sent again; null before the first attempt, and when there is no further one. */
  nextAt: string | null
  scheduledAt: string
}

export type AttemptRow = AttemptFacts

/** Which notifications of an app: all, or those of one outcome, or those from a time on. */
export type NotificationFilter = {
  readonly status?: NotificationRow['status'] | undefined
  /** The earliest time of scheduling, in ISO 8601 UTC. */
  readonly from?: string | undefined
}

/** The most due notifications that are looked at when they are shared out between apps. */
const DUE_LOOKED_AT = 2_000

export const notificationQueries = (sql: Sql) => ({
  /** The notifications of an app, newest first. */
  notifications: (
    clientId: string,
    { status, from }: NotificationFilter,
    page: { limit: number; offset: number },
  ): Promise<NotificationRow[]> => sql<NotificationRow[]>`
    select event_id as "eventId", client_id as "clientId", kind, status, attempts, next_at as "nextAt", scheduled_at as "scheduledAt"
    from notifications where client_id = ${clientId}
      ${status === undefined ? sql`` : sql`and status = ${status}`} ${from === undefined ? sql`` : sql`and scheduled_at >= ${from}`}
    order by number desc limit ${page.limit} offset ${page.offset}`,

  async notification(eventId: string): Promise<(NotificationRow & { log: readonly AttemptRow[] }) | undefined> {
    const [row] = await sql<NotificationRow[]>`
      select event_id as "eventId", client_id as "clientId", kind, status, attempts, next_at as "nextAt", scheduled_at as "scheduledAt"
      from notifications where event_id = ${eventId}`
    if (!row) return undefined
    const log = await sql<AttemptRow[]>`
      select attempt, url, status, reason, body_head as "bodyHead", duration_ms as "durationMs", attempted_at as "attemptedAt"
      from notification_attempts where event_id = ${eventId} order by attempt`
    return { ...row, log }
  },

  /**
   * Notifications that are to be sent again by now, the longest due first; at most `perApp` of one app, so that an app
   * that is down holds up no other.
   */
  dueNotifications: (
    now: string,
    limit: number,
    perApp: number,
  ): Promise<{ eventId: string; clientId: string }[]> => sql<{ eventId: string; clientId: string }[]>`
    select event_id as "eventId", client_id as "clientId" from (
      select event_id, client_id, next_at, row_number() over (partition by client_id order by next_at) as place
      from (select * from notifications where next_at <= ${now} order by next_at limit ${DUE_LOOKED_AT}) due
    ) shared where place <= ${perApp} order by next_at limit ${limit}`,
})
