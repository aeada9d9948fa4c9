import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { walletHolder } from '../../support/stores.ts'
import { refused, strictly } from '../strict.ts'

/** How many pieces of a product there are, as its seller says and sees it. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const TEA = { title: 'Assam', price: 48.5 }

deepTest(
  'N-97 a product has no stock until its seller counts it, and then says whether there is a piece',
  async (t) => {
    const key = await walletHolder(app)
    const call = strictly(t, app)
    const { checkout } = (await call('POST', '/v1/checkouts', { key, body: TEA })).json
    t.like(checkout, { stock: null, in_stock: true })
    const counted = (await call('POST', '/v1/checkouts', { key, body: { ...TEA, stock: 2 } })).json.checkout
    t.like(counted, { stock: 2, in_stock: true })
    const path = `/v1/checkouts?checkout_id=${counted.id}`
    const none = { version: 1, stock: 0, price: 50 }
    t.like((await call('PUT', path, { key, body: none })).json.checkout, { stock: 0, in_stock: false, price: 50 })
    t.like((await call('GET', path, { key })).json.checkout, { stock: 0, in_stock: false })
    const { checkouts } = (await call('GET', '/v1/checkouts', { key })).json
    t.deepEqual(
      checkouts.map(({ stock }: { stock: number | null }) => stock),
      [0, null],
    )
    const resource = (await call('POST', '/v1/resources', { key, body: { amount: 5, stock: 3 } })).json
    t.like(resource, { stock: 3, in_stock: true })
    const at = `/v1/resources?res_id=${resource.res_id}`
    t.like((await call('PUT', at, { key, body: { stock: null } })).json, { stock: null, in_stock: true })
    t.like((await call('GET', at, { key })).json, { stock: null, in_stock: true })
  },
)

test('N-97 X-IDEM-01 goods that came are added, once for one Idempotency-Key', async (t) => {
  const key = await walletHolder(app)
  const call = strictly(t, app)
  const { id } = (await call('POST', '/v1/checkouts', { key, body: { ...TEA, stock: 2 } })).json.checkout
  const path = `/v1/checkouts?checkout_id=${id}&action=stock`
  const body = { add: 5, reason: 'received' }
  const headers = { 'idempotency-key': 'delivery of monday' }
  const first = await call('POST', path, { key, headers, body })
  t.deepEqual(first.json, { stock: 7, lent: 0, available: 7, in_stock: true })
  await call('POST', path, { key, body: { add: -7, reason: 'lost' } })
  t.is((await call('POST', path, { key, headers, body })).text, first.text)
  t.is((await ok(app.call('GET', `/v1/checkouts?checkout_id=${id}`, { key }))).json.checkout.stock, 0)
  const { res_id } = (await call('POST', '/v1/resources', { key, body: { amount: 5 } })).json
  const at = `/v1/resources?res_id=${res_id}&action=stock`
  t.like((await call('POST', at, { key, body: { set: 4, reason: 'counted' } })).json, { stock: 4 })
  t.like((await call('POST', at, { key, body: { set: null, reason: 'counted' } })).json, {
    stock: null,
    in_stock: true,
  })
})

test('N-97 X-TEN-01 stock that cannot be is refused by name, and nothing of the same change is done', async (t) => {
  const key = await walletHolder(app)
  const { key: other } = await activeSeller(app)
  const { id } = (await ok(app.call('POST', '/v1/checkouts', { key, body: { ...TEA, stock: 1 } }))).json.checkout
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5 } }))).json
  const path = `/v1/checkouts?checkout_id=${id}&action=stock`
  const at = `/v1/resources?res_id=${res_id}&action=stock`
  const bad = { key, status: 400, code: 'svc_invalid_request' }
  const reason = 'lost'
  const conflict = { status: 409, code: 'svc_conflict', body: { version: 9, stock: 5 } }
  await refused(t, app, [
    { ...bad, what: 'more than there are', path, body: { add: -2, reason } },
    { ...bad, what: 'neither', path, body: { reason } },
    { ...bad, what: 'both', path, body: { set: 1, add: 1, reason } },
    { ...bad, what: 'nothing added', path, body: { add: 0, reason } },
    { ...bad, what: 'no reason', path, body: { set: 1 } },
    { ...bad, what: 'a fraction', path, body: { set: 1.5, reason } },
    { ...bad, what: 'an unknown name', path, body: { set: 1, reason, amount: 3 } },
    { ...bad, what: 'not counted', path: at, body: { add: 1, reason } },
    { ...bad, what: 'negative', path: '/v1/checkouts', body: { ...TEA, stock: -1 } },
    { ...bad, key: other, status: 404, code: 'svc_not_found', what: 'another’s', path, body: { set: 9, reason } },
    { ...bad, key: other, status: 404, code: 'svc_not_found', what: 'another’s', path: at, body: { set: 9, reason } },
    { key, what: 'an old version', method: 'PUT', path: `/v1/checkouts?checkout_id=${id}`, ...conflict },
  ])
  t.is((await ok(app.call('GET', `/v1/checkouts?checkout_id=${id}`, { key }))).json.checkout.stock, 1)
})
