import test from 'ava'
import { startApp, type TestApp } from '../support/app.ts'
import { sandboxKey } from '../support/sandbox.ts'
import { activeSeller, ok } from '../support/seller.ts'
import { operations } from './tenants/declared.ts'

/**
 * What a page of another origin may do with the publishable key that stands in it. A browser decides by the headers.
 */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const ORIGIN = 'https://shop.example'
const list = (headers: Headers, name: string) => (headers.get(name) ?? '').split(', ').map((each) => each.toLowerCase())

const fromPage = operations.filter(({ callers }) => callers?.sandbox === 'publishable')

test('N-28 a browser is told that a page may send its publishable key wherever such a key may call', async (t) => {
  t.true(fromPage.length >= 7)
  for (const { method, path } of fromPage) {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': method.toUpperCase(),
      'access-control-request-headers': 'x-api-key, content-type, idempotency-key',
    }
    const preflight = await app.call('OPTIONS', path, { headers })
    const what = `${method} ${path}`
    t.is(preflight.status, 204, what)
    t.is(preflight.headers.get('access-control-allow-origin'), '*', what)
    t.is(preflight.headers.get('access-control-allow-credentials'), null, what)
    t.true(list(preflight.headers, 'access-control-allow-methods').includes(method), what)
    const sent = list(preflight.headers, 'access-control-allow-headers')
    for (const name of ['x-api-key', 'content-type', 'idempotency-key']) t.true(sent.includes(name), `${what} ${name}`)
  }
})

test('N-28 J-SIM-04 a page reads the answers to its key, those that refuse it too; it may not call what changes things', async (t) => {
  const { key } = await activeSeller(app)
  const [secret, pk] = [await sandboxKey(app, key, 'secret'), await sandboxKey(app, key, 'publishable')]
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: secret, body: { amount: 4 } }))).json
  const headers = { origin: ORIGIN }
  const minted = await ok(app.call('POST', '/v1/challenge', { key: pk, headers, body: { res_id } }))
  t.is(minted.headers.get('access-control-allow-origin'), '*')
  const unknown = await app.call('POST', '/v1/challenge', { key: `${pk}x`, headers, body: { res_id } })
  t.deepEqual([unknown.status, unknown.headers.get('access-control-allow-origin')], [401, '*'])
  for (const [method, path] of [
    ['POST', '/v1/checkouts'],
    ['POST', '/v1/payment-requests'],
    ['PUT', '/v1/resources'],
    ['GET', '/v1/transactions'],
  ] as const) {
    const refused = await app.call(method, path, { key: pk, headers, ...(method !== 'GET' && { body: {} }) })
    t.deepEqual([refused.status, refused.json.error], [403, 'svc_publishable_key'], path)
    t.is(refused.headers.get('access-control-allow-origin'), null, path)
  }
})
