import { request } from 'node:http'
import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'
import { consoleOk } from './console.ts'
import { ok } from './seller.ts'
import { storeCalls, walletHolder } from './stores.ts'
import { checkUcp, type UcpKind } from './ucp-schemas.ts'

/** Shops of sellers, as the commerce protocol names them: by a token in the query, or by their host. */

/** One store of a seller that can be paid. */
export type Shop = { readonly key: string; readonly storeId: number; readonly token: string }

export const openShop = async (app: TestApp): Promise<Shop> => {
  const key = await walletHolder(app)
  return { key, storeId: 1, token: (await consoleOk(app, key, 'get-cloud-token')).cloud_token }
}

/** A further store of the same seller. */
export const besideShop = async (app: TestApp, { key }: Shop): Promise<Shop> => {
  const { store, cloud_token } = await storeCalls(app).create(key)
  return { key, storeId: store.id, token: cloud_token }
}

/** A call that names the shop by its token. */
export const inShop = (
  app: Pick<TestApp, 'call'>,
  { token }: Pick<Shop, 'token'>,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  app.call(body === undefined ? 'GET' : 'POST', `${path}?${new URLSearchParams({ cloud: token })}`, { body, headers })

/** A call at a host that leads here; who fetches cannot choose one. */
export const atHost = (app: TestApp, host: string, path: string, body?: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.served().origin)
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { host, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const asking = request({ hostname, port, path, method, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const headers = new Headers({ location: response.headers.location ?? '' })
      resolve({ status: response.statusCode ?? 0, headers, text, json: text === '' ? undefined : JSON.parse(text) })
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** A saved payment link in a shop; answers its slug. */
export const putOnSale = async (
  app: Pick<TestApp, 'call'>,
  { key, storeId }: Shop,
  thing: { title: string; price: number; currency?: string; description?: string },
): Promise<string> => {
  const { json } = await ok(app.call('POST', '/v1/checkouts', { key, body: { ...thing, store_id: storeId } }))
  return json.checkout.slug
}

/** A priced resource in a shop, listed unless it is said otherwise; answers its id. */
export const priceOne = async (
  app: Pick<TestApp, 'call'>,
  { key, storeId }: Shop,
  body: { amount: number; currency?: string; test?: true; listed?: boolean },
): Promise<string> =>
  (await ok(app.call('POST', '/v1/resources', { key, body: { listed: true, ...body, store_id: storeId } }))).json.res_id

/** What a shop answers, as the schemas have it. */
// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the service said.
export const askedIn = async (app: TestApp, kind: UcpKind, ...call: Call): Promise<any> => {
  const { status, text, json } = await inShop(app, ...call)
  if (status !== 200) throw new Error(`${call[1]} answered ${status}: ${text}`)
  checkUcp(kind, json)
  return json
}

/** Status and code of what is refused; its body suits readers of both protocols. */
export const refusedIn = async (app: TestApp, ...call: Call): Promise<string> => {
  const { status, json } = await inShop(app, ...call)
  checkUcp('error', json)
  return `${status} ${json.code}`
}

type Call = [shop: Pick<Shop, 'token'>, path: string, body?: unknown, headers?: Record<string, string>]

/** The host of the shop that sells a resource. */
export const hostOf = async (app: Pick<TestApp, 'call'>, resId: string): Promise<string> => {
  const { json } = await ok(app.call('GET', '/v1/services?limit=100'))
  const domain = (json.items as { id: string; domain: string }[]).find(({ id }) => id === resId)?.domain
  if (domain === undefined) throw new Error(`${resId} is not listed`)
  return domain
}
