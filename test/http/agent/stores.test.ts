import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { startCheckingHooks } from '../../support/checking-hook.ts'
import { consoleCall, type Fields, said } from '../../support/console.ts'
import { deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf, transactionsOf } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { storeCalls, walletHolder } from '../../support/stores.ts'

/** Stores over HTTP: what they are, their credentials, and who may do what with them. */

let app: TestApp
let calls: ReturnType<typeof storeCalls>
let hooks: Awaited<ReturnType<typeof startCheckingHooks>>
test.before(async () => {
  hooks = await startCheckingHooks()
  app = await startApp({ alsoAllow: hooks.hostPort })
  calls = storeCalls(app)
})
test.after.always(() => Promise.all([app?.stop(), hooks?.stop()]))

const API_KEY = /^st_[0-9a-f]{16}_[0-9a-f]{64}$/
const CLOUD_TOKEN = /^ct_[a-z2-7]{26}$/
const SECRET = /^whsec_[0-9a-f]{64}$/

const subKey = async (key: string, role: string, body: object = {}): Promise<string> =>
  (await ok(app.call('POST', '/v1/subagents', { key, body: { role, ...body } }))).json.api_key
const ajax = (fields: Fields) => consoleCall(app, undefined, 'create-transaction', fields, '/payment/ajax.php')

test('S-STO-01 S-STO-02 X-ONCE-01 X-MASK-01 J-AUTH-06 a store is made with three credentials, which are shown this once', async (t) => {
  const { key } = await activeSeller(app)
  const [first] = await calls.list(key)
  t.like(first, {
    id: 1,
    default: true,
    label: '',
    status: 'active',
    webhook_url: '',
    api_key_hint: '',
    has_secret: false,
  })
  const made = await calls.create(key, { label: 'Tea & “Söhne”', webhook_url: app.receiver.url })
  t.regex(made.api_key, API_KEY)
  t.regex(made.cloud_token, CLOUD_TOKEN)
  t.regex(made.webhook_secret, SECRET)
  const { created_at: _, ...shown } = made.store
  t.deepEqual(shown, {
    id: 2,
    label: 'Tea & “Söhne”',
    status: 'active',
    webhook_url: app.receiver.url,
    default: false,
    api_key_hint: `st_…${made.api_key.slice(-4)}`,
    has_secret: true,
    secret_last4: made.webhook_secret.slice(-4),
    page_url: `${first.page_url}-2`,
  })
  t.is((await app.call('GET', new URL(made.store.page_url).pathname)).json.url, made.store.page_url)
  const listed = await ok(app.call('GET', '/v1/stores', { key }))
  t.deepEqual(listed.json, { stores: [first, made.store] })
  for (const secret of [made.api_key, made.cloud_token, made.webhook_secret]) t.false(listed.text.includes(secret))
  t.false(JSON.stringify(await saidOf(app, 'StoreCreated', made.store.created_at)).includes('Tea &'))
})

test('S-STO-02 S-STO-05 W-URL-01 what cannot be a store is refused, and nothing is made', async (t) => {
  const { key } = await activeSeller(app)
  for (const body of [
    { webhook_url: 'http://10.0.0.1/' },
    { webhook_url: 'x' },
    { label: 'x'.repeat(101) },
    { label: 5 },
    [],
  ])
    t.like(await app.call('POST', '/v1/stores', { key, body }), {
      status: 400,
      json: { error_code: 'svc_invalid_request' },
    })
  for (const query of ['?store_id=1', '?store_id=1&action=dance', '?store_id=1&rotate=password', '?rotate=api_key'])
    t.is((await app.call('POST', `/v1/stores${query}`, { key, body: {} })).status, 400, query)
  t.is((await calls.list(key)).length, 1)
  for (const body of [{}, { status: 'asleep' }, { webhook_url: 'https://localhost/' }, { status: 'inactive' }])
    t.is((await calls.change(key, 1, body)).status, 400, JSON.stringify(body))
  for (const id of ['0', '-1', 'x', '1.5', ''])
    t.is((await app.call('PUT', `/v1/stores?store_id=${id}`, { key, body: { label: 'x' } })).status, 400, id)
})

