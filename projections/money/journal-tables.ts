import type { ZoneClock } from '../../domain/kernel/calendar.ts'
import type { View } from '../../domain/reading/books/entry.ts'

/** The tables of a journal: of the common one, or of the books of one of those whom it concerns. */
export type JournalTables = {
  readonly postings: string
  readonly sums: string
  readonly blocks: string
  /** The transactions of challenges and payments by card. */
  readonly sales: string
  /** What transactions are called outside of the books, where the books say so. */
  readonly documents?: string
  /** Whose books they are, where the tables hold those of many. */
  readonly view?: View
}

export const COMMON: JournalTables = {
  postings: 'postings',
  sums: 'journal_sums',
  blocks: 'journal_blocks',
  sales: 'journal_sales',
}

/**
 * The time that says into which period a posting falls: when its event was recorded, which nothing changes any more, or
 * when its coins were mined.
 */
export type BookTime = 'settled' | 'mined'

/** The postings of books by the time at which their coins were mined; what came by no chain keeps its own. */
export const MINED_POSTINGS = `(select view, position, line, account, asset, amount, kind, event_type,
  coalesce(mined_at, at) as at, stream, event_id, transaction_id, challenge_id, hash, payer, fiat_amount, fiat_currency,
  rate, order_id, document, counterparty, value_usd, value, value_currency, rate_source from book_postings) m`

/** The tables of the books of one of them. */
export const booksOf = (view: View): JournalTables => ({
  postings: 'book_postings',
  sums: 'book_sums',
  blocks: 'book_blocks',
  sales: 'book_sales',
  documents: 'book_documents',
  view,
})

/** What an export is of. */
export type JournalSelection = {
  /** Whose books: the common journal unless given. */
  readonly view?: View | undefined
  /** The time that counts in somebody's books; `settled` unless given. */
  readonly by?: BookTime | undefined
  /** `acc_…`, `usr_…` or `app_…`: every event that touches one of its accounts, with all the postings of that event. */
  readonly owner?: string | undefined
  /** Times of the first and last postings that count, both included. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** The last place in the ledger's own order that counts: with it, an export is the same as it was made then. */
  readonly reached?: bigint | undefined
  /** The clocks that say on which day something was; those of UTC unless given. */
  readonly clock?: ZoneClock | undefined
  /**
   * As a former release wrote it, for an export that is made again: 1 without transaction and worth, 2 without order,
   * document, counterparty and values.
   */
  readonly release?: 1 | 2 | undefined
}
