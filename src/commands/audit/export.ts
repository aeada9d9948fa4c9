import { Readable } from 'node:stream'
import type { Books } from '../../books.ts'
import { destinationOf } from '../exports/destination.ts'
import { takeTied, tiedReport, tiedText } from '../exports/tied-file.ts'
import type { Output } from '../output.ts'

/** Writes every event as the line that is sealed: with a public key that is all that is needed to check the log elsewhere. */
export const exportLines = async (books: Books, out: Output, options: { out?: string }): Promise<void> => {
  const destination = await destinationOf(books, out, options.out)
  const head = await (await books.store()).head()
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
  await out.tell(tiedReport(written), `Wrote ${file}, ${bytes} bytes, SHA-256 ${sha256}.\n${tiedText(written)}`)
}

async function* textOf(pages: ReturnType<Books['lines']>, reached: (order: bigint) => void): AsyncGenerator<string> {
  for await (const page of pages) {
    const last = page.at(-1)
    if (!last) continue
    reached(last.order)
    yield `${page.map(({ line }) => line).join('\n')}\n`
  }
}