deepTest(
  'S-STO-05 a store’s label, URL and status are changed; the first secret is shown by the call that made it',
  async (t) => {
    const { key } = await activeSeller(app)
    const named = await ok(calls.change(key, 1, { label: 'Main' }))
    t.like(named.json.store, { id: 1, label: 'Main', has_secret: false })
    t.false('webhook_secret' in named.json)
    const { json } = await ok(calls.change(key, 1, { webhook_url: app.receiver.url }))
    t.regex(json.webhook_secret, SECRET)
    t.like(json.store, { label: 'Main', webhook_url: app.receiver.url, secret_last4: json.webhook_secret.slice(-4) })
    t.false('webhook_secret' in (await ok(calls.change(key, 1, { webhook_url: app.receiver.url }))).json)
    t.like((await ok(calls.change(key, 1, { webhook_url: '', label: '' }))).json.store, { label: '', webhook_url: '' })
  },
)

test('S-STO-05 N-45 the key of an inactive store is refused and its token names nobody, until it is active again', async (t) => {
  const key = await walletHolder(app)
  const { store, api_key, cloud_token } = await calls.create(key)
  const works = async () => [
    (await app.call('GET', '/v1/transactions', { key: api_key })).status,
    (await ajax({ cloud: cloud_token, amount: '1', currency_code: 'USD' })).status,
  ]
  t.deepEqual(await works(), [200, 200])
  t.is((await ok(calls.change(key, store.id, { status: 'inactive' }))).json.store.status, 'inactive')
  t.deepEqual(await works(), [401, 401])
  await ok(calls.change(key, store.id, { status: 'active' }))
  t.deepEqual(await works(), [200, 200])
})

test('S-STO-03 X-ROT-01 J-AUTH-06 each credential is rotated by itself, shown once, and the old one stops', async (t) => {
  const key = await walletHolder(app)
  const hook = hooks.open()
  const made = await calls.create(key, { webhook_url: hook.url })
  const { id } = made.store
  const opens = async (token: string) => (await ajax({ cloud: token, amount: '1', currency_code: 'EUR' })).status
  const reads = async (apiKey: string) => (await app.call('GET', '/v1/stores', { key: apiKey })).status

  const { api_key, ...besides } = (await ok(calls.rotate(key, id, 'api_key'))).json
  t.regex(api_key, API_KEY)
  t.deepEqual(besides, { id })
  t.deepEqual([await reads(made.api_key), await reads(api_key), await opens(made.cloud_token)], [401, 200, 200])
  const old = await app.call('GET', '/v1/stores', { key: made.api_key })
  t.is(old.json.error_code, 'invalid-api-key')

  const { cloud_token } = (await ok(calls.rotate(key, id, 'cloud_token'))).json
  t.regex(cloud_token, CLOUD_TOKEN)
  t.deepEqual([await opens(made.cloud_token), await opens(cloud_token), await reads(api_key)], [401, 200, 200])

  hook.trust(made.webhook_secret)
  t.true((await ok(calls.tryOut(key, id))).json.test.signature_verified)
  const { webhook_secret } = (await ok(calls.rotate(key, id, 'webhook_secret'))).json
  t.regex(webhook_secret, SECRET)
  t.like((await ok(calls.tryOut(key, id))).json.test, { http_status: 401, signature_verified: false })
  hook.trust(webhook_secret)
  t.true((await ok(calls.tryOut(key, id))).json.test.signature_verified)
  // The default store has no key until one is asked for.
  t.is(await reads((await ok(calls.rotate(key, 1, 'api_key'))).json.api_key), 200)
})

test('S-STO-06 J-AUTH-05 E-403-01 the owner alone deletes a store, never the default one, and its number is not given again', async (t) => {
  const key = await walletHolder(app)
  const { store, api_key, cloud_token } = await calls.create(key)
  const master = await subKey(key, 'master-admin')
  for (const other of [master, api_key])
    t.like(await calls.remove(other, store.id), { status: 403, json: { error_code: 'svc_forbidden' } })
  t.like(await calls.remove(key, 1), { status: 400, json: { error_code: 'svc_invalid_request' } })
  const asked = await said(ajax({ cloud: cloud_token, amount: '1', currency_code: 'USD' }))
  t.deepEqual((await ok(calls.remove(key, store.id))).json, { deleted: true, id: store.id })
  t.is((await app.call('GET', '/v1/transactions', { key: api_key })).status, 401)
  t.is((await ajax({ cloud: cloud_token, amount: '1', currency_code: 'USD' })).status, 401)
  for (const gone of [
    calls.remove(key, store.id),
    calls.change(key, store.id, { label: 'x' }),
    calls.rotate(key, store.id, 'api_key'),
  ])
    t.like(await gone, { status: 404, json: { error_code: 'svc_not_found' } })
  t.is((await calls.create(key)).store.id, store.id + 1)
  // What was asked for there keeps its number (N-45).
  t.is((await transactionsOf(app, key, `?store_id=${store.id}`))[0]?.id, asked.transaction_id)
})

