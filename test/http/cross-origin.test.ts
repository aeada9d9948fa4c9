import test from 'ava'
import { PAYMENT_HEADERS } from '../../adapters/x402/header.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { ok, seller } from '../support/seller.ts'

/** What a page of another origin may do: look, and pay. A browser decides by these headers. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const ORIGIN = 'https://wallet.example'

/** Everything that a payer calls on its way from looking to having paid. */
const PAYS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/r/res_x'],
  ['GET', '/checkout/co_x'],
  ['GET', '/id/pr_x'],
  ['GET', '/v1/market'],
  ['GET', '/v1/services'],
  ['POST', '/v1/challenge'],
  ['POST', '/v1/verify'],
  ['POST', '/v1/simulate-payment'],
  ['POST', '/v1/exact-verify'],
  ['POST', '/v1/exact-settle'],
  ['POST', '/v1/x402/verify'],
  ['POST', '/v1/x402/settle'],
  ['GET', '/v1/x402/supported'],
  ['GET', '/relayer/res_x'],
  ['POST', '/catalog/search'],
  ['POST', '/catalog/lookup'],
  ['POST', '/catalog/product'],
  ['GET', '/.well-known/ucp'],
  ['POST', '/checkout-sessions'],
  ['GET', '/checkout-sessions/cs_x'],
  ['PUT', '/checkout-sessions/cs_x'],
  ['POST', '/checkout-sessions/cs_x/complete'],
  ['POST', '/checkout-sessions/cs_x/cancel'],
  ['GET', '/orders/ord_x'],
]

const list = (headers: Headers, name: string) => (headers.get(name) ?? '').split(', ').map((each) => each.toLowerCase())

test('N-72 a wallet in a page of another origin may call whatever pays, with the headers that pay, and read what it is told', async (t) => {
  for (const [method, path] of PAYS) {
    const preflight = await app.call('OPTIONS', path, {
      headers: { origin: ORIGIN, 'access-control-request-method': method },
    })
    const what = `${method} ${path}`
    t.is(preflight.status, 204, what)
    t.is(preflight.headers.get('access-control-allow-origin'), '*', what)
    t.true(list(preflight.headers, 'access-control-allow-methods').includes(method.toLowerCase()), what)
    const taken = list(preflight.headers, 'access-control-allow-headers')
    for (const name of [...PAYMENT_HEADERS, 'idempotency-key', 'content-type', 'ucp-agent'])
      t.true(taken.includes(name), `${what} ${name}`)
    const body = method === 'GET' ? {} : { body: {} }
    const answer = await app.call(method, path, { headers: { origin: ORIGIN }, ...body })
    t.is(answer.headers.get('access-control-allow-origin'), '*', `${what} ${answer.status}`)
  }
})

test('N-72 J-DOOR-02 the answer of the door shows a page what it has to pay, and what came of its payment', async (t) => {
  const { resId } = await seller(app)
  const { status, headers } = await app.call('GET', `/r/${resId}`, { headers: { origin: ORIGIN } })
  t.is(status, 402)
  const shown = list(headers, 'access-control-expose-headers')
  for (const name of [
    'x-payment-response',
    'payment-response',
    'payment-required',
    'www-authenticate',
    'retry-after',
    'idempotency-replayed',
    'location',
  ])
    t.true(shown.includes(name), name)
  t.is(headers.get('cross-origin-resource-policy'), 'cross-origin')
})

test('N-72 what cannot be read as a request is refused readably, too', async (t) => {
  const answer = await app.call('POST', '/v1/verify', { headers: { origin: ORIGIN }, body: '{' })
  t.is(answer.status, 400)
  t.is(answer.headers.get('access-control-allow-origin'), '*')
})

test('N-72 nothing that a cookie or a person opens is shared, and what is shared takes no credentials', async (t) => {
  const shared = surfaces().flatMap(({ endpoints }) => endpoints.filter(({ callers }) => callers?.crossOrigin))
  t.true(shared.length >= PAYS.length)
  for (const { path, auth, page } of shared) {
    t.false(auth === 'person' || auth === 'visitor', path)
    t.is(page, undefined, `${path} is no page`)
  }
  const { resId } = await seller(app)
  const headers = { origin: ORIGIN, cookie: 'sid=x; buyer=y' }
  const door = await app.call('GET', `/r/${resId}`, { headers })
  t.is(door.headers.get('access-control-allow-credentials'), null)
  const page = await app.call('GET', `/r/${resId}`, { headers: { ...headers, accept: 'text/html' } })
  t.is(page.status, 200)
  t.is(page.headers.get('access-control-allow-origin'), null)
  for (const path of ['/account', '/sign-in', '/v1/wallets', '/v1/settlements', '/v1/transactions', '/v1/me'])
    t.is((await app.call('GET', path, { headers })).headers.get('access-control-allow-origin'), null, path)
})

test('N-72 a key is taken from a page, and opens nothing more there than what pays', async (t) => {
  const { key, resId } = await seller(app)
  const minted = await ok(
    app.call('POST', '/v1/challenge', { key, headers: { origin: ORIGIN }, body: { res_id: resId } }),
  )
  t.is(minted.headers.get('access-control-allow-origin'), '*')
  const preflight = await app.call('OPTIONS', '/v1/wallets', {
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
  })
  t.is(preflight.headers.get('access-control-allow-origin'), null)
})
