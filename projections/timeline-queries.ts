import type { Fragment, Sql } from 'postgres'

/** What is asked of the timeline: a page of it, and the life of one transaction. */

/** Rows of a page at the most. */
export const TIMELINE_PAGE_MAX = 500
/** Events of one life at the most; one that was edited and resent more often ends there. */
export const LIFE_EVENTS_MAX = 2_000
/** How far effects and causes are followed from an event that is known to belong to the life. */
const DEPTH_MAX = 16

export type TimelineRow = {
  /** Place in the ledger's own order, as decimal text. */
  position: string
  at: string
  type: string
  stream: string
  revision: string
  eventId: string
  correlationId: string
  causationId: string | null
  actor: string
  /** Null of what is nobody's, such as a block that was read. */
  accountId: string | null
  /** The transaction whose life it is part of. */
  transactionId: string | null
}

/** What the timeline is narrowed to; all that are given must hold. */
export type TimelineFilter = {
  /** Only what belongs to this account: a merchant's view. */
  readonly account?: string | undefined
  readonly type?: string | undefined
  readonly typePrefix?: string | undefined
  readonly streamPrefix?: string | undefined
  readonly transaction?: string | undefined
  readonly correlationId?: string | undefined
  /** ISO 8601 UTC, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Positions in the ledger's own order, neither included: where the next page begins. */
  readonly after?: bigint | undefined
  readonly before?: bigint | undefined
}

export const timelineQueries = (sql: Sql) => ({
  /** A page, in the order of the ledger or, unless it is wanted so, the newest first. */
  timeline: (
    filter: TimelineFilter,
    { limit, oldestFirst = false }: { limit: number; oldestFirst?: boolean },
  ): Promise<TimelineRow[]> => sql<TimelineRow[]>`
    ${filter.transaction === undefined ? sql`` : sql`with recursive ${subjects(sql, filter.transaction)}`}
    select ${columns(sql)} from timeline t where ${narrowed(sql, filter)}
    order by t.position ${oldestFirst ? sql`` : sql`desc`} limit ${Math.min(limit, TIMELINE_PAGE_MAX)}`,

  /** One event by its id, a UUID. */
  async timelineEvent(eventId: string): Promise<TimelineRow | undefined> {
    const [row] = await sql<TimelineRow[]>`select ${columns(sql)} from timeline t where event_id = ${eventId}`
    return row
  },

  /**
   * Every event of a transaction's life, in the order of the ledger: its own and those of its challenges, what they brought about where that
   * is about nothing else, and what brought them about. Of another account's, with `account`, nothing.
   */
  lifeOf: (transactionId: string, account?: string): Promise<TimelineRow[]> => sql<TimelineRow[]>`
    with recursive ${subjects(sql, transactionId)},
    own as (
      select event_id, causation_id from timeline
      where subject in (select subject from subjects) and (transaction_id is null or transaction_id = ${transactionId})
    ),
    effects (event_id, depth) as (
      select event_id, 0 from own
      union
      select t.event_id, e.depth + 1 from timeline t join effects e on t.causation_id = e.event_id::text
      where t.subject is null and e.depth < ${DEPTH_MAX}
    ),
    causes (event_id, causation_id, depth) as (
      select event_id, causation_id, 0 from own
      union
      select t.event_id, t.causation_id, c.depth + 1 from timeline t join causes c on t.event_id = ${asUuid(sql)}
      where c.depth < ${DEPTH_MAX}
    )
    select ${columns(sql)} from timeline t
    where t.event_id in (select event_id from effects union select event_id from causes)
      ${account === undefined ? sql`` : sql`and (t.account_id is null or t.account_id = ${account})`}
    order by t.position limit ${LIFE_EVENTS_MAX}`,
})

const columns = (sql: Sql): Fragment => sql`
  t.position::text, t.at, t.type, t.stream, t.revision::text, t.event_id as "eventId", t.correlation_id as "correlationId",
  t.causation_id as "causationId", t.actor, t.account_id as "accountId",
  coalesce(t.transaction_id, (select min(l.transaction_id) from timeline_links l where l.subject = t.subject)) as "transactionId"`

/** All that a transaction's life is about: itself, and what belongs to what belongs to it. */
const subjects = (sql: Sql, transactionId: string): Fragment => sql`
  subjects (subject) as (
    select ${transactionId}::text union select l.subject from timeline_links l join subjects s on l.parent = s.subject
  )`

/** What caused an event is named by another's id; anything else is nobody's. */
const asUuid = (sql: Sql): Fragment =>
  sql`case when c.causation_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then c.causation_id::uuid end`

type Given = Required<{ [K in keyof TimelineFilter]: (value: NonNullable<TimelineFilter[K]>) => Fragment }>

const narrowed = (sql: Sql, filter: TimelineFilter): Fragment => {
  const conditions: Given = {
    account: (account) => sql`t.account_id = ${account}`,
    type: (type) => sql`t.type = ${type}`,
    typePrefix: (prefix) => sql`starts_with(t.type, ${prefix})`,
    streamPrefix: (prefix) => sql`starts_with(t.stream, ${prefix})`,
    transaction: (id) =>
      sql`t.subject in (select subject from subjects) and (t.transaction_id is null or t.transaction_id = ${id})`,
    correlationId: (id) => sql`t.correlation_id = ${id}`,
    from: (from) => sql`t.at >= ${from}`,
    to: (to) => sql`t.at <= ${to}`,
    after: (position) => sql`t.position > ${String(position)}`,
    before: (position) => sql`t.position < ${String(position)}`,
  }
  const given = Object.entries(conditions).flatMap(([key, condition]) => {
    const value = filter[key as keyof TimelineFilter]
    return value === undefined ? [] : [(condition as (value: unknown) => Fragment)(value)]
  })
  return given.reduce((all, each) => sql`${all} and ${each}`, sql`true`)
}
