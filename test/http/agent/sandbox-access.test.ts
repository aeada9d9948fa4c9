import test from 'ava'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual, sell, shop, transactionsOf } from '../../support/sale.ts'
import { sandboxKey } from '../../support/sandbox.ts'
import { ok, seller, signUp } from '../../support/seller.ts'
import { refused, strictly } from '../strict.ts'
import { labelOf, type Operation, operations } from '../tenants/declared.ts'
import { CLOSED, FROM_A_PAGE, WITH_A_SECRET_KEY } from '../tenants/sandbox-reach.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const REJECTED = { status: 403, code: 'svc_sandbox_key_rejected' }
const PUBLISHABLE = { status: 403, code: 'svc_publishable_key' }
const NOT_FOUND = { status: 404, code: 'svc_not_found' }

const endpoints = surfaces().flatMap(({ name, endpoints: all }) => all.map((each) => ({ surface: name, ...each })))
const keyed = endpoints.filter(({ auth }) => auth === 'key' || auth === 'offered')

test('N-28 Q-24 each endpoint that takes a key is open or closed to sandbox keys as it is written here', (t) => {
  const labels = operations.filter(({ auth }) => auth === 'key' || auth === 'offered')
  const kindOf = (e: Operation): string => e.callers?.sandbox ?? 'closed'
  const declared = (kind: string) => labels.filter((e) => kindOf(e) === kind).map(labelOf)
  t.deepEqual(declared('publishable').toSorted(), FROM_A_PAGE.toSorted())
  t.deepEqual(declared('secret').toSorted(), WITH_A_SECRET_KEY.toSorted())
  const reasonOf = (label: string) => Object.entries(CLOSED).find(([, those]) => those.some((each) => each.test(label)))
  t.deepEqual(
    declared('closed').filter((label) => !reasonOf(label)),
    [],
    'each closed one has its reason',
  )
  t.deepEqual(
    [...declared('publishable'), ...declared('secret')].filter(reasonOf),
    [],
    'none that is open has a reason to be closed',
  )
})

test('K-SBX-08 J-WHK-03 J-WHK-07 J-WHK-08 E-403-02 Q-24 all that is not declared for sandbox keys refuses them, webhook configuration first of all', async (t) => {
  const { key } = await signUp(app)
  const [secret, publishable] = [await sandboxKey(app, key, 'secret'), await sandboxKey(app, key, 'publishable')]
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  const before = (await ok(app.call('GET', '/v1/webhook', { key }))).json
  const closed = keyed.filter(({ callers }) => callers?.sandbox === undefined)
  const paths = closed.map(({ method, path }) => `${method} ${path}`)
  const webhooks = ['get /v1/webhook', 'post /v1/webhook', 'delete /v1/webhook', 'get /v1/webhooks', 'post /v1/agent']
  for (const path of [...webhooks, 'post /v1/wallets', 'put /v1/settings', 'post /v1/stores'])
    t.true(paths.includes(path), path)
  const url = { url: 'https://hooks.example.com/', webhook_url: 'https://hooks.example.com/' }
  await refused(
    t,
    app,
    closed.flatMap((each) =>
      [secret, publishable].map((sandbox) => ({
        ...request(each, url),
        what: `${each.method} ${each.path}`,
        key: sandbox,
        ...REJECTED,
      })),
    ),
  )
  const forSecret = keyed.filter(({ callers }) => callers?.sandbox === 'secret')
  await refused(
    t,
    app,
    forSecret.map((each) => ({ ...request(each, {}), what: each.path, key: publishable, ...PUBLISHABLE })),
  )
  t.deepEqual((await ok(app.call('GET', '/v1/webhook', { key }))).json, before)
})

test('K-SBX-07 X-SBX-01 what a sandbox key makes is a test, whatever it says, and lives as any resource does', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const [secret, publishable] = [await sandboxKey(app, key, 'secret'), await sandboxKey(app, key, 'publishable')]
  for (const body of [{ amount: 5 }, { amount: 5, test: false }, { amount: 5, test: true }]) {
    const { status, json } = await call('POST', '/v1/resources', { key: secret, body })
    t.deepEqual([status, json.test], [200, true])
  }
  const listed = async (of: string, query = '') =>
    (await call('GET', `/v1/resources${query}`, { key: of })).json.resources
  t.is((await listed(secret)).length, 3)
  t.deepEqual(await listed(key), [])
  t.deepEqual(await listed(publishable), await listed(key, '?is_test=1'))
  const [{ res_id }] = await listed(secret)
  const at = `/v1/resources?res_id=${res_id}`
  t.is((await call('GET', at, { key: publishable })).json.test, true)
  const minted = await call('POST', '/v1/challenge', { key: publishable, body: { res_id } })
  t.like(minted.json, { res_id, test: true })
  const cap = { max_per_caller: { amount: 1, window_hours: 1 } }
  t.deepEqual((await call('PUT', at, { key: secret, body: cap })).json, { res_id, ...cap, test: true })
  t.deepEqual((await call('DELETE', at, { key: secret })).json, { disabled: true, res_id, test: true })
  t.is((await listed(secret)).length, 2)
})

