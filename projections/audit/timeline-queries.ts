import type { Fragment, Sql } from 'postgres'

/** Queries of the timeline: a page of it, and the life of one transaction. */

/** The most rows of a page. */
const TIMELINE_PAGE_MAX = 500
/** The most events of one life; one that was edited and resent more often is cut off there. */
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
  /** Null for an event of no account, such as a block that was read. */
  accountId: string | null
  /** The transaction whose life it is part of. */
  transactionId: string | null
}

/** Conditions that narrow the timeline; all that are given must hold. */
type TimelineFilter = {
  /** Only events of this account: a merchant's view. */
  readonly account?: string | undefined
  readonly type?: string | undefined
  readonly typePrefix?: string | undefined
  readonly streamPrefix?: string | undefined
  readonly transaction?: string | undefined
  readonly correlationId?: string | undefined
  /** Times in ISO 8601 UTC, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Positions in the ledger's own order, neither included: where the next page begins. */
  readonly after?: bigint | undefined
  readonly before?: bigint | undefined
}

export const timelineQueries = (sql: Sql) => ({
  /** A page, the newest first, or in the order of the ledger with `oldestFirst`. */
  timeline: (
    filter: TimelineFilter,
    { limit, oldestFirst = false }: { limit: number; oldestFirst?: boolean },
  ): Promise<TimelineRow[]> => sql<TimelineRow[]>`
    ${filter.transaction === undefined ? sql`` : sql`with recursive ${subjects(sql, filter.transaction)}`}
    select ${columns(sql)} from timeline t where ${timelineCondition(sql, filter)}
    order by t.position ${oldestFirst ? sql`` : sql`desc`} limit ${Math.min(limit, TIMELINE_PAGE_MAX)}`,

  /**
   * The categories of the streams of an account that have changed after a position, and the newest position; without
   * one, where the account stands now.
   */
  async changesOf(accountId: string, position: string | undefined): Promise<{ kinds: string[]; position: string }> {
    if (position === undefined) {
      const [row] = await sql<{ position: string | null }[]>`
        select max(position)::text as position from timeline where account_id = ${accountId}`
      return { kinds: [], position: row?.position ?? '-1' }
    }
    const rows = await sql<{ kind: string; position: string }[]>`
      select split_part(stream, '-', 1) as kind, max(position)::text as position from timeline
      where account_id = ${accountId} and position > ${position} group by 1`
    const newest = rows.reduce(
      (max, row) => (BigInt(row.position) > max ? BigInt(row.position) : max),
      BigInt(position),
    )
    return { kinds: rows.map(({ kind }) => kind), position: String(newest) }
  },

  /** One event by its id, a UUID. */
  async timelineEvent(eventId: string): Promise<TimelineRow | undefined> {
    const [row] = await sql<TimelineRow[]>`select ${columns(sql)} from timeline t where event_id = ${eventId}`
    return row
  },

  /**
   * Every event of a transaction's life, in the order of the ledger: its own and those of its challenges, their effects
   * that are about nothing else, and their causes. With `account`, events of other accounts are left out.
   */
  async lifeOf(transactionId: string, account?: string): Promise<TimelineRow[]> {
    const own = await sql<TimelineRow[]>`
      with recursive ${subjects(sql, transactionId)}
      select ${columns(sql)} from timeline t where ${ofLife(sql, transactionId)} order by t.position limit ${LIFE_EVENTS_MAX}`
    // These are several queries, because in one PostgreSQL would read the whole table rather than look each event up.
    const effects = await followed(own, (rows) => {
      const ids = rows.map(({ eventId }) => eventId)
      return sql<TimelineRow[]>`
        select ${columns(sql)} from timeline t where t.causation_id = any (${array(ids)}::text[]) and t.subject is null limit ${LIFE_EVENTS_MAX}`
    })
    const causes = await followed(own, async (rows) => {
      const ids = rows.flatMap(({ causationId }) =>
        causationId !== null && UUID.test(causationId) ? [causationId] : [],
      )
      return sql<TimelineRow[]>`select ${columns(sql)} from timeline t where t.event_id = any (${array(ids)}::uuid[])`
    })
    const all = new Map([...own, ...effects, ...causes].map((row) => [row.position, row]))
    return [...all.values()]
      .filter(({ accountId }) => account === undefined || accountId === null || accountId === account)
      .sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))
      .slice(0, LIFE_EVENTS_MAX)
  },
})

