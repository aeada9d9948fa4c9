import type { TestApp } from './app.ts'
import { activeSeller, ok } from './seller.ts'

/** Trying things out: keys that make test records only, and sales that nobody pays. */

export const SIMULATE = '/v1/simulate-payment'

export const sandboxKey = async (app: TestApp, key: string, kind: 'secret' | 'publishable'): Promise<string> =>
  (await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind } }))).json.api_key

/** A test resource of $5 of a seller without a wallet, and a challenge for it. */
export const testSale = async (app: TestApp, more: object = {}, { webhook = false } = {}) => {
  const { key } = await activeSeller(app)
  if (webhook) await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  const resource = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5, test: true, ...more } }))
  const { res_id: resId } = resource.json
  const minted = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
  return { key, resId: resId as string, challengeId: minted.json.accepts[0].challengeId as string }
}