test('J-AUTH-04 Q-53 a key that is limited to a store sees and touches that one alone, and makes none', async (t) => {
  const key = await walletHolder(app)
  const [one, two] = [await calls.create(key), await calls.create(key)]
  const director = await subKey(key, 'director', { store_scope: [one.store.id] })
  const ids = async (by: string) => (await calls.list(by)).map(({ id }: { id: number }) => id)
  t.deepEqual(await ids(key), [1, one.store.id, two.store.id])
  t.deepEqual(await ids(director), [one.store.id])
  t.deepEqual(await ids(one.api_key), [one.store.id])
  await ok(calls.change(director, one.store.id, { label: 'mine' }))
  for (const id of [1, two.store.id, 99])
    for (const call of [
      calls.change(director, id, { label: 'x' }),
      calls.rotate(director, id, 'api_key'),
      calls.tryOut(director, id),
    ])
      t.like(await call, { status: 404, json: { error_code: 'svc_not_found' } }, String(id))
  t.is((await app.call('POST', '/v1/stores', { key: director, body: {} })).status, 403)
  t.is((await calls.change(one.api_key, one.store.id, { label: 'x' })).status, 403)
  t.is((await consoleCall(app, director, 'get-cloud-token', { store_id: '1' })).status, 404)
  t.deepEqual(await said(consoleCall(app, director, 'get-cloud-token')), {
    cloud_token: one.cloud_token,
    store_id: one.store.id,
  })

  const price = async (by: string, body: object = {}) =>
    (await ok(app.call('POST', '/v1/resources', { key: by, body: { amount: 1, ...body } }))).json
  const own = await price(one.api_key)
  const token = (url: string) => new URL(url).searchParams.get('cloud')
  t.is(token(own.checkout_url), one.cloud_token)
  const other = await price(key, { store_id: two.store.id })
  t.is(token(other.checkout_url), two.cloud_token)
  const listed = (await ok(app.call('GET', '/v1/resources', { key }))).json.resources
  t.deepEqual(
    listed.map((each: { checkout_url: string }) => token(each.checkout_url)),
    [two.cloud_token, one.cloud_token],
  )
  await ok(calls.remove(key, two.store.id))
  const left = (await ok(app.call('GET', `/v1/resources?res_id=${other.res_id}`, { key }))).json
  t.is(token(left.checkout_url), (await said(consoleCall(app, key, 'get-cloud-token'))).cloud_token)
})

test('X-CAP-01 whoever may not do what a store’s key may is not given one', async (t) => {
  const { key } = await activeSeller(app)
  const { store } = await calls.create(key, { webhook_url: app.receiver.url })
  const custom = await subKey(key, 'custom', { permissions: ['stores.edit', 'stores.view'] })
  for (const call of [
    calls.rotate(custom, store.id, 'api_key'),
    app.call('POST', '/v1/stores', { key: custom, body: {} }),
  ])
    t.like(await call, { status: 403, json: { error_code: 'svc_forbidden' } })
  await ok(calls.rotate(custom, store.id, 'webhook_secret'))
  await ok(calls.change(custom, store.id, { label: 'x' }))
})

test('X-TEN-01 the stores of another seller are not there', async (t) => {
  const [{ key }, { key: stranger }] = [await activeSeller(app), await activeSeller(app)]
  const { store } = await calls.create(key, { webhook_url: app.receiver.url })
  for (const call of [
    calls.change(stranger, store.id, { label: 'x' }),
    calls.rotate(stranger, store.id, 'cloud_token'),
    calls.tryOut(stranger, store.id),
    calls.remove(stranger, store.id),
  ])
    t.like(await call, { status: 404, json: { error_code: 'svc_not_found' } })
  t.is((await calls.list(stranger)).length, 1)
  t.deepEqual((await calls.list(key))[1], store)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
