/** What the log of a running service holds, read as any other client of the store would. */
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { TestApp } from '../support/app.ts'
import { logOf } from '../support/sale.ts'

export const withStore = async <T>(app: TestApp, act: (store: EventStore) => Promise<T>): Promise<T> => {
  const store = eventStoreDb(app.served().eventStoreUrl)
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

export const readLog = (app: TestApp): Promise<RecordedEvent[]> => logOf(app)
