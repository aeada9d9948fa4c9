import type { TestApp } from './app.ts'
import { saidOf } from './sale.ts'
import { ok } from './seller.ts'

/** A further store of an account, made by its owner's key. Answers its number and its key. */
export const addStore = async (
  app: Pick<TestApp, 'call'>,
  owner: string,
): Promise<{ storeId: number; key: string }> => {
  const { json } = await ok(app.call('POST', '/v1/stores', { key: owner, body: {} }))
  return { storeId: json.store.id, key: json.api_key }
}

/** The account whose resource it is, as the log says it. */
export const ownerOf = async (app: TestApp, { resId }: { resId: string }): Promise<{ accountId: string }> => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  if (!created) throw new Error('there is no resource')
  return created
}
