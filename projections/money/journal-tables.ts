import type { View } from '../../domain/reading/books/entry.ts'

/** The tables of a journal: of the common one, or of the books of one of those whom it concerns. */
export type JournalTables = {
  readonly postings: string
  readonly sums: string
  readonly blocks: string
  /** Whose books they are, where the tables hold those of many. */
  readonly view?: View
}

export const COMMON: JournalTables = { postings: 'postings', sums: 'journal_sums', blocks: 'journal_blocks' }

/** The tables of the books of one of them. */
export const booksOf = (view: View): JournalTables => ({
  postings: 'book_postings',
  sums: 'book_sums',
  blocks: 'book_blocks',
  view,
})
