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
    ...[undefined, null, 'x', 7, [], ['a']],
    ...[{ a: 1 }, { a: null }, { a: { b: 'c' } }, { a: ['x'] }, { '': 'x' }],
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
