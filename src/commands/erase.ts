import { createVault } from '../../adapters/postgres/vault.ts'
import { createLedger } from '../../domain/ledger.ts'
import type { Snapshots } from '../../domain/ports.ts'
import type { Books } from '../books.ts'
import { BadSetting } from '../setting-kinds.ts'
import { world } from '../world.ts'
import type { Output } from './output.ts'

/**
 * Erases a person from an immutable log: records it, then destroys the account's data key. A running service forgets the key at once. Doing it
 * again finishes what broke off, and changes nothing more.
 */
export const erase = async (
  books: Books,
  out: Output,
  { account, masterKey, yes }: { account: string; masterKey: () => Buffer; yes?: boolean },
): Promise<void> => {
  if (!yes) throw new BadSetting('erasing cannot be undone: say --yes if you mean it')
  const sql = await books.sql()
  const vault = await createVault({ sql, masterKey: masterKey() })
  books.onClose(() => vault.close())
  const doors = createLedger(await books.store(), world, withoutSnapshots)
  const { ledger } = doors.open({ actor: 'operator', correlationId: world.id('req') })
  await ledger.account.erase(account, {})
  await vault.erase(account)
  await out.tell({ erased: account }, `${account} is erased: what was sealed for it cannot be read any more`)
}

/** One short stream is read; nothing is worth keeping aside. */
const withoutSnapshots: Snapshots = { load: async () => undefined, save: async () => {} }
