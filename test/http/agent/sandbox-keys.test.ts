import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly } from '../strict.ts'

let app: TestApp
/** The service's clock is ahead of ours by this much. */
let aheadMs = 0
const HOUR_MS = 3_600_000
const FIELDS = [
  'id',
  'kind',
  'mode',
  'label',
  'key_hint',
  'status',
  'created_at',
  'revoked_at',
  'last_used_at',
  'ends_at',
  'networks',
]
const INVALID = { status: 401, code: 'invalid-api-key' }
const NOT_FOUND = { status: 404, code: 'svc_not_found' }
const READ = { method: 'GET', path: '/v1/resources' }

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + aheadMs) } })
})
test.after.always(() => app?.stop())

test('K-SBX-01 K-SBX-02 both kinds are made, shown once, and listed with eleven fields and a hint', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const secret = await call('POST', '/v1/sandbox-keys', { key, body: { kind: 'secret', label: 'ci' } })
  const open = await call('POST', '/v1/sandbox-keys', { key, body: { kind: 'publishable' } })
  t.deepEqual([secret.status, open.status], [200, 200])
  t.regex(secret.json.api_key, /^sk_test_[0-9a-f]{16}_[0-9a-f]{64}$/)
  t.regex(open.json.api_key, /^pk_test_[0-9a-f]{16}_[0-9a-f]{64}$/)
  t.is(secret.json.key_hint, `sk_test_…${secret.json.api_key.slice(-4)}`)
  const { json, text } = await call('GET', '/v1/sandbox-keys', { key })
  for (const row of json.keys) t.deepEqual(Object.keys(row), FIELDS)
  const common = { mode: 'test', status: 'active', revoked_at: null, last_used_at: null }
  t.like(json.keys[0], { id: 2, kind: 'publishable', label: '', key_hint: open.json.key_hint, ...common })
  t.like(json.keys[1], { id: 1, kind: 'secret', label: 'ci', key_hint: secret.json.key_hint, ...common })
  for (const { api_key } of [secret.json, open.json])
    for (const held of [text, JSON.stringify(await readLog(app), (_, v) => (typeof v === 'bigint' ? String(v) : v))])
      t.false(held.includes(api_key) || held.includes(api_key.slice(-64)))
})

test('K-SBX-02 without a body a secret key without a label is made, and what is asked for wrongly is not', async (t) => {
  const { key } = await signUp(app)
  t.like((await ok(app.call('POST', '/v1/sandbox-keys', { key }))).json, { kind: 'secret', id: 1 })
  const invalid = { key, status: 400, code: 'svc_invalid_request' }
  await refused(t, app, [
    { what: 'an unknown kind', path: '/v1/sandbox-keys', body: { kind: 'live' }, ...invalid },
    { what: 'a long label', path: '/v1/sandbox-keys', body: { label: 'x'.repeat(101) }, ...invalid },
    { what: 'rotate is forgotten', path: '/v1/sandbox-keys?key_id=1', body: {}, ...invalid },
    { what: 'rotate what', path: '/v1/sandbox-keys?rotate=key', body: {}, ...invalid },
    { what: 'rotate in the body', path: '/v1/sandbox-keys', body: { rotate: 'key', key_id: '1' }, ...invalid },
    { what: 'rotate something else', path: '/v1/sandbox-keys?key_id=1&rotate=label', body: {}, ...invalid },
    { what: 'no number', method: 'DELETE', path: '/v1/sandbox-keys?key_id=one', ...invalid },
    { what: 'no key', method: 'DELETE', path: '/v1/sandbox-keys', ...invalid },
  ])
})

test('K-SBX-03 X-ROT-01 E-401-01 a rotated key works with its new secret only, at once', async (t) => {
  const { key } = await signUp(app)
  const old = await made(key, 'publishable')
  t.is((await app.call(READ.method, READ.path, { key: old })).status, 200)
  const rotated = await strictly(t, app)('POST', '/v1/sandbox-keys?key_id=1&rotate=key', { key })
  t.is(rotated.status, 200)
  t.like(rotated.json, { id: 1, kind: 'publishable' })
  t.regex(rotated.json.api_key, /^pk_test_/)
  await refused(t, app, [{ what: 'the old one', ...READ, key: old, ...INVALID }])
  t.is((await app.call(READ.method, READ.path, { key: rotated.json.api_key })).status, 200)
  const [row] = (await ok(app.call('GET', '/v1/sandbox-keys', { key }))).json.keys
  t.like(row, { id: 1, key_hint: rotated.json.key_hint, status: 'active' })
  await refused(t, app, [
    { what: 'a number that is nobody’s', path: '/v1/sandbox-keys?key_id=2&rotate=key', key, ...NOT_FOUND },
  ])
})

