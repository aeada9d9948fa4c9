import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { look } from '../../support/buyer.ts'
import { byLog } from '../../support/by-log.ts'
import { consoleCall, type Fields, said } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { addStore, walletHolder } from '../../support/stores.ts'
import { asking, causedBy, type Refused, refused, strictly } from '../strict.ts'

/** Saved payment links: what one surface writes, the other reads. */

const TEA = { title: 'Assam, two pounds', price: 48.5, description: 'Whole leaf.' }
const FIELDS =
  'id slug title description price currency asset store_id listed stock in_stock pictures variant vendor tags sku version url created_at updated_at'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('S-CHK-01 S-CHK-02 M-CHK-02 a saved payment link is read by its number and by its slug, and listed newest first', async (t) => {
  const key = await walletHolder(app)
  const call = strictly(t, app)
  const { status, json } = await call('POST', '/v1/checkouts', { key, body: TEA })
  t.is(status, 200)
  const { checkout } = json
  t.is(Object.keys(checkout).join(' '), FIELDS)
  t.like(checkout, { ...TEA, currency: 'USD', asset: null, store_id: 1, version: 1 })
  t.is(checkout.slug, `assam-two-pounds-${checkout.id.toString(36)}`)
  t.is(checkout.url, `${app.served().origin}/buy/${checkout.slug}`)
  const whole = { title: 'Tasting', price: 0.000001, currency: 'EUR', asset: 'eth', description: '', store_id: 1 }
  const second = (await call('POST', '/v1/checkouts', { key, body: whole })).json.checkout
  t.like(second, whole)
  for (const named of [checkout.id, checkout.slug])
    t.deepEqual((await call('GET', `/v1/checkouts?checkout_id=${named}`, { key })).json, { checkout })
  t.deepEqual((await call('GET', '/v1/checkouts', { key })).json, { checkouts: [second, checkout] })
  t.deepEqual(await said(consoleCall(app, key, 'get-checkouts')), { checkouts: [second, checkout] })
})

test('S-CHK-03 X-IDEM-01 the same Idempotency-Key saves one link and answers the first result', async (t) => {
  const { key } = await activeSeller(app)
  const call = strictly(t, app)
  const headers = { 'idempotency-key': 'tea' }
  const post = () => call('POST', '/v1/checkouts', { key, headers, body: TEA })
  const both = await Promise.all([post(), post()])
  t.is(both[0].text, both[1].text)
  const { id } = both[0].json.checkout
  await call('PUT', `/v1/checkouts?checkout_id=${id}`, { key, body: { version: 1, price: 50, currency: 'EUR' } })
  const again = await post()
  t.deepEqual([again.status, again.text], [200, both[0].text])
  t.is(again.headers.get('idempotency-replayed'), 'true')
  t.deepEqual(await causedBy(app, again.requestId), [])
  t.is((await call('GET', '/v1/checkouts', { key })).json.checkouts.length, 1)
  const other = { key, headers, body: { ...TEA, price: 49 }, status: 409, code: 'svc_conflict' }
  await refused(t, app, [{ what: 'another body', path: '/v1/checkouts', ...other }])
})

test('E-409-01 S-CHK-04 S-CHK-05 X-VERS-01 M-CHK-02 a change names the version it was made on, and the console reads it', async (t) => {
  const key = await walletHolder(app)
  const call = strictly(t, app)
  const { id, slug } = (await call('POST', '/v1/checkouts', { key, body: TEA })).json.checkout
  const path = `/v1/checkouts?checkout_id=${id}`
  const body = { version: 1, price: 52, asset: 'eth' }
  const { status, json } = await call('PUT', path, { key, body })
  t.is(status, 200)
  t.like(json.checkout, { ...TEA, id, slug, price: 52, asset: 'eth', version: 2 })
  await refused(t, app, [
    { what: 'the same again', method: 'PUT', path, key, body, status: 409, code: 'svc_conflict' },
    { what: 'a version to come', method: 'PUT', path, key, body: { version: 3 }, status: 409, code: 'svc_conflict' },
  ])
  for (const named of [String(id), slug])
    t.deepEqual(await said(consoleCall(app, key, 'get-checkouts', { checkout_id: named })), json)
  const renamed = await call('PUT', path, { key, body: { version: 2, title: 'Darjeeling', asset: null } })
  t.like(renamed.json.checkout, { title: 'Darjeeling', slug, asset: null, price: 52, version: 3 })
})

