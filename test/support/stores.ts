import { newApiKey } from '../../domain/account/api-key.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { world } from '../../src/world.ts'
import type { TestApp } from './app.ts'
import { byLog } from './by-log.ts'
import { saidOf } from './sale.ts'

/** A further store of an account; answers its number and its key. */
export const addStore = async (app: TestApp, accountId: string): Promise<{ storeId: number; key: string }> => {
  const { apiKey, kept } = newApiKey(world, 'st')
  const { state } = await byLog(app, ({ stores }) =>
    stores.create(accountId, {
      ...{ label: null, webhookUrl: null, key: kept },
      cloudToken: { token: 'v1.token', tokenHash: world.digest(apiKey) },
      secret: { secret: 'v1.secret', last4: 'last' },
    }),
  )
  const known = async () => (await app.call('GET', '/v1/transactions', { key: apiKey })).status === 200
  await eventually('the key of the store', known)
  return { storeId: state.last, key: apiKey }
}

/** The account whose resource it is, as the log says it. */
export const ownerOf = async (app: TestApp, { resId }: { resId: string }): Promise<{ accountId: string }> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error('there is no resource')
  return created
}
