import { mixedBooks } from './mixed-books.ts'
import { KINDS } from './mixed-month.ts'

/** A month of every kind of sale over HTTP. */
mixedBooks(Object.keys(KINDS))
