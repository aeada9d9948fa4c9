import type { Fragment, Sql } from 'postgres'
import { columns, subjects, type TimelineFilter, type TimelineRow, timelineCondition } from './timeline-queries.ts'

/**
 * The timeline of one account as an auditor searches it, newest first: every question looks at so many events at the
 * most.
 */

/** Events that one page of a search looks through. What is older is the next page's. */
const SEARCH_EVENTS_MAX = 50_000
/** Clocks of several processes differ by less; so far beside a time its events are looked for. */
const CLOCKS_MS = 300_000
/** Times are compared as text, which years of five digits would not stand. */
const LATEST_MS = Date.UTC(9999, 11, 31)
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type TimelineSearch = Omit<TimelineFilter, 'account' | 'after'> & {
  readonly account: string
  /** Stands in a type, a stream or an actor, or is an id. */
  readonly text?: string | undefined
}

export type TimelinePage = {
  readonly rows: TimelineRow[]
  /** `before` of the next page; null where nothing older is left. */
  readonly next: string | null
}

export const timelineSearchQueries = (sql: Sql) => ({
  /** @param most events that are looked through */
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
    const newest = isLookedUp ? sql`` : sql`order by position desc limit ${most}`
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

  /** Those of some places whose events are the account's own. */
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
 * About where in the log a time is: times rise with places but for what clocks differ, so the place is found by halves.
 */
const placeOf = async (sql: Sql, account: string, ms: number): Promise<string> => {
  const time = new Date(Math.min(ms, LATEST_MS)).toISOString()
  const [ends] = await sql<{ low: string | null; high: string | null }[]>`
    select (select position from timeline where account_id = ${account} order by position limit 1)::text as low,
      (select position + 1 from timeline where account_id = ${account} order by position desc limit 1)::text as high`
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
