import { type Books, openBooks } from '../../src/books/books.ts'
import type { Output } from '../../src/console/output.ts'
import { readConfig } from '../../src/settings/config.ts'

/**
 * A command in this process: what it answers, what it tells as JSON, and the remarks of the books. Rejects as it does.
 */
export const inProcess = async <T>(
  env: Readonly<Record<string, string>>,
  act: (books: Books, out: Output) => Promise<T>,
): Promise<{ answer: T; told: unknown; remarks: readonly string[] }> => {
  const [told, remarks]: [unknown[], string[]] = [[], []]
  const books = openBooks(readConfig(env), (text) => remarks.push(text))
  const out: Output = { json: true, tell: async (value) => void told.push(value), remark: () => {} }
  try {
    return { answer: await act(books, out), told: told[0], remarks }
  } finally {
    await books.close()
  }
}