/** UUIDs as PostgreSQL writes an array; they need no quotes. */
const array = (ids: readonly string[]): string => `{${ids.join(',')}}`

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The rows that `next` finds for some rows, and for those in turn, as long as there are new ones. */
const followed = async (
  from: readonly TimelineRow[],
  next: (rows: readonly TimelineRow[]) => Promise<TimelineRow[]>,
) => {
  const known = new Set(from.map(({ position }) => position))
  const found: TimelineRow[] = []
  let rows = from
  for (let depth = 0; rows.length > 0 && depth < DEPTH_MAX && found.length < LIFE_EVENTS_MAX; depth++) {
    rows = (await next(rows)).filter(({ position }) => !known.has(position))
    for (const { position } of rows) known.add(position)
    found.push(...rows)
  }
  return found
}

const columns = (sql: Sql): Fragment => sql`
  t.position::text, t.at, t.type, t.stream, t.revision::text, t.event_id as "eventId", t.correlation_id as "correlationId",
  t.causation_id as "causationId", t.actor, t.account_id as "accountId",
  coalesce(t.transaction_id, (select min(l.transaction_id) from timeline_links l where l.subject = t.subject)) as "transactionId"`

/** All subjects of a transaction's life: the transaction itself, and everything that belongs to it, directly or not. */
const subjects = (sql: Sql, transactionId: string): Fragment => sql`
  subjects (subject) as (
    select ${transactionId}::text union select l.subject from timeline_links l join subjects s on l.parent = s.subject
  )`

/** The condition for events about these subjects, without those that name another transaction themselves. */
const ofLife = (sql: Sql, transactionId: string): Fragment => sql`
  t.subject in (select subject from subjects) and (t.transaction_id is null or t.transaction_id = ${transactionId})`

type TimelineConditions = Required<{ [K in keyof TimelineFilter]: (value: NonNullable<TimelineFilter[K]>) => Fragment }>

