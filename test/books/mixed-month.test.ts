import { mixedBooks } from './mixed-books.ts'

/** The kinds of sale that no other test of the books plays over HTTP; all of them are in the deep run. */
mixedBooks([
  'exact',
  'a cart with VAT',
  'by card, and a part of it back',
  'a standing order',
  "a seller's credit",
  'an automatic standing order',
])