deepTest('M-CHK-01 M-CHK-03 S-CHK-06 what the console saves and deletes, the JSON API shows', async (t) => {
  const { key } = await activeSeller(app)
  const listed = async () => (await ok(app.call('GET', '/v1/checkouts', { key }))).json.checkouts
  const save = async (checkout: object, named?: string) =>
    (await said(consoleCall(app, key, 'save-checkout', fieldsOf(checkout, named)))).checkout
  const saved = await save(TEA)
  t.like(saved, { ...TEA, version: 1 })
  t.deepEqual(await listed(), [saved])
  const newest = await save({ price: 49 }, String(saved.id))
  t.like(newest, { price: 49, version: 2 })
  const checked = await save({ price: 50, version: 2 }, saved.slug)
  t.deepEqual(await listed(), [checked])
  await refused(t, app, [
    saving(key, { price: 1, version: 2 }, 409, 'svc_conflict', String(saved.id)),
    saving(key, { price: 1 }, 404, 'svc_not_found', '1'),
  ])
  const deleted = await said(consoleCall(app, key, 'delete-checkout', { checkout_id: String(saved.id) }))
  t.deepEqual(deleted, { deleted: true, id: saved.id })
  t.deepEqual(await listed(), [])

  const { id, slug } = (await ok(app.call('POST', '/v1/checkouts', { key, body: TEA }))).json.checkout
  const gone = await strictly(t, app)('DELETE', `/v1/checkouts?checkout_id=${id}`, { key })
  t.deepEqual([gone.status, gone.json], [200, { deleted: true, id }])
  t.deepEqual(await said(consoleCall(app, key, 'get-checkouts')), { checkouts: [] })
  const missing = { status: 404, code: 'svc_not_found', key }
  await refused(
    t,
    app,
    [id, slug].flatMap((named) => [
      { what: 'reading', method: 'GET', path: `/v1/checkouts?checkout_id=${named}`, ...missing },
      { what: 'changing', method: 'PUT', path: `/v1/checkouts?checkout_id=${named}`, ...missing, body: { version: 1 } },
      asking('get-checkouts', { checkout_id: String(named) }, missing),
      saving(key, { price: 1 }, 404, 'svc_not_found', String(named)),
      { what: 'looking at it', method: 'GET', path: `/buy/${named}`, status: 404, code: 'svc_not_found' },
      { what: 'buying it', path: `/buy/${named}`, status: 404, code: 'svc_not_found' },
    ]),
  )
  t.is((await look(app, `/buy/${slug}`)).status, 404)
})

test('S-CHK-02 M-CHK-01 N-07 what is no product is refused on both surfaces, and nothing is saved', async (t) => {
  const { key } = await activeSeller(app)
  const wrong: [what: string, body: object, code?: string][] = [
    ['no price', { title: 'x' }],
    ['no title', { price: 1 }],
    ['an empty title', { ...TEA, title: ' ' }],
    ['a long title', { ...TEA, title: 'x'.repeat(201) }],
    ['a long description', { ...TEA, description: 'x'.repeat(2_001) }],
    ['a price in text', { ...TEA, price: '48.5' }],
    ['no price at all', { ...TEA, price: 0 }],
    ['a price below zero', { ...TEA, price: -1 }],
    ['seven places', { ...TEA, price: 0.0000001 }],
    ['a currency that is none', { ...TEA, currency: 'dollars' }],
    ['a currency that nobody prices', { ...TEA, currency: 'XQX' }],
    ['a coin that is none', { ...TEA, asset: 'tea' }, 'svc_unknown_asset'],
    ['a field that nobody knows', { ...TEA, vat: 7 }],
    ['a version of its own', { ...TEA, version: 1 }],
    ['a store in text', { ...TEA, store_id: '1' }],
  ]
  await refused(
    t,
    app,
    wrong.flatMap(([what, body, code = 'svc_invalid_request']) => [
      { what, path: '/v1/checkouts', key, body, status: 400, code },
      saving(key, body, 400, code),
    ]),
  )
  const { id } = (await ok(app.call('POST', '/v1/checkouts', { key, body: TEA }))).json.checkout
  const path = `/v1/checkouts?checkout_id=${id}`
  const invalid = { status: 400, code: 'svc_invalid_request', key }
  await refused(t, app, [
    ...[{}, { price: 1 }, { version: '1' }, { version: 1, price: 0 }, { version: 1, slug: 'x' }].map((body) => ({
      what: `a change to ${JSON.stringify(body)}`,
      method: 'PUT',
      path,
      body,
      ...invalid,
    })),
    { what: 'a change of none', method: 'PUT', path: '/v1/checkouts', body: { version: 1 }, ...invalid },
    { what: 'a deletion of none', method: 'DELETE', path: '/v1/checkouts', ...invalid },
    asking('save-checkout', {}, invalid),
    asking('save-checkout', { checkout: '{' }, invalid),
    asking('save-checkout', { checkout: '[]' }, invalid),
    asking('save-checkout', { checkout: '{"title":"a","title":"b","price":1}' }, invalid),
    asking('save-checkout', { checkout: '{"price":1}', checkout_id: '' }, invalid),
    asking('delete-checkout', {}, invalid),
  ])
})