const timelineCondition = (sql: Sql, filter: TimelineFilter): Fragment => {
  const conditions: TimelineConditions = {
    account: (account) => sql`t.account_id = ${account}`,
    type: (type) => sql`t.type = ${type}`,
    typePrefix: (prefix) => sql`starts_with(t.type, ${prefix})`,
    streamPrefix: (prefix) => sql`starts_with(t.stream, ${prefix})`,
    transaction: (id) => ofLife(sql, id),
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

/**
 * The timeline of one account as an auditor searches it, newest first: every search looks at a bounded number of
 * events.
 */

/** The most events that one page of a search looks through; older ones are left to the next page. */
const SEARCH_EVENTS_MAX = 50_000
/** Milliseconds around a time in which its events are looked for: clocks of several processes differ by less. */
const CLOCKS_MS = 300_000
/** The latest time that is searched for: times are compared as text, which does not work for years of five digits. */
const LATEST_MS = Date.UTC(9999, 11, 31)

type TimelineSearch = Omit<TimelineFilter, 'account' | 'after'> & {
  readonly account: string
  /** A text that is part of a type, a stream or an actor, or is an id. */
  readonly text?: string | undefined
}

type TimelinePage = {
  readonly rows: TimelineRow[]
  /** `before` of the next page; null where nothing older is left. */
  readonly next: string | null
}

export const timelineSearchQueries = (sql: Sql) => ({
  /** Searches the timeline; `most` is the number of events that are looked through. */
  async searchTimeline(wish: TimelineSearch, limit: number, most = SEARCH_EVENTS_MAX): Promise<TimelinePage> {
    const { account, before, text, ...rest } = wish
    const [first, last] = await Promise.all([
      wish.from === undefined ? undefined : placeOf(sql, account, Date.parse(wish.from) - CLOCKS_MS),
      wish.to === undefined ? undefined : placeOf(sql, account, Date.parse(wish.to) + CLOCKS_MS),
    ])
    const within = sql`account_id = ${account} ${before === undefined ? sql`` : sql`and position < ${String(before)}`}
      ${first === undefined ? sql`` : sql`and position >= ${first}`} ${last === undefined ? sql`` : sql`and position < ${last}`}`
    const fits = sql`${timelineCondition(sql, rest)} ${text === undefined ? sql`` : sql`and ${holds(sql, text)}`}`
    const isLookedUp = wish.correlationId !== undefined || wish.transaction !== undefined || UUID.test(text ?? '')
    const newest = isLookedUp ? sql`` : sql`order by timeline.position desc limit ${most}`
    const rows = await sql<TimelineRow[]>`
      with ${wish.transaction === undefined ? sql`` : sql`recursive ${subjects(sql, wish.transaction)},`}
      near as (select * from timeline where ${within} ${newest})
      select ${columns(sql)} from near t where ${fits} order by t.position desc limit ${limit + 1}`
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.position ?? null }
    if (isLookedUp) return { rows, next: null }
    const [end] = await sql<{ position: string }[]>`
      select t.position::text from timeline t where ${within} order by t.position desc offset ${most - 1} limit 1`
    return { rows, next: end?.position ?? null }
  },

  /** The event at a place, if it is the account's own. */
  async timelineAt(position: bigint, account: string): Promise<TimelineRow | undefined> {
    const [row] = await sql<TimelineRow[]>`
      select ${columns(sql)} from timeline t where position = ${String(position)} and account_id = ${account}`
    return row
  },

  /** The positions, of some, whose events are the account's own. */
  async ownPositions(account: string, positions: readonly string[]): Promise<string[]> {
    const rows = await sql<{ position: string }[]>`
      select position::text from timeline where position = any (${`{${positions.join(',')}}`}::bigint[]) and account_id = ${account}`
    return rows.map(({ position }) => position)
  },
})

const holds = (sql: Sql, text: string): Fragment =>
  UUID.test(text)
    ? sql`(t.event_id = ${text}::uuid or t.causation_id = ${text})`
    : sql`(strpos(lower(t.type), lower(${text})) > 0 or strpos(lower(t.stream), lower(${text})) > 0
        or strpos(lower(t.actor), lower(${text})) > 0 or t.correlation_id = ${text} or t.transaction_id = ${text})`

/**
 * The approximate position of a time in the log. Times rise with positions, except for differences of clocks, so that a
 * binary search finds it.
 */
const placeOf = async (sql: Sql, account: string, ms: number): Promise<string> => {
  const time = new Date(Math.min(ms, LATEST_MS)).toISOString()
  const [ends] = await sql<{ low: string | null; high: string | null }[]>`
    select (select position from timeline where account_id = ${account} order by timeline.position limit 1)::text as low,
      (select position + 1 from timeline where account_id = ${account} order by timeline.position desc limit 1)::text as high`
  let [low, high] = [BigInt(ends?.low ?? 0), BigInt(ends?.high ?? 0)]
  while (low < high) {
    const middle = (low + high) / 2n
    const [row] = await sql<{ position: string; at: string }[]>`
      select t.position::text, t.at from timeline t where t.account_id = ${account} and t.position >= ${String(middle)}
      order by t.position limit 1`
    if (row && row.at < time) low = BigInt(row.position) + 1n
    else high = middle
  }
  return String(low)
}
