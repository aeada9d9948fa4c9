import type { ISql } from 'postgres'
import { placesBetween } from './journal-cut.ts'
import { balancesAt } from './journal-sums.ts'

/**
 * The statement of one account: its balances before, each posting with the balance after it, and its balances at the
 * end.
 */

/** Most lines of one page of a statement. */
const STATEMENT_LINES_MAX = 1_000
/** A number of lines that no event reaches on one account. */
const EVENT_LINES_MAX = 16

export type StatementWish = {
  readonly account: string
  readonly asset?: string | undefined
  /** Times in ISO 8601 UTC with milliseconds, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Only lines after this place of the ledger's own order. */
  readonly after?: bigint | undefined
  /** About how many lines a page has, because no event is split; at most STATEMENT_LINES_MAX. */
  readonly limit?: number | undefined
}

export type StatementLine = {
  /** Place of its event in the ledger's own order. */
  readonly order: string
  readonly at: string
  readonly type: string
  readonly stream: string
  readonly eventId: string
  readonly asset: string
  readonly amount: string
  /** The balance of the account in the asset after it. */
  readonly balance: string
  /** The other accounts of the event. */
  readonly others: readonly string[]
}

/** The balances of an account, keyed by asset. */
export type Holdings = Readonly<Record<string, string>>

export type Statement = {
  /** Balances before the first line of this page. */
  readonly opening: Holdings
  readonly lines: readonly StatementLine[]
  /** Balances after the last line of this page. */
  readonly closing: Holdings
  /** The place after which the next page begins; undefined on the last one. */
  readonly next: bigint | undefined
}

/** One page of a statement. It has to be asked inside one transaction that sees one moment of the database. */
export const statementOf = async (sql: ISql, wish: StatementWish): Promise<Statement> => {
  const opening = await openingOf(sql, wish)
  const limit = Math.min(wish.limit ?? STATEMENT_LINES_MAX, STATEMENT_LINES_MAX)
  const found = await rowsOf(sql, wish, limit + EVENT_LINES_MAX)
  const cut = found.findIndex(({ order }, at) => at >= limit && order !== found[at - 1]?.order)
  const held = new Map(Object.entries(opening).map(([asset, amount]) => [asset, BigInt(amount)]))
  const lines = (cut === -1 ? found : found.slice(0, cut)).map(({ others, ...row }) => {
    const balance = (held.get(row.asset) ?? 0n) + BigInt(row.amount)
    held.set(row.asset, balance)
    return { ...row, balance: String(balance), others: others?.split(' ') ?? [] }
  })
  const closing = Object.fromEntries([...held].map(([asset, amount]) => [asset, String(amount)]))
  const last = lines.at(-1)
  return { opening, lines, closing, next: cut === -1 || !last ? undefined : BigInt(last.order) }
}

/** The balances before this page: what came before `from`, and what the pages before this one have. */
const openingOf = async (sql: ISql, { account, asset, from, to, after }: StatementWish): Promise<Holdings> => {
  const held = new Map<string, bigint>()
  const add = async (sign: bigint, at: string | undefined, order?: bigint) => {
    for (const row of await balancesAt(sql, { at, order }, { accounts: [account], asset }))
      held.set(row.asset, (held.get(row.asset) ?? 0n) + sign * BigInt(row.amount))
  }
  const before = from && justBefore(from)
  if (before) await add(1n, before)
  if (after !== undefined) {
    await add(1n, to, after)
    if (before) await add(-1n, before, after)
  }
  return Object.fromEntries([...held].map(([code, amount]) => [code, String(amount)]))
}

type Row = Omit<StatementLine, 'balance' | 'others'> & { readonly others: string | null }

const rowsOf = async (sql: ISql, { account, asset, from, to, after }: StatementWish, limit: number): Promise<Row[]> => {
  const places = await placesBetween(sql, { from, to })
  if (!places) return []
  const first = after !== undefined && after >= places.from ? after + 1n : places.from
  return sql<Row[]>`
    select position as "order", at, event_type as type, stream, event_id as "eventId", asset, amount::text as amount, (
      select string_agg(distinct o.account, ' ' order by o.account) from postings o
      where o.position = p.position and o.account <> p.account) as others
    from postings p
    where account = ${account} and position between ${String(first)} and ${String(places.to)}
      ${asset === undefined ? sql`` : sql`and asset = ${asset}`}
      ${from === undefined ? sql`` : sql`and at >= ${from}`} ${to === undefined ? sql`` : sql`and at <= ${to}`}
    order by position, line limit ${limit}`
}

/** The time one millisecond earlier: times have milliseconds. */
export const justBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString()
