import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { createLedger, type Ledger } from '../../domain/write-side/ledger.ts'
import { world } from '../../src/settings/world.ts'
import { storeUrlOf, type TestApp } from './app.ts'
import { noSnapshots } from './ledger.ts'

/** Writes as another process would: by the log alone, of which the service hears a moment later. */
export const byLog = async <T>(app: Pick<TestApp, 'env'>, act: (ledger: Ledger) => Promise<T>): Promise<T> => {
  const store = eventStoreDb(storeUrlOf(app))
  try {
    return await act(createLedger(store, world, noSnapshots).open({ actor: 'tester', correlationId: 'test' }).ledger)
  } finally {
    await store.close()
  }
}
