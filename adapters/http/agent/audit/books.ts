import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { accountsOf, decimalsOf } from '../../../../domain/reading/journal.ts'
import { endpoint } from '../../core/endpoint.ts'
import { page } from '../common/paging.ts'
import { From, To } from '../common/times.ts'
import { Position, reads } from './fields.ts'

/**
 * The books of the caller's account as of any time: balances, how they came to be, and each posting behind them.
 */

/** Points of a chart; each costs a few questions to the database. */
const POINTS_DEFAULT = 30
const POINTS_MAX = 60
const SERIES_DAYS = 30
const DAY_MS = 86_400_000

const DESCRIBED = 'Exact: `amount` in the smallest unit of the asset, `value` in whole ones.'
const money = { amount: z.string(), value: z.string() }
const Balance = z
  .object({ account: z.string(), asset: z.string(), ...money })
  .meta({ id: 'BookBalance', description: DESCRIBED })

const balances = endpoint({
  ...reads,
  path: '/v1/audit/books',
  summary: 'What the account holds in each of its books, now or as of a time or a position of the log',
  query: z.object({ as_of: To.optional(), position: Position.optional() }),
  returns: z.object({
    as_of: z.string().nullable(),
    accounts: z.array(Balance),
    totals: z.array(z.object({ asset: z.string(), ...money })),
  }),
  async answer({ query: { as_of, position }, actor, queries }) {
    const rows = await queries.trialBalance({ at: as_of, order: position }, actor.accountId)
    const sums = new Map<string, bigint>()
    for (const { asset, amount } of rows) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount))
    return {
      as_of: as_of ?? null,
      accounts: rows.map(({ account, asset, amount }) => ({ account, asset, ...exact(asset, amount) })),
      totals: [...sums].map(([asset, amount]) => ({ asset, ...exact(asset, String(amount)) })),
    }
  },
})

const series = endpoint({
  ...reads,
  path: '/v1/audit/books/series',
  summary:
    'What each of the account’s books held at points of time, for charts; the last 30 days unless asked otherwise',
  query: z.object({
    from: From.optional(),
    to: To.optional(),
    points: z.coerce.number().pipe(z.int().min(2).max(POINTS_MAX)).optional(),
  }),
  returns: z.object({
    times: z.array(z.string()),
    series: z.array(z.object({ account: z.string(), asset: z.string(), values: z.array(z.string()) })),
  }),
  async answer({ query, actor, queries, flow }) {
    const owner = actor.accountId
    const times = timesOf(query, flow.world.now())
    const points = await queries.balanceSeries({ owner }, times)
    const kinds = new Map(points.flatMap(({ balances: rows }) => rows.map((row) => [keyOf(row), row] as const)))
    const held = points.map(({ balances: rows }) => new Map(rows.map((row) => [keyOf(row), row.amount])))
    return {
      times,
      series: [...kinds].map(([key, { account, asset }]) => ({
        account,
        asset,
        values: held.map((at) => exact(asset, at.get(key) ?? '0').value),
      })),
    }
  },
})

const StatementLine = z
  .object({
    position: z.string(),
    at: z.string(),
    type: z.string(),
    stream: z.string(),
    event_id: z.string(),
    ...money,
    balance: z.string().describe('What the book held after it, in whole units.'),
    others: z.array(z.string()).describe('The other side: the accounts that it came from or went to.'),
  })
  .meta({ id: 'StatementLine', description: DESCRIBED })

const statement = endpoint({
  ...reads,
  path: '/v1/audit/books/statement',
  summary: 'Every posting of one of the account’s books in an asset, oldest first',
  query: z.object({
    account: z.string().max(200),
    asset: z.string().max(200),
    from: From.optional(),
    to: To.optional(),
    after: Position.optional(),
    limit: page.query.limit,
  }),
  returns: z.object({
    account: z.string(),
    asset: z.string(),
    opening: z.string(),
    lines: z.array(StatementLine),
    closing: z.string(),
    next: z.string().nullable().describe('`after` of the next page; null on the last one.'),
  }),
  refusals: ['not-found'],
  async answer({ query: { limit, ...wish }, actor, queries }) {
    if (!accountsOf(actor.accountId).includes(wish.account))
      return refuse(
        'not-found',
        'There is no journal account of this name in your books. Look for it in GET /v1/audit/books.',
      )
    const { opening, lines, closing, next } = await queries.accountStatement({
      ...wish,
      limit: page.of({ limit }).limit,
    })
    const { account, asset } = wish
    return {
      account,
      asset,
      opening: exact(asset, opening[asset] ?? '0').value,
      lines: lines.map(({ order, at, type, stream, eventId, amount, balance, others }) => ({
        position: order,
        at,
        type,
        stream,
        event_id: eventId,
        ...exact(asset, amount),
        balance: exact(asset, balance).value,
        others: [...others],
      })),
      closing: exact(asset, closing[asset] ?? '0').value,
      next: next === undefined ? null : String(next),
    }
  },
})

const exact = (asset: string, amount: string) => ({ amount, value: toDecimal(BigInt(amount), decimalsOf(asset)) })

const keyOf = ({ account, asset }: { account: string; asset: string }): string => `${account} ${asset}`

/** Points at equal distances, both ends included. */
const timesOf = (
  {
    from,
    to,
    points = POINTS_DEFAULT,
  }: { from?: string | undefined; to?: string | undefined; points?: number | undefined },
  now: Date,
): string[] => {
  const end = to === undefined ? now.getTime() : Date.parse(to)
  const start = from === undefined ? end - SERIES_DAYS * DAY_MS : Date.parse(from)
  if (start >= end) refuse('invalid-request', 'from: has to be before to')
  return Array.from({ length: points }, (_, n) => new Date(start + ((end - start) * n) / (points - 1)).toISOString())
}

export const bookEndpoints = [balances, series, statement]
