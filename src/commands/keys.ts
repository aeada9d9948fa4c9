import { createVault } from '../../adapters/postgres/vault.ts'
import { createSigner } from '../../adapters/signer.ts'
import { rotateSigningKey } from '../../domain/flows/sign-in/signing-keys.ts'
import { createLedger } from '../../domain/ledger.ts'
import type { Snapshots } from '../../domain/ports.ts'
import type { Books } from '../books.ts'
import { world } from '../world.ts'
import type { Output } from './output.ts'

/** Publishes the next key that signs ID tokens. Asked again before it signs, it tells of the same one. */
export const rotateKeys = async (books: Books, out: Output, masterKey: () => Buffer): Promise<void> => {
  const vault = await createVault({ sql: await books.sql(), masterKey: masterKey() })
  books.onClose(() => vault.close())
  const doors = createLedger(await books.store(), world, withoutSnapshots)
  const { ledger } = doors.open({ actor: 'operator', correlationId: world.id('req') })
  const { kid, activeFrom } = await rotateSigningKey({ ledger, world, vault, signer: createSigner() })
  await out.tell({ kid, active_from: activeFrom }, `${kid} signs from ${activeFrom} on`)
}

/** One short stream is read; nothing is worth keeping aside. */
const withoutSnapshots: Snapshots = { load: async () => undefined, save: async () => {} }
