import { z } from 'zod'
import type { ZoneClock } from '../../../../domain/kernel/calendar.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../../domain/selling/transactions/open-record.ts'
import { WRITABLE_KEYS } from '../../../../domain/selling/transactions/transaction-edits.ts'
import { RECORD_KEYS } from '../../../../domain/selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import type {
  TransactionFilter,
  TransactionRow,
} from '../../../../projections/selling/transactions/transaction-queries.ts'
import { openedCsv } from '../../../csv/opened.ts'
import { inScope, listsTests, maySee, storesOf } from '../../core/actor.ts'
import { type Actor, Reply } from '../../core/endpoint.ts'
import type { Downloads } from '../common/downloads.ts'
import { isTest, page } from '../common/paging.ts'
import { From, To } from '../common/times.ts'

/** A merchant's transactions as the JSON API and the console both show them. */

/** Keys that a record has only once they were written. */
const ADDED = WRITABLE_KEYS.filter((key) => key !== 'is_test' && !RECORD_KEYS.some((known) => known === key))

export const TransactionShape = z
  .object(
    Object.fromEntries([...RECORD_KEYS, 'is_test'].map((key) => [key, z.string()])) as Record<string, z.ZodString>,
  )
  .extend({ refunded_time: z.string().optional() })
  .extend({ paid_by: z.literal('card').optional(), refunded_amount: z.string().optional() })
  .extend({ received_amount: z.string().optional() })
  .extend({ refund_status: z.enum(['recorded', 'pending', 'sent']).optional() })
  .extend({ refund_sent_amount: z.string().optional(), refund_hash: z.string().optional() })
  .extend({ by: z.literal('hand').optional() })
  .extend({ edited_by_hand: z.string().optional(), edited_time: z.string().optional() })
  .extend({ dispute: z.enum(['open', 'won', 'lost']).optional() })
  .extend(Object.fromEntries(ADDED.map((key) => [key, z.string().optional()])))
  .meta({
    id: 'Transaction',
    description:
      'Every value is a string; times are YYYY-MM-DD HH:MM:SS UTC. `edited_by_hand`: the keys whose values the merchant wrote by hand, with commas between; `edited_time`: when that was done last. A payment that is confirmed later replaces what was written over it.',
  })

const TEXT_MAX = 200

/** The number of a store. */
const StoreId = z
  .string()
  .regex(/^\d{1,9}$/, 'has to be the number of a store')
  .transform(Number)

const Words = z.string().max(TEXT_MAX).optional()
/** A bound of the price in its own currency. */
const Price = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,6})?$/, 'has to be a plain decimal number with at most 6 digits after the point')
  .optional()
/** The code of a coin; case does not matter. */
const Coin = z
  .string()
  .max(TEXT_MAX)
  .transform((code) => code.toLowerCase())
  .optional()

/**
 * The filters of the list; all that are given must hold (J-TXN-02, N-36). Some have several names: document 1 says
 * `search` and asset, document 3 `cryptocurrency_code`, and the record itself `cryptocurrency`.
 */
export const filters = {
  transaction_id: Words,
  type: Words,
  status: z.enum(['P', 'C', 'X']).optional(),
  asset: Coin,
  cryptocurrency: Coin,
  cryptocurrency_code: Coin,
  store_id: StoreId.optional(),
  from: From.optional(),
  date_from: From.optional(),
  to: To.optional(),
  date_to: To.optional(),
  amount_from: Price,
  amount_to: Price,
  search: Words,
  q: Words,
  is_test: isTest,
}
export const Filters = z.object(filters)

export type Wish = z.output<typeof Filters>

/** The transaction after which a page of the list goes on, so that a page far down costs what the first one does. */
export const before = {
  before: z
    .string()
    .regex(/^\d{1,20}$/, 'has to be the number of a transaction')
    .optional(),
}

const filterOf = (wish: Wish, actor: Actor): TransactionFilter => ({
  id: wish.transaction_id,
  type: wish.type,
  status: wish.status,
  asset: oneOf(wish, ['asset', 'cryptocurrency', 'cryptocurrency_code']),
  from: oneOf(wish, ['from', 'date_from']),
  to: oneOf(wish, ['to', 'date_to']),
  amountFrom: wish.amount_from,
  amountTo: wish.amount_to,
  q: oneOf(wish, ['search', 'q']),
  stores: storesOf(actor, wish.store_id),
  test: listsTests(actor, wish.is_test),
})

/** The value of a filter that has several names. Refuses `invalid-request` for two of them that differ. */
const oneOf = (wish: Wish, names: readonly (keyof Wish)[]): string | undefined => {
  const values = new Set(names.flatMap((name) => wish[name] ?? []).map(String))
  if (values.size > 1)
    refuse('invalid-request', `${names.join(', ')}: they mean the same, and differ here. Send one of them.`)
  return [...values][0]
}

export const Listed = z.object({
  transactions: z.array(TransactionShape),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})

/** A page of the list, newest first. */
export const transactionList = async (
  { vault }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  query: Wish & ListPlace,
) => {
  const { limit, offset } = page.of(query)
  const filter = filterOf(query, actor)
  const [rows, total] = await Promise.all([
    pageOf(queries, actor, filter, query),
    queries.transactionCount(actor.accountId, filter),
  ])
  const transactions = await Promise.all(rows.map((row) => openRecord(vault, row.id, row)))
  return { transactions, pagination: { total, limit, offset } }
}

/** Where a page of the list begins, and how long it is. */
type ListPlace = { limit?: number | undefined; offset?: number | undefined; before?: string | undefined }

/** The rows of a page of the list, newest first; nothing in them is opened. */
export const transactionRows = (
  queries: Queries,
  actor: Actor,
  query: Wish & ListPlace,
): Promise<readonly TransactionRow[]> => pageOf(queries, actor, filterOf(query, actor), query)

const pageOf = async (queries: Queries, { accountId }: Actor, filter: TransactionFilter, place: ListPlace) => {
  const { limit, offset } = page.of(place)
  const number = place.before && (await queries.transactionNumber(accountId, place.before))
  if (place.before !== undefined && number === undefined)
    return refuse('invalid-request', 'before: this account has no such transaction. Leave it out for the newest ones.')
  return await queries.transactions(accountId, { ...filter, ...(number && { before: number }) }, limit, offset)
}

/** The list as CSV, whole, oldest first; `clock`: with the times of those clocks. */
export const transactionDownload = async (
  downloads: Downloads,
  { vault, world }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  query: Wish,
  clock?: ZoneClock,
): Promise<Reply> => {
  const zoned = clock && { clock, now: world.now().toISOString() }
  const filter = filterOf(query, actor)
  const csv = await downloads.start(actor.accountId, () =>
    openedCsv(queries, async () => vault, actor.accountId, filter, { zoned }),
  )
  return new Reply(200, csv, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="transactions.csv"',
  })
}

/** The record of a transaction that the caller may see. */
export const shownTransaction = async (
  { vault }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  transactionId: string,
) => {
  const row = await ownRow(queries, actor, transactionId)
  return openRecord(vault, row.id, row)
}

/**
 * A transaction is not found when it is another tenant's (X-TEN-01), of a store that the key is not for, or deleted.
 */
export const ownRow = async (queries: Queries, actor: Actor, transactionId: string): Promise<TransactionRow> => {
  const row = await queries.transaction(actor.accountId, transactionId)
  return row && maySee(actor, row) && inScope(actor, row.storeId) ? row : refuse('transaction-not-found')
}
