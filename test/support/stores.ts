import { eventStoreDb } from '../../adapters/store/eventstoredb.ts'
import { newApiKey } from '../../domain/account/api-key.ts'
import { createLedger, type Ledger } from '../../domain/ledger.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { world } from '../../src/world.ts'
import type { TestApp } from './app.ts'
import { noSnapshots } from './ledger.ts'
import { saidOf } from './sale.ts'

/** Does something by the log alone, as another process would. */
export const inLog = async <T>(app: Pick<TestApp, 'env'>, act: (ledger: Ledger) => Promise<T>): Promise<T> => {
  const store = eventStoreDb(app.env.EVENTSTORE_URL ?? '')
  try {
    return await act(createLedger(store, world, noSnapshots).open({ actor: 'tester', correlationId: 'test' }).ledger)
  } finally {
    await store.close()
  }
}

/** A further store of an account. Answers its number and its key. */
export const addStore = (app: TestApp, accountId: string): Promise<{ storeId: number; key: string }> =>
  inLog(app, async ({ stores }) => {
    const { apiKey, kept } = newApiKey(world, 'st')
    const { state } = await stores.create(accountId, {
      ...{ label: null, webhookUrl: null, key: kept },
      cloudToken: { token: 'v1.token', tokenHash: world.digest(apiKey) },
      secret: { secret: 'v1.secret', last4: 'last' },
    })
    const known = async () => (await app.call('GET', '/v1/transactions', { key: apiKey })).status === 200
    await eventually('the key of the store', known)
    return { storeId: state.last, key: apiKey }
  })

/** The account whose resource it is, as the log says it. */
export const ownerOf = async (app: TestApp, { resId }: { resId: string }): Promise<{ accountId: string }> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error('there is no resource')
  return created
}
