import { Readable } from 'node:stream'
import { SEALS_STREAM } from '../../../domain/log/seals.ts'
import type { Books } from '../../books.ts'
import { destinationOf } from '../exports/destination.ts'
import type { Output } from '../output.ts'
import { witnessedLog } from './witnessed-log.ts'

/**
 * Writes every event as the line that is sealed: with a public key that is all that is needed to check the log
 * elsewhere. The lines are written also when nothing is sealed, or when this is not the log that was witnessed here; it
 * is said then, because nobody can rely on them.
 */
export const exportLines = async (
  books: Books,
  out: Output,
  options: { out?: string; witness: string },
): Promise<void> => {
  const destination = await destinationOf(books, out, options.out)
  const store = await books.store()
  const head = await store.head()
  const found = await witnessedLog(books, options.witness)
  const isSealed = (await Array.fromAsync(store.read(SEALS_STREAM))).length > 0
  const warning = found.fits
    ? isSealed
      ? undefined
      : NOTHING_SEALED
    : `this is not the log that was sealed: ${found.words}`
  if (warning !== undefined) out.remark(`Careful: ${warning}`)
  const written = await destination.take(Readable.from(textOf(books.lines(-1n, head)), { objectMode: false }))
  if (written)
    await out.tell(
      { ...written, warning: warning ?? null },
      `Wrote ${written.file}, ${written.bytes} bytes, SHA-256 ${written.sha256}.`,
    )
}

const NOTHING_SEALED = 'nothing in this log is sealed, so these lines prove nothing; daybook audit seal'

async function* textOf(pages: ReturnType<Books['lines']>): AsyncGenerator<string> {
  for await (const page of pages) if (page.length > 0) yield `${page.map(({ line }) => line).join('\n')}\n`
}
