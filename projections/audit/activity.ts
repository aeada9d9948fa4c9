import type { Fragment, Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent, SealedText } from '../../domain/kernel/ports.ts'
import { ACTS, type Act, type ActKind, type ActorKind, actActorOf, actOf } from '../../domain/reading/activity.ts'
import { type Change, onEach, type Projection, put, type Table } from '../engine/projection.ts'
import { accountOf } from './timeline.ts'

/** What people and keys did in an account, and from where, one row an act (N-104); of an event it has names alone. */

const activity = {
  name: 'activity',
  columns: {
    position: 'bigint',
    account_id: 'text',
    at: 'text',
    act: 'text',
    kind: 'text',
    actor_kind: 'text',
    actor_id: 'text',
    subject: 'text',
    transaction_id: 'text',
    network: 'text',
  },
  key: ['position'],
  indexes: ['account_id, position desc', 'account_id, actor_kind, actor_id, position desc'],
} as const satisfies Table

const noted = (event: RecordedEvent): readonly Change[] => {
  const actor = actActorOf(event.cause.actor)
  const act = actor && actOf(event, actor)
  const accountId = actor?.accountId ?? accountOf(event)
  if (!actor || !act || accountId === null) return []
  return [
    put(activity, {
      position: String(event.position),
      account_id: accountId,
      at: event.at,
      act,
      kind: ACTS[act],
      actor_kind: actor.kind,
      actor_id: actor.id,
      subject: subjectOf(event, accountId),
      transaction_id: transactionOf(event),
      network: event.cause.network ?? networkIn(event.data),
    }),
  ]
}

export const activityProjection: Projection = {
  name: 'activity',
  version: 1,
  tables: [activity],
  on: onEach(Object.keys(ACTS) as Act[], noted),
}

/** What was acted on: a coin, a store, a key, or what else the stream is named by; empty where that is the account. */
const subjectOf = ({ stream, data }: RecordedEvent, accountId: string): string => {
  const { asset, storeId, subagentId, number, code } = data as Readonly<Record<string, unknown>>
  const named = [asset, storeId, subagentId, number, code].find(
    (each) => typeof each === 'string' || typeof each === 'number',
  )
  if (named !== undefined) return String(named)
  const id = idOf(stream)
  return id === accountId ? '' : id
}

const transactionOf = ({ stream, data }: RecordedEvent): string | null => {
  if (stream.startsWith('transaction-')) return idOf(stream)
  const { transactionId } = data as { transactionId?: unknown }
  return typeof transactionId === 'string' && transactionId !== '' ? transactionId : null
}

/** The network that some events have had in their data from before their causes told it. */
const networkIn = (data: object): SealedText | null => {
  const { network, origin } = data as { network?: unknown; origin?: { network?: unknown } }
  const found = network ?? origin?.network
  return typeof found === 'string' && found.startsWith('v1.') ? found : null
}

export type ActivityRow = {
  readonly position: string
  readonly at: string
  readonly act: Act
  readonly kind: ActKind
  readonly actorKind: ActorKind
  readonly actorId: string
  readonly subject: string
  readonly transactionId: string | null
  readonly network: SealedText | null
}

/** An act whose sealed parts are opened. */
export type ShownAct = Omit<ActivityRow, 'network'> & {
  /** The name of a sub-key or a store's; empty where there is none. */
  readonly actorName: string
  /** Null where its event does not tell from where it was done. */
  readonly network: string | null
}

export type ActivityFilter = {
  readonly kind?: ActKind | undefined
  readonly actorKind?: ActorKind | undefined
  /** The id of a member or a key. */
  readonly actor?: string | undefined
  readonly act?: string | undefined
  /** A coin, a store, a transaction or another id. */
  readonly subject?: string | undefined
  /** ISO 8601 times, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** A part of the act, of who did it, or of what it was done to. */
  readonly search?: string | undefined
}

export const activityQueries = (sql: Sql) => ({
  /** Acts in an account, the newest first, before a place in the ledger's own order. */
  activity: (accountId: string, filter: ActivityFilter, limit: number, before?: string): Promise<ActivityRow[]> => sql<
    ActivityRow[]
  >`
    select position::text, at, act, kind, actor_kind as "actorKind", actor_id as "actorId", subject,
      transaction_id as "transactionId", network
    from activity where account_id = ${accountId} and ${passing(sql, filter)}
      and ${before === undefined ? sql`true` : sql`position < ${before}::bigint`}
    order by activity.position desc limit ${limit}`,
})

const passing = (sql: Sql, { kind, actorKind, actor, act, subject, from, to, search }: ActivityFilter): Fragment => sql`
  ${kind === undefined ? sql`true` : sql`kind = ${kind}`}
  and ${actorKind === undefined ? sql`true` : sql`actor_kind = ${actorKind}`}
  and ${actor === undefined ? sql`true` : sql`actor_id = ${actor}`}
  and ${act === undefined ? sql`true` : sql`act = ${act}`}
  and ${subject === undefined ? sql`true` : sql`(subject = ${subject} or transaction_id = ${subject})`}
  and ${from === undefined ? sql`true` : sql`at >= ${from}`} and ${to === undefined ? sql`true` : sql`at <= ${to}`}
  and ${
    search === undefined
      ? sql`true`
      : sql`strpos(lower(concat_ws(' ', act, actor_id, subject, transaction_id)), ${search.toLowerCase()}) > 0`
  }`
