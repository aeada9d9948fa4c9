import type { View } from '../../domain/reading/books/entry.ts'

/** The tables of a journal: of the common one, or of the books of one of those whom it concerns. */
export type JournalTables = {
  readonly postings: string
  readonly sums: string
  readonly blocks: string
  /** The transactions of challenges and payments by card. */
  readonly sales: string
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
  rate from book_postings) m`

/** The tables of the books of one of them. */
export const booksOf = (view: View): JournalTables => ({
  postings: 'book_postings',
  sums: 'book_sums',
  blocks: 'book_blocks',
  sales: 'book_sales',
  view,
})
