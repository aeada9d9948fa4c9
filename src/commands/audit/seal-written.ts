import type { Books } from '../../books/books.ts'
import { describe } from '../../console/failures.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { sealAll } from './seal.ts'

/**
 * Seals what a command has written when no service is there to do it. The command has done its work by then, so a seal
 * that cannot be written is a remark and no failure.
 */
export const sealWritten = async (books: Books, config: Config, remark: (text: string) => void): Promise<void> => {
  if (!books.wrote() || books.running) return
  const { masterKey, sealWitness } = openDataDir(config)
  const seal = async () => sealAll(books, masterKey(), sealWitness)
  await seal().catch((error: unknown) => remark(`What was written is not sealed yet: ${describe(error)}`))
}
