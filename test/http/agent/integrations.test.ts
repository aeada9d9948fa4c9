import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly } from '../strict.ts'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-INT-01 J-INT-02 X-MASK-01 credentials are read as they were written, replaced whole, and sealed in the log', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  t.deepEqual((await call('GET', '/v1/integrations', { key })).json, { integrations: {} })
  const integrations = { shopify_token: 'shpat_plain-and-secret', 'Käse 🐢': '', note: 'x'.repeat(4_096) }
  const put = await call('PUT', '/v1/integrations', { key, body: { integrations } })
  t.deepEqual([put.status, put.json], [200, { integrations }])
  t.deepEqual((await call('GET', '/v1/integrations', { key })).json, { integrations })
  const log = (await readLog(app)).map(({ data }) => JSON.stringify(data)).join('\n')
  t.false(log.includes('shpat_plain-and-secret') || log.includes('shopify_token'))
  const again = await call('PUT', '/v1/integrations', { key, body: { integrations } })
  t.deepEqual(await causedBy(app, again.requestId), [], 'the same again is not saved again')
  const other = { stripe: 'sk_live_of_somebody' }
  await call('PUT', '/v1/integrations', { key, body: { integrations: other } })
  t.deepEqual((await call('GET', '/v1/integrations', { key })).json, { integrations: other })
})

test('J-INT-02 X-TEN-01 each account has its own', async (t) => {
  const call = strictly(t, app)
  const [mine, theirs] = [await signUp(app), await signUp(app)]
  await call('PUT', '/v1/integrations', { key: mine.key, body: { integrations: { a: '1' } } })
  t.deepEqual((await call('GET', '/v1/integrations', { key: theirs.key })).json, { integrations: {} })
})

test('J-INT-02 what is no map of texts, or too large, is refused and nothing changes', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  await call('PUT', '/v1/integrations', { key, body: { integrations: { a: '1' } } })
  const bad = [
    undefined,
    null,
    'x',
    7,
    [],
    ['a'],
    { a: 1 },
    { a: null },
    { a: { b: 'c' } },
    { a: ['x'] },
    { '': 'x' },
    { ['n'.repeat(65)]: 'x' },
    { a: 'x'.repeat(4_097) },
    Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, 'x'])),
    Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`n${n}`, 'x'.repeat(4_000)])),
  ]
  const refusal = { method: 'PUT', path: '/v1/integrations', key, status: 400, code: 'svc_invalid_request' }
  await refused(
    t,
    app,
    bad.map((integrations) => ({
      what: JSON.stringify(integrations)?.slice(0, 50),
      body: { integrations },
      ...refusal,
    })),
  )
  t.deepEqual((await call('GET', '/v1/integrations', { key })).json, { integrations: { a: '1' } })
})

test('C-SES-08 X-TEN-01 a seller sees the keys that it signs with, and rotates them itself, once for each repeated call', async (t) => {
  const call = strictly(t, app)
  const [{ key }, other] = [await signUp(app), await signUp(app)]
  const keys = async (of: string) => (await call('GET', '/v1/commerce/keys', { key: of })).json.keys
  const [first] = await keys(key)
  t.deepEqual([first.state, first.public_jwk.crv, first.kid.length], ['signing', 'P-256', 43])
  t.deepEqual(await keys(key), [first], 'it is made once')
  const rotate = () => call('POST', '/v1/commerce/keys?action=rotate', { key })
  const rotated = await rotate()
  t.deepEqual(
    rotated.json.keys.map(({ state }: { state: string }) => state),
    ['next', 'signing'],
  )
  t.deepEqual(rotated.json.keys[1], first)
  const again = await rotate()
  t.deepEqual([again.json, await causedBy(app, again.requestId)], [rotated.json, []])
  t.deepEqual(await keys(key), rotated.json.keys)
  t.is((await keys(other.key)).length, 1)
  const log = (await readLog(app))
    .filter(({ type }) => type === 'MerchantKeyAdded')
    .map(({ data }) => JSON.stringify(data))
  t.true(log.length >= 3 && log.every((data) => /"privateKey":"v1\.acc_/.test(data)), 'sealed under the account')
})