// Alone, so that no other test waits for the rows of a thousand links.
deepTest.serial('S-CHK-02 an account has at most a thousand links, and room again when one is deleted', async (t) => {
  const { key } = await activeSeller(app)
  const { id, slug } = (await ok(app.call('POST', '/v1/checkouts', { key, body: TEA }))).json.checkout
  const [{ createdAt: _, ...saved } = t.fail()] = await saidOf(app, 'CheckoutCreated', slug)
  await byLog(app, async ({ checkout }) => {
    for (let n = 0; n < 999; n += 37)
      await Promise.all(Array.from({ length: 37 }, (_, i) => checkout.create(String(id + n + i + 1), saved)))
  })
  const listed = async () => (await ok(app.call('GET', '/v1/checkouts', { key }))).json.checkouts.length === 1_000
  await eventually('a thousand links', listed)
  await refused(t, app, [saving(key, TEA, 409, 'svc_conflict')])
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${id}`, { key }))
  await ok(app.call('POST', '/v1/checkouts', { key, body: TEA }))
})

test('X-TEN-01 the links of another seller are not found', async (t) => {
  const [own, other] = await Promise.all([activeSeller(app), activeSeller(app)])
  const { id, slug } = (await ok(app.call('POST', '/v1/checkouts', { key: own.key, body: TEA }))).json.checkout
  const missing = { status: 404, code: 'svc_not_found', key: other.key }
  await refused(
    t,
    app,
    [id, slug, `x${slug}`, 1, 'x'].flatMap((named) => [
      { what: 'reading', method: 'GET', path: `/v1/checkouts?checkout_id=${named}`, ...missing },
      {
        what: 'changing',
        method: 'PUT',
        path: `/v1/checkouts?checkout_id=${named}`,
        ...missing,
        body: { version: 1, asset: 'tea' },
      },
      { what: 'deleting', method: 'DELETE', path: `/v1/checkouts?checkout_id=${named}`, ...missing },
      asking('delete-checkout', { checkout_id: String(named) }, missing),
    ]),
  )
  t.deepEqual((await ok(app.call('GET', '/v1/checkouts', { key: other.key }))).json, { checkouts: [] })
})

test('J-AUTH-04 the key of a store sees and touches the links of that store alone, and saves its own there', async (t) => {
  const { key } = await activeSeller(app)
  const call = strictly(t, app)
  const save = async (key: string, body: object) => (await call('POST', '/v1/checkouts', { key, body })).json.checkout
  const first = await save(key, TEA)
  const store = await addStore(app, key)
  const own = await save(store.key, { ...TEA, title: 'Ceylon' })
  t.is(own.store_id, store.storeId)
  const given = await save(key, { ...TEA, store_id: store.storeId })
  t.is(given.store_id, store.storeId)
  const idsOf = async (key: string) =>
    (await call('GET', '/v1/checkouts', { key })).json.checkouts.map(({ id }: { id: number }) => id)
  t.deepEqual(await idsOf(store.key), [given.id, own.id])
  t.deepEqual(await idsOf(key), [given.id, own.id, first.id])
  const listed = (await consoleCall(app, store.key, 'get-checkouts')).json.response
  t.deepEqual(listed, (await call('GET', '/v1/checkouts', { key: store.key })).json)

  const missing = { status: 404, code: 'svc_not_found', key: store.key }
  const forbidden = { ...missing, status: 403, code: 'svc_forbidden' }
  const path = `/v1/checkouts?checkout_id=${first.id}`
  const elsewhere = { method: 'PUT', path: `/v1/checkouts?checkout_id=${own.id}`, ...missing }
  await refused(t, app, [
    { what: 'reading', method: 'GET', path, ...missing },
    { what: 'changing', method: 'PUT', path, body: { version: 1 }, ...missing },
    { what: 'deleting', method: 'DELETE', path, ...missing },
    asking('get-checkouts', { checkout_id: String(first.id) }, missing),
    asking('delete-checkout', { checkout_id: first.slug }, missing),
    { what: 'saving elsewhere', path: '/v1/checkouts', body: { ...TEA, store_id: 1 }, ...forbidden },
    { what: 'moving away', ...elsewhere, ...forbidden, body: { version: 1, store_id: 1 } },
    { what: 'moving to nowhere', ...elsewhere, key, body: { version: 1, store_id: 99 } },
    saving(key, { ...TEA, store_id: 99 }, 404, 'svc_not_found'),
  ])
  const moved = await call('PUT', path, { key, body: { version: 1, store_id: store.storeId } })
  t.like(moved.json.checkout, { store_id: store.storeId, version: 2 })
  t.is((await call('DELETE', path, { key: store.key })).status, 200)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const saving = (key: string, checkout: object, status: number, code: string, named?: string): Refused =>
  asking('save-checkout', fieldsOf(checkout, named), { key, status, code })

const fieldsOf = (checkout: object, named?: string): Fields => ({
  checkout: JSON.stringify(checkout),
  ...(named && { checkout_id: named }),
})
