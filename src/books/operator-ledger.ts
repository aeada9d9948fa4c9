import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { MasterKeys } from '../../adapters/postgres/vault/master-key.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { EventStore, RecordedEvent, Snapshots, Vault } from '../../domain/kernel/ports.ts'
import { createLedger, type Ledger } from '../../domain/write-side/ledger.ts'
import { learnCutStreams } from '../event-store/cut-streams.ts'
import { world } from '../settings/world.ts'
import type { Books } from './books.ts'

/** The ledger of the books as the operator's commands write to it, once it is known which streams are not whole. */
export const openOperatorLedger = async (books: Books): Promise<Ledger> => {
  const store = await books.store()
  if (store.lookForCuts) await learnBefore(store, await books.sql())
  return operatorLedger(store)
}

/** The ledger as the operator's commands write to it, on a store whose cut streams are known. */
export const operatorLedger = (store: EventStore): Ledger =>
  createLedger(store, world, withoutSnapshots).open({ actor: 'operator', correlationId: world.id('req') }).ledger

/** The ledger as an effect writes to it, in answer to an event. */
export const answeringLedger = (store: EventStore, name: string, { id, cause }: RecordedEvent): Ledger =>
  createLedger(store, world, withoutSnapshots).open({
    actor: name,
    correlationId: cause.correlationId,
    causationId: id,
  }).ledger

/** The operator's ledger with the database and the vault, which are closed with the books. */
export const openSealedLedger = async (
  books: Books,
  masterKey: MasterKeys,
): Promise<{ sql: Sql; vault: Vault; ledger: Ledger }> => {
  const sql = await books.sql()
  const store = await books.store()
  await learnBefore(store, sql)
  const vault = await createVault({ sql, masterKey })
  books.onClose(() => vault.close())
  return { sql, vault, ledger: operatorLedger(store) }
}

/** No snapshots: only short streams are read, so that nothing is worth keeping. */
const withoutSnapshots: Snapshots = { load: async () => undefined, save: async () => {} }

const learnBefore = async (store: LogStore, sql: Sql): Promise<void> => {
  if (store.lookForCuts) await learnCutStreams(store, sql, await createCheckpoints(sql))
}
