import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { seller, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

let app: TestApp
let count = 0
const fresh = () => ({ 'idempotency-key': `key ${++count}` })

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-RES-02 X-IDEM-01 the same key makes no second resource and answers the first result, marked as a replay', async (t) => {
  const call = strictly(t, app)
  const { key } = await seller(app)
  const headers = fresh()
  const body = { amount: 7, max_per_caller: { amount: 9, window_hours: 1 } }
  const first = await call('POST', '/v1/resources', { key, headers, body })
  t.is(first.status, 200)
  t.is(first.headers.get('idempotency-replayed'), null)
  const path = `/v1/resources?res_id=${first.json.res_id}`
  await call('PUT', path, { key, body: { max_per_caller: null } })
  const again = await call('POST', '/v1/resources', { key, headers, body: JSON.stringify(body, null, 2) })
  t.deepEqual([again.status, again.text], [200, first.text])
  t.is(again.headers.get('idempotency-replayed'), 'true')
  t.deepEqual(await causedBy(app, again.requestId), [])
  t.is((await call('GET', '/v1/resources', { key })).json.resources.length, 2, 'the one of the shop, and this one')
  await call('DELETE', path, { key })
  t.is((await call('POST', '/v1/resources', { key, headers, body })).text, first.text)
})

test('J-RES-02 X-IDEM-01 another body under the same key is a conflict, and nothing is made', async (t) => {
  const call = strictly(t, app)
  const { key, resId } = await seller(app)
  const headers = fresh()
  await call('POST', '/v1/resources', { key, headers, body: { amount: 1 } })
  await call('POST', '/v1/challenge', { key, headers, body: { res_id: resId } })
  const other = await call('POST', '/v1/resources', { key, body: { amount: 1 } })
  const conflict = { key, headers, status: 409, code: 'svc_conflict' }
  await refused(t, app, [
    { what: 'another price', path: '/v1/resources', body: { amount: 2 }, ...conflict },
    { what: 'a field more', path: '/v1/resources', body: { amount: 1, currency: 'USD' }, ...conflict },
    { what: 'another resource', path: '/v1/challenge', body: { res_id: other.json.res_id }, ...conflict },
  ])
})

test('J-RES-02 X-IDEM-01 a key is of one tenant and one operation', async (t) => {
  const call = strictly(t, app)
  const [mine, theirs] = [await seller(app), await seller(app)]
  const headers = fresh()
  const made = await Promise.all(
    [mine, theirs].map(({ key }) => call('POST', '/v1/resources', { key, headers, body: { amount: 1 } })),
  )
  t.not(made[0]?.json.res_id, made[1]?.json.res_id)
  const challenge = await call('POST', '/v1/challenge', { key: mine.key, headers, body: { res_id: mine.resId } })
  t.deepEqual([challenge.status, challenge.headers.get('idempotency-replayed')], [200, null])
})

test('J-RES-02 X-IDEM-01 twelve at once make one resource and one challenge, and all answer the same', async (t) => {
  const call = strictly(t, app)
  const { key, resId } = await seller(app)
  const headers = fresh()
  const twelve = (path: string, body: object) =>
    Promise.all(Array.from({ length: 12 }, () => call('POST', path, { key, headers, body })))
  for (const answers of [
    await twelve('/v1/resources', { amount: 3 }),
    await twelve('/v1/challenge', { res_id: resId }),
  ]) {
    t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    t.is(new Set(answers.map(({ text }) => text)).size, 1)
    t.is(answers.filter((each) => each.headers.get('idempotency-replayed') === null).length, 1)
    if (answers[0]?.json.accepts) t.is(answers[0].json.accepts[0].match, 'amount')
  }
})

test('J-RES-02 a challenge of a key is answered again as it was, also when its resource is gone', async (t) => {
  const call = strictly(t, app)
  const { key, resId } = await seller(app)
  const headers = fresh()
  const first = await call('POST', '/v1/challenge', { key, headers, body: { res_id: resId } })
  await call('DELETE', `/v1/resources?res_id=${resId}`, { key })
  const again = await call('POST', '/v1/challenge', { key, headers, body: { res_id: resId } })
  t.deepEqual([again.status, again.text], [200, first.text])
  t.is(again.headers.get('idempotency-replayed'), 'true')
})

test('X-IDEM-01 a key of another form is refused, one of 255 characters is taken, and what was refused may be tried again', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const invalid = { path: '/v1/resources', key, status: 400, code: 'svc_invalid_request' }
  const bad = ['', 'x'.repeat(256), 'é', 'a\tb']
  await refused(
    t,
    app,
    bad.map((each) => ({ what: each, headers: { 'idempotency-key': each }, body: { amount: 1 }, ...invalid })),
  )
  const headers = { 'idempotency-key': `~${' !'.repeat(126)}.~`.slice(0, 255) }
  t.is(headers['idempotency-key'].length, 255)
  await refused(t, app, [{ what: 'no wallet yet', headers, body: { amount: 1 }, ...invalid }])
  const { key: other } = await seller(app)
  t.is((await call('POST', '/v1/resources', { key: other, headers, body: { amount: 1 } })).status, 200)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
