import { differsInBooks } from '../../reading/reconciliation/compare.ts'
import {
  type LonePosting,
  type LoneTransaction,
  postingLine,
  type ReconciledLine,
  transactionLine,
  transferLine,
} from '../../reading/reconciliation/line.ts'
import type { BookedTransfer } from '../../reading/reconciliation/transfer.ts'
import { type LookBounds, type LookContext, lookAtTransfers } from './look-at-transfers.ts'

/** Transactions, journal and chain held against each other, page by page, so that their number does not matter. */

/** Which of them, and by which time a period counts. */
export type ReconcileWish = {
  readonly accountId?: string | undefined
  readonly stores?: readonly number[] | undefined
  readonly test: boolean
  /** ISO 8601 in UTC, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly by?: 'settled' | 'mined' | undefined
}

type TransactionKey = { readonly accountId: string; readonly number: string }
type PostingKey = { readonly view: string; readonly position: string; readonly line: number }

/** What is read for it; each list comes in a fixed order, after a key. */
export type ReconcileRows = {
  reconciledTransfers(wish: ReconcileWish, after: string, limit: number): Promise<readonly BookedTransfer[]>
  /** The transfers at some places as they are now. */
  reconciledAgain(places: readonly string[]): Promise<readonly BookedTransfer[]>
  reconciledTransferCount(wish: ReconcileWish): Promise<bigint>
  /** Completed transactions that no transfer settled. */
  loneTransactions(
    wish: ReconcileWish,
    after: TransactionKey,
    limit: number,
  ): Promise<readonly { readonly key: TransactionKey; readonly transaction: LoneTransaction }[]>
  /** Postings of receipts whose event booked no transfer. */
  lonePostings(
    wish: ReconcileWish,
    after: PostingKey,
    limit: number,
  ): Promise<readonly { readonly key: PostingKey; readonly posting: LonePosting }[]>
}

/** Where the next page begins. */
export type ReconcileCursor =
  | { readonly part: 'transfers'; readonly after: string }
  | { readonly part: 'transactions'; readonly after: TransactionKey }
  | { readonly part: 'postings'; readonly after: PostingKey }

export const FIRST_PAGE: ReconcileCursor = { part: 'transfers', after: '-1' }
const FIRST_TRANSACTION: ReconcileCursor = { part: 'transactions', after: { accountId: '', number: '0' } }
const FIRST_POSTING: ReconcileCursor = { part: 'postings', after: { view: '', position: '-1', line: 0 } }

export type ReconcilePage = {
  readonly lines: readonly ReconciledLine[]
  /** Undefined on the last page. */
  readonly next: ReconcileCursor | undefined
  /** How many chain transactions were asked for. */
  readonly looks: number
}

/** Milliseconds after which what differs is read again: one read model may be a moment ahead of another. */
const AGAIN_MS = 300

/** A page has transfers, transactions without one, or postings without one: the three follow upon each other. */
export const reconcilePage = async (
  rows: ReconcileRows,
  context: LookContext,
  wish: ReconcileWish,
  cursor: ReconcileCursor,
  { limit, ...bounds }: LookBounds & { readonly limit: number },
): Promise<ReconcilePage> => {
  if (cursor.part === 'transfers') {
    const found = await readTransfers(rows, context, wish, cursor.after, limit)
    const looks = await lookAtTransfers(context, found, bounds)
    const last = found.at(-1)
    const next = last && found.length >= limit ? { part: cursor.part, after: last.place } : FIRST_TRANSACTION
    return { lines: found.map((each) => transferLine(each, looks.of(each))), next, looks: looks.count }
  }
  if (cursor.part === 'transactions') {
    const found = await rows.loneTransactions(wish, cursor.after, limit)
    const last = found.at(-1)
    const next = last && found.length >= limit ? { part: cursor.part, after: last.key } : afterTransactions(wish)
    return { lines: found.map(({ transaction }) => transactionLine(transaction)), next, looks: 0 }
  }
  const found = await rows.lonePostings(wish, cursor.after, limit)
  const last = found.at(-1)
  const next = last && found.length >= limit ? { part: cursor.part, after: last.key } : undefined
  return { lines: found.map(({ posting }) => postingLine(posting)), next, looks: 0 }
}

/** A test moves no money, and the books of an account are not those of one of its stores. */
const afterTransactions = ({ test, stores }: ReconcileWish): ReconcileCursor | undefined =>
  test || stores !== undefined ? undefined : FIRST_POSTING

const readTransfers = async (
  rows: ReconcileRows,
  { world }: LookContext,
  wish: ReconcileWish,
  after: string,
  limit: number,
): Promise<readonly BookedTransfer[]> => {
  const found = await rows.reconciledTransfers(wish, after, limit)
  const doubtful = found.filter(differsInBooks).map(({ place }) => place)
  if (doubtful.length === 0) return found
  await world.pause(AGAIN_MS)
  const again = new Map((await rows.reconciledAgain(doubtful)).map((each) => [each.place, each]))
  return found.map((each) => again.get(each.place) ?? each)
}
