import { createSigner } from '../../adapters/signer.ts'
import { rotateSigningKey } from '../../domain/flows/sign-in/signing-keys.ts'
import type { Books } from '../books.ts'
import { openSealedLedger } from '../operator-ledger.ts'
import { world } from '../world.ts'
import type { Output } from './output.ts'

/** Publishes the next key that signs ID tokens. Asked again before it signs, it tells of the same one. */
export const rotateKeys = async (books: Books, out: Output, masterKey: () => Buffer): Promise<void> => {
  const { ledger, vault } = await openSealedLedger(books, masterKey)
  const { kid, activeFrom } = await rotateSigningKey({ ledger, world, vault, signer: createSigner() })
  await out.tell({ kid, active_from: activeFrom }, `${kid} signs from ${activeFrom} on`)
}
