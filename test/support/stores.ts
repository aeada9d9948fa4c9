import type { TestApp } from './app.ts'
import { freshAddress, saidOf } from './sale.ts'
import { activeSeller, ok } from './seller.ts'

/** Stores of a seller, over the JSON API. */

type App = Pick<TestApp, 'call'>

/** A further store of an account, made by its owner's key. Answers its number and its key. */
export const addStore = async (app: App, owner: string): Promise<{ storeId: number; key: string }> => {
  const { store, api_key } = await storeCalls(app).create(owner)
  return { storeId: store.id, key: api_key }
}

/** An active seller with an eth wallet of its own. */
export const walletHolder = async (app: App): Promise<string> => {
  const { key } = await activeSeller(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  return key
}

/** The calls about stores; what makes, or lists, is expected to succeed. */
export const storeCalls = (app: App) => {
  const at = (id: number | string) => `/v1/stores?store_id=${id}`
  return {
    list: async (key: string) => (await ok(app.call('GET', '/v1/stores', { key }))).json.stores,
    create: async (key: string, body: object = {}) => (await ok(app.call('POST', '/v1/stores', { key, body }))).json,
    change: (key: string, id: number | string, body: object) => app.call('PUT', at(id), { key, body }),
    rotate: (key: string, id: number, which: string) => app.call('POST', `${at(id)}&rotate=${which}`, { key }),
    remove: (key: string, id: number) => app.call('DELETE', at(id), { key }),
    tryOut: (key: string, id: number) => app.call('POST', `${at(id)}&action=test-webhook`, { key }),
  }
}

/** The account whose resource it is, as the log says it. */
export const ownerOf = async (app: TestApp, { resId }: { resId: string }): Promise<{ accountId: string }> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error('there is no resource')
  return created
}