test('X-CLOSED-01 K-SBX-05 K-SBX-06 E-401-01 E-404-04 a revoked key fails at once, also when it was used a moment ago', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const sandbox = await made(key)
  for (let n = 0; n < 3; n++) t.is((await app.call(READ.method, READ.path, { key: sandbox })).status, 200)
  const revoked = await call('DELETE', '/v1/sandbox-keys?key_id=1', { key })
  t.deepEqual([revoked.status, revoked.json], [200, { revoked: true, id: 1 }])
  await refused(t, app, [
    { what: 'the revoked key', ...READ, key: sandbox, ...INVALID },
    { what: 'in simulate', path: '/v1/simulate-payment', body: { challengeId: 'x' }, key: sandbox, ...INVALID },
    { what: 'another number', method: 'DELETE', path: '/v1/sandbox-keys?key_id=2', key, ...NOT_FOUND },
    { what: 'rotate it', path: '/v1/sandbox-keys?key_id=1&rotate=key', key, ...NOT_FOUND },
  ])
  const [row] = (await ok(app.call('GET', '/v1/sandbox-keys', { key }))).json.keys
  t.is(row.status, 'revoked')
  t.regex(row.revoked_at, /^\d{4}-\d\d-\d\dT/)
  const again = await call('DELETE', '/v1/sandbox-keys?key_id=1', { key })
  t.deepEqual([again.status, again.json.error_code, await causedBy(app, again.requestId)], [404, 'svc_not_found', []])
})

test('X-TEN-01 the keys of another account are neither seen nor revoked by their number', async (t) => {
  const [owner, stranger] = [await signUp(app), await signUp(app)]
  const sandbox = await made(owner.key)
  t.deepEqual((await ok(app.call('GET', '/v1/sandbox-keys', { key: stranger.key }))).json, { keys: [] })
  t.is((await app.call('DELETE', '/v1/sandbox-keys?key_id=1', { key: stranger.key })).status, 404)
  t.is((await app.call(READ.method, READ.path, { key: sandbox })).status, 200)
})

deepTest.serial(
  'L-JSN-01 K-SBX-04 N-14 the eleventh key in an hour is refused with Retry-After, and made after it',
  async (t) => {
    t.teardown(() => {
      aheadMs = 0
    })
    const { key } = await signUp(app)
    for (let n = 0; n < 10; n++) await made(key)
    const call = strictly(t, app)
    const { status, headers, json, requestId } = await call('POST', '/v1/sandbox-keys', { key, body: {} })
    t.deepEqual([status, json.error_code], [429, 'svc_rate_limited'])
    const wait = Number(headers.get('retry-after'))
    t.true(wait > 3_500 && wait <= 3_600, `${wait} s`)
    t.deepEqual(await causedBy(app, requestId), [])
    t.is((await app.call('POST', '/v1/sandbox-keys?key_id=3&rotate=key', { key })).status, 200, 'rotating makes none')
    aheadMs = HOUR_MS
    t.is((await call('POST', '/v1/sandbox-keys', { key, body: {} })).json.id, 11)
  },
)

deepTest.serial('K-SBX-10 last_used_at follows use, with one event an hour', async (t) => {
  t.teardown(() => {
    aheadMs = 0
  })
  const { key } = await signUp(app)
  const sandbox = await made(key)
  const lastUsed = async () => (await ok(app.call('GET', '/v1/sandbox-keys', { key }))).json.keys[0].last_used_at
  const before = new Date().toISOString()
  for (let n = 0; n < 5; n++) await ok(app.call(READ.method, READ.path, { key: sandbox }))
  const first = await lastUsed()
  t.true(first >= before)
  aheadMs = HOUR_MS
  await ok(app.call(READ.method, READ.path, { key: sandbox }))
  t.true((await lastUsed()) > first)
  const [{ keyId } = { keyId: '' }] = await saidOf(app, 'SandboxKeyUsed', sandbox.split('_')[2] ?? '')
  t.is((await saidOf(app, 'SandboxKeyUsed', keyId)).length, 2)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const made = async (key: string, kind = 'secret'): Promise<string> =>
  (await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind } }))).json.api_key
