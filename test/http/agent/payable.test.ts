import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { BROWSER } from '../../support/buyer.ts'
import { consoleCall } from '../../support/console.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf } from '../../support/sale.ts'
import { activeSeller, freshAddress, ok } from '../../support/seller.ts'

/** What nobody could pay is refused when it is made, with what is missing; what becomes so later says why. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

/** A seller with an ether wallet, and a token with a wallet: without a price, unless one is given. */
const seller = async (rate: object = {}) => {
  const { key } = await activeSeller(app)
  const wallet = (asset: string, address = freshAddress()) =>
    ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
  await wallet('eth')
  const token = { type: 'erc-20', code: 'beans', contract_address: TOKEN, decimals: 18, name: 'Beans', ...rate }
  await ok(app.call('POST', '/v1/custom-tokens', { key, body: token }))
  await wallet('beans')
  return {
    key,
    wallet,
    call: (method: string, path: string, body?: object) => app.call(method, path, { key, ...(body && { body }) }),
  }
}

test('N-32 J-RES-01 S-CHK-02 J-PRQ-01 M-TXN-01 a token without a price is refused wherever it is to be paid in, and nothing is made', async (t) => {
  const s = await seller()
  const makes = [
    () => s.call('POST', '/v1/resources', { amount: 1, accepted_assets: ['eth', 'beans'] }),
    () => s.call('POST', '/v1/checkouts', { title: 'Tea', price: 5, asset: 'beans' }),
    () => s.call('POST', '/v1/payment-requests', { amount: 5, asset: 'beans' }),
    () =>
      consoleCall(app, s.key, 'create-transaction', {
        amount: '5',
        currency_code: 'USD',
        cryptocurrency_code: 'beans',
      }),
    () => consoleCall(app, s.key, 'save-checkout', { checkout: '{"title":"Tea","price":5,"asset":"beans"}' }),
  ]
  for (const make of makes) {
    const { status, json } = await make()
    t.like({ status, code: json.error_code }, { status: 400, code: 'svc_invalid_request' })
    t.is(json.message, 'The token "beans" has no price: delete it, and add it again with a rate or a rate_url.')
  }
  for (const [path, list] of [
    ['/v1/resources', 'resources'],
    ['/v1/checkouts', 'checkouts'],
    ['/v1/payment-requests', 'payment_requests'],
  ] as const)
    t.deepEqual((await ok(s.call('GET', path))).json[list], [])
})

test('N-22 S-CHK-02 J-PRQ-01 a coin without a wallet is refused wherever it is to be paid in', async (t) => {
  const s = await seller({ rate: '0.25' })
  for (const [path, body] of [
    ['/v1/resources', { amount: 1, accepted_assets: ['eth', 'btc'] }],
    ['/v1/checkouts', { title: 'Tea', price: 5, asset: 'btc' }],
    ['/v1/payment-requests', { amount: 5, asset: 'btc' }],
  ] as const) {
    const { status, json } = await s.call('POST', path, body)
    t.is(status, 400, path)
    t.is(json.message, 'There is no wallet for "btc": set a wallet for btc first, by POST /v1/wallets.')
  }
  const { json } = await ok(s.call('POST', '/v1/checkouts', { title: 'Tea', price: 5, asset: 'beans' }))
  const changed = await s.call('PUT', `/v1/checkouts?checkout_id=${json.checkout.slug}`, { version: 1, asset: 'btc' })
  t.is(changed.status, 400)
  const none = (await activeSeller(app)).key
  for (const [path, body] of [
    ['/v1/resources', { amount: 1 }],
    ['/v1/payment-requests', { amount: 5 }],
  ] as const) {
    const { status, json } = await app.call('POST', path, { key: none, body })
    t.deepEqual([status, json.message], [400, 'There is no wallet to be paid at: set one first, by POST /v1/wallets.'])
  }
})

test('N-22 N-32 what takes all coins takes those that have a price, and a test needs none', async (t) => {
  const s = await seller()
  t.deepEqual((await ok(s.call('POST', '/v1/resources', { amount: 1 }))).json.accepted_assets, ['eth'])
  const { json } = await ok(s.call('POST', '/v1/resources', { amount: 1, test: true, accepted_assets: ['beans'] }))
  const { accepts } = (await app.call('GET', `/r/${json.res_id}`)).json
  t.is(accepts.length, 1, 'play money, where nothing has a price')
  await ok(s.call('DELETE', '/v1/wallets?asset=eth'))
  const all = await s.call('POST', '/v1/resources', { amount: 1 })
  t.deepEqual([all.status, /has no price/.test(all.json.message)], [400, true])
})

test('J-DOOR-01 J-CHL-01 J-PRQ-02 what can be paid no more says why, to machines and to people, and opens nothing', async (t) => {
  const s = await seller({ rate: '0.25' })
  const resource = (await ok(s.call('POST', '/v1/resources', { amount: 1 }))).json
  const request = (await ok(s.call('POST', '/v1/payment-requests', { amount: 5, asset: 'beans' }))).json
  await ok(s.call('DELETE', '/v1/wallets?asset=eth'))
  await ok(s.call('DELETE', '/v1/custom-tokens?code=beans'))
  const opened = async () => (await saidOf(app, 'ChallengeOpened', resource.res_id)).length
  const { pathname, search } = new URL(resource.checkout_url)
  for (const [path, reason] of [
    [`/r/${resource.res_id}`, /beans is not known any more, eth has no receive address any more/],
    [`${pathname}${search}&agent=1`, /beans is not known any more, eth has no receive address any more/],
    [`/id/${request.encrypted_id}?agent=1`, /beans is not known any more/],
  ] as const) {
    const { status, json, headers } = await app.call('GET', path)
    t.deepEqual([status, json.error_code], [503, 'svc_unavailable'], path)
    t.regex(json.message, reason)
    t.is(headers.get('retry-after'), '300')
  }
  const minted = await s.call('POST', '/v1/challenge', { res_id: resource.res_id })
  t.is(minted.status, 503)
  const page = await app.call('GET', `/r/${resource.res_id}`, { headers: { accept: BROWSER } })
  t.deepEqual([page.status, /None of the seller’s coins can be received right now/.test(page.text)], [200, true])
  t.is(await opened(), 0)
})

test('C-SES-01 C-SES-06 a checkout session that nobody can pay carries a message that says why', async (t) => {
  const s = await seller()
  const { cloud_token: cloud } = (await consoleCall(app, s.key, 'get-cloud-token')).json.response
  const tea = (await ok(s.call('POST', '/v1/checkouts', { title: 'Tea', price: 5 }))).json.checkout
  const session = async () =>
    (
      await ok(
        app.call('POST', `/checkout-sessions?cloud=${cloud}`, {
          body: { line_items: [{ item: { id: tea.slug }, quantity: 1 }] },
        }),
      )
    ).json
  t.is((await session()).messages, undefined)
  await ok(s.call('PUT', '/v1/wallets?asset=eth', { active: false }))
  const [message] = (await session()).messages
  t.like(message, { type: 'warning', code: 'payment_unavailable' })
  t.regex(
    message.content,
    /^Nothing can be paid here right now: beans has no price, eth is paused by the seller\. Ask the seller\.$/,
  )
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