test('X-SBX-01 K-SBX-07 to a sandbox key live resources and sales are not there', async (t) => {
  const call = strictly(t, app)
  const s = await shop(app)
  await sell(app, s)
  const [live] = await transactionsOf(app, s.key)
  const sandbox = await sandboxKey(app, s.key, 'secret')
  const resource = { key: sandbox, path: `/v1/resources?res_id=${s.resId}`, ...NOT_FOUND }
  const transaction = { key: sandbox, method: 'GET', path: `/v1/transactions?transaction_id=${live?.id}`, ...NOT_FOUND }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = `function=get-transaction&transaction_id=${live?.id}`
  await refused(t, app, [
    { ...resource, what: 'read', method: 'GET' },
    { ...resource, what: 'cap', method: 'PUT', body: { max_per_caller: null } },
    { ...resource, what: 'disable', method: 'DELETE' },
    { ...resource, what: 'mint', path: '/v1/challenge', body: { res_id: s.resId } },
    { ...transaction, what: 'transaction' },
    { ...transaction, what: 'webhook log', path: `${transaction.path}&webhook_log=1` },
    { ...transaction, what: 'console', method: 'POST', path: '/api.php', body: asked, headers: form },
  ])
  t.deepEqual((await call('GET', '/v1/resources', { key: sandbox })).json, { resources: [] })
  const none = { transactions: [], pagination: { total: 0, limit: 50, offset: 0 } }
  t.deepEqual((await call('GET', '/v1/transactions', { key: sandbox })).json, none)
  const { json } = await ok(app.call('POST', '/v1/resources', { key: sandbox, body: { amount: 3 } }))
  const { accepts } = (await ok(app.call('POST', '/v1/challenge', { key: sandbox, body: { res_id: json.res_id } })))
    .json
  await ok(app.call('POST', '/v1/simulate-payment', { key: sandbox, body: { challengeId: accepts[0].challengeId } }))
  const played = await transactionsOf(app, sandbox)
  t.deepEqual(
    played.map(({ is_test, amount_fiat }) => [is_test, amount_fiat]),
    [['1', '3']],
  )
  t.is((await call('GET', '/v1/transactions', { key: sandbox })).json.pagination.total, 1)
  const settlements = async (key: string) => (await call('GET', '/v1/settlements', { key })).json.settlements
  const [settled, ...others] = await settlements(sandbox)
  t.like(settled, { res_id: json.res_id, test: true, fee: 0, status: 'settled' })
  t.deepEqual(others, [])
  t.deepEqual(
    (await settlements(s.key)).map(({ res_id }: { res_id: string }) => res_id),
    [s.resId],
  )
  const csv = (await app.call('GET', '/v1/transactions?download=1', { key: sandbox })).text
  t.true(csv.includes(played[0]?.id ?? '-') && !csv.includes(live?.id ?? '-'))
  t.deepEqual(
    (await transactionsOf(app, s.key)).map(({ is_test }) => is_test),
    ['0'],
  )
  t.deepEqual(await transactionsOf(app, s.key, '?is_test=1'), played)
})

test('X-SBX-01 X-IDEM-01 one Idempotency-Key makes a live thing with a live key and a test with a sandbox key', async (t) => {
  const s = await shop(app)
  const sandbox = await sandboxKey(app, s.key, 'secret')
  const headers = { 'idempotency-key': 'the same' }
  const body = { amount: 7 }
  const [live, played] = [
    await ok(app.call('POST', '/v1/resources', { key: s.key, body, headers })),
    await ok(app.call('POST', '/v1/resources', { key: sandbox, body, headers })),
  ]
  t.not(live.json.res_id, played.json.res_id)
  t.deepEqual([live.json.test, played.json.test], [undefined, true])
  const again = await ok(app.call('POST', '/v1/resources', { key: sandbox, body, headers }))
  t.deepEqual(again.json, played.json)
})

test('X-TEN-01 X-SBX-01 a sandbox key sees nothing of another tenant, tests included', async (t) => {
  const [owner, stranger] = [await seller(app, { webhook: false }), await signUp(app)]
  const mine = await ok(app.call('POST', '/v1/resources', { key: owner.key, body: { amount: 1, test: true } }))
  const key = await sandboxKey(app, stranger.key, 'secret')
  const { res_id } = mine.json
  await refused(t, app, [
    { what: 'read', method: 'GET', path: `/v1/resources?res_id=${res_id}`, key, ...NOT_FOUND },
    { what: 'disable', method: 'DELETE', path: `/v1/resources?res_id=${res_id}`, key, ...NOT_FOUND },
    { what: 'mint', path: '/v1/challenge', body: { res_id }, key, ...NOT_FOUND },
  ])
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** A request that picks this operation. */
const request = ({ surface, method, path, when = {} }: (typeof endpoints)[number], body: object) => {
  const picks = new URLSearchParams(Object.entries(when).map(([name, value]) => [name, value === true ? 'x' : value]))
  const form = { body: String(picks), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  const query = method === 'post' || picks.size === 0 ? '' : `?${picks}`
  const sent = method === 'post' || method === 'put' ? { body: { ...body, ...Object.fromEntries(picks) } } : {}
  const at = path.replace(/:\w+/g, 'nobody')
  return { method: method.toUpperCase(), path: at + query, ...(surface === 'pay' && method === 'post' ? form : sent) }
}
