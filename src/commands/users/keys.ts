import { createSigner } from '../../../adapters/crypto/signer.ts'
import type { MasterKeys } from '../../../adapters/postgres/vault/master-key.ts'
import { rotateSigningKey } from '../../../domain/use-cases/signin/signing-keys.ts'
import type { Books } from '../../books/books.ts'
import { openSealedLedger } from '../../books/operator-ledger.ts'
import type { Output } from '../../console/output.ts'
import { world } from '../../settings/world.ts'

/** Publishes the next key that signs ID tokens. Asked again before it signs, it tells of the same one. */
export const rotateKeys = async (books: Books, out: Output, masterKey: MasterKeys): Promise<void> => {
  const { ledger, vault } = await openSealedLedger(books, masterKey)
  const { kid, activeFrom } = await rotateSigningKey({ ledger, world, vault, signer: createSigner() })
  await out.tell({ kid, active_from: activeFrom }, `${kid} signs from ${activeFrom} on`)
}
