import type { SignedHead } from '../../../adapters/audit/head.ts'
import { sealUpTo } from '../../../adapters/audit/sealer.ts'
import type { Books } from '../../books.ts'
import { openSealedLedger } from '../../operator-ledger.ts'
import { writeSealWitness } from '../../seal-witness.ts'
import { world } from '../../world.ts'
import type { Output } from '../output.ts'
import { counted } from '../replaying.ts'

/** Seals what is not sealed yet. Beside a running service it does no harm: one of the two finds its seal needless. */
export const sealNow = async (books: Books, out: Output, masterKey: Buffer, witness: string): Promise<void> => {
  const { ledger, vault } = await openSealedLedger(books, () => masterKey)
  const store = await books.store()
  const heads: SignedHead[] = []
  const sealed = (head: SignedHead, publicKeys: readonly string[]) => {
    heads.push(head)
    writeSealWitness(witness, { head, publicKeys })
  }
  await sealUpTo({ ledger, vault, store, world, lines: books.lines, sealed }, await store.head(), false)
  const newest = heads.at(-1)
  await out.tell(
    { seals: heads.length, head: newest ?? null },
    newest
      ? `${counted(heads.length, 'seal')}: ${newest.size} events, root ${newest.root}`
      : 'Everything is sealed already.',
  )
}
