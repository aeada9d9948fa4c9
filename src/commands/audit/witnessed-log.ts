import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import { compareHeads, type HeadComparison } from '../../parts/witnessed.ts'

/** What the journal of heads says of the log that a command works on. */
export const witnessedLog = async (books: Books, journal: string): Promise<HeadComparison> =>
  compareHeads({ store: await books.store(), lines: books.lines }, journal)

/** Rejects with CommandFailure when the log does not contain the newest head that was witnessed here. */
export const mustBeWitnessed = async (books: Books, journal: string): Promise<void> => {
  const found = await witnessedLog(books, journal)
  if (!found.fits) throw new CommandFailure(found.words)
}
