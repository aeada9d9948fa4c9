import type { SignedHead } from '../../../adapters/audit/head.ts'
import { sealGuard } from '../../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../../adapters/audit/sealer.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger } from '../../books/operator-ledger.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { keeping, witnessedHere } from '../../engine/sealing.ts'
import { world } from '../../settings/world.ts'

/** Seals what is not sealed yet. Beside a running service it does no harm: one of the two finds its seal needless. */
export const sealNow = async (books: Books, out: Output, masterKey: Buffer, witness: string): Promise<void> => {
  const heads = await sealAll(books, masterKey, witness)
  const newest = heads.at(-1)
  await out.tell(
    { seals: heads.length, head: newest ?? null },
    newest
      ? `${countText(heads.length, 'seal')}: ${newest.size} events, root ${newest.root}`
      : 'Everything is sealed already.',
  )
}

/**
 * Seals the log to its end and answers the new heads. Rejects with HeadNotContinued when the log does not contain the
 * newest head that was witnessed here.
 */
export const sealAll = async (books: Books, masterKey: Buffer, witness: string): Promise<readonly SignedHead[]> => {
  const { ledger, vault } = await openSealedLedger(books, () => masterKey)
  const store = await books.store()
  const heads: SignedHead[] = []
  const guard = sealGuard(() => witnessedHere(witness))
  const kept = { ...keeping(witness), sealed: (head: SignedHead) => void heads.push(head) }
  await sealUpTo({ ledger, vault, store, world, lines: books.lines, guard, ...kept }, await store.head(), false)
  return heads
}
