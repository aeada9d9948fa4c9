import { Readable } from 'node:stream'
import type { Books } from '../../books.ts'
import { destinationOf } from '../exports/destination.ts'
import type { Output } from '../output.ts'

/** Writes every event as the line that is sealed: with a public key that is all that is needed to check the log elsewhere. */
export const exportLines = async (books: Books, out: Output, options: { out?: string }): Promise<void> => {
  const destination = await destinationOf(books, out, options.out)
  const head = await (await books.store()).head()
  const written = await destination.take(Readable.from(textOf(books.lines(-1n, head)), { objectMode: false }))
  if (written) await out.tell(written, `Wrote ${written.file}, ${written.bytes} bytes, SHA-256 ${written.sha256}.`)
}

async function* textOf(pages: ReturnType<Books['lines']>): AsyncGenerator<string> {
  for await (const page of pages) if (page.length > 0) yield `${page.map(({ line }) => line).join('\n')}\n`
}
