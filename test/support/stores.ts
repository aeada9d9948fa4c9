import { eventStoreDb } from '../../adapters/store/eventstoredb.ts'
import { newApiKey } from '../../domain/account/api-key.ts'
import { createLedger } from '../../domain/ledger.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { world } from '../../src/world.ts'
import type { TestApp } from './app.ts'
import { noSnapshots } from './ledger.ts'

/** A further store of an account, made as another process would: by the log alone. Answers its number and its key. */
export const addStore = async (app: TestApp, accountId: string): Promise<{ storeId: number; key: string }> => {
  const store = eventStoreDb(app.env.EVENTSTORE_URL ?? '')
  try {
    const { ledger } = createLedger(store, world, noSnapshots).open({ actor: 'tester', correlationId: 'test' })
    const { apiKey, kept } = newApiKey(world, 'st')
    const { state } = await ledger.stores.create(accountId, {
      ...{ label: null, webhookUrl: null, key: kept },
      cloudToken: { token: 'v1.token', tokenHash: world.digest(apiKey) },
      secret: { secret: 'v1.secret', last4: 'last' },
    })
    const known = async () => (await app.call('GET', '/v1/transactions', { key: apiKey })).status === 200
    await eventually('the key of the store', known)
    return { storeId: state.last, key: apiKey }
  } finally {
    await store.close()
  }
}
