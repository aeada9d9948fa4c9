import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../../domain/selling/transactions/open-record.ts'
import { WRITABLE_KEYS } from '../../../../domain/selling/transactions/transaction-edits.ts'
import { RECORD_KEYS } from '../../../../domain/selling/transactions/transaction-record.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { TransactionRow } from '../../../../projections/selling/transaction-queries.ts'
import { openedCsv } from '../../../opened-csv.ts'
import { inScope, maySee, storesOf } from '../../core/actor.ts'
import { type Actor, Reply } from '../../core/endpoint.ts'
import type { Downloads } from '../common/downloads.ts'
import { page } from '../common/paging.ts'
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
  .extend({ dispute: z.enum(['open', 'won', 'lost']).optional() })
  .extend(Object.fromEntries(ADDED.map((key) => [key, z.string().optional()])))
  .meta({ id: 'Transaction', description: 'Every value is a string; times are YYYY-MM-DD HH:MM:SS UTC.' })

const TEXT_MAX = 200

/** The number of a store. */
const StoreId = z
  .string()
  .regex(/^\d{1,9}$/, 'the number of a store')
  .transform(Number)

/**
 * The filters of the list; all that are given must hold (J-TXN-02, N-36). `asset` and `cryptocurrency` mean the same.
 */
export const filters = {
  type: z.string().max(TEXT_MAX).optional(),
  status: z.enum(['P', 'C', 'X']).optional(),
  asset: z.string().max(TEXT_MAX).optional(),
  cryptocurrency: z.string().max(TEXT_MAX).optional(),
  store_id: StoreId.optional(),
  from: From.optional(),
  to: To.optional(),
  q: z.string().max(TEXT_MAX).optional(),
}
const Filters = z.object(filters)

const filterOf = (
  { cryptocurrency, asset = cryptocurrency, store_id, ...rest }: z.output<typeof Filters>,
  actor: Actor,
) => ({ ...rest, asset, stores: storesOf(actor, store_id), ...(actor.testOnly && { test: true }) })

type Wish = z.output<typeof Filters>

export const Listed = z.object({
  transactions: z.array(TransactionShape),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})

/** A page of the list, newest first. */
export const transactionList = async (
  { vault }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  query: Wish & { limit?: number | undefined; offset?: number | undefined },
) => {
  const { limit, offset } = page.of(query)
  const filter = filterOf(query, actor)
  const [rows, total] = await Promise.all([
    queries.transactions(actor.accountId, filter, limit, offset),
    queries.transactionCount(actor.accountId, filter),
  ])
  const transactions = await Promise.all(rows.map((row) => openRecord(vault, row.id, row)))
  return { transactions, pagination: { total, limit, offset } }
}

/** The list as CSV, whole, oldest first. */
export const transactionDownload = async (
  downloads: Downloads,
  { vault }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  query: Wish,
): Promise<Reply> => {
  const filter = filterOf(query, actor)
  const csv = await downloads.start(actor.accountId, () =>
    openedCsv(queries, async () => vault, actor.accountId, filter),
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
