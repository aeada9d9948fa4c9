import { Readable } from 'node:stream'
import { SEALS_STREAM } from '../../../domain/audit/seals.ts'
import type { Books } from '../../books/books.ts'
import type { Output } from '../../console/output.ts'
import { type DestinationWish, destinationOf } from '../exports/destination.ts'
import { takeTied, tiedReport, tiedText } from '../exports/tied-file.ts'
import { witnessedLog } from './witnessed-log.ts'

/**
 * Writes every event as the line that is sealed: with a public key that is all that is needed to check the log
 * elsewhere. The lines are written also when nothing is sealed, or when this is not the log that was witnessed here; it
 * is said then, because nobody can rely on them.
 */
export const exportLines = async (
  books: Books,
  out: Output,
  options: DestinationWish & { witness: string },
): Promise<void> => {
  const destination = await destinationOf(books, out, options)
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
  let last: bigint | undefined
  const lines = Readable.from(
    textOf(books.lines(-1n, head), (order) => (last = order)),
    { objectMode: false },
  )
  const written = await takeTied(books, destination, lines, async () => ({
    export: 'log' as const,
    account: null,
    from: null,
    to: null,
    position: last === undefined ? null : String(last),
  }))
  if (!written) return
  const { file, bytes, sha256 } = written
  await out.tell(
    { ...tiedReport(written), warning: warning ?? null },
    `Wrote ${file}, ${bytes} bytes, SHA-256 ${sha256}.\n${tiedText(written)}`,
  )
}

const NOTHING_SEALED = 'nothing in this log is sealed, so these lines prove nothing; daybook audit seal'

async function* textOf(pages: ReturnType<Books['lines']>, reached: (order: bigint) => void): AsyncGenerator<string> {
  for await (const page of pages) {
    const last = page.at(-1)
    if (!last) continue
    reached(last.order)
    yield `${page.map(({ line }) => line).join('\n')}\n`
  }
}
