import test from 'ava'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { startCheckingHooks } from '../../support/checking-hook.ts'
import { consoleCall, type Fields, said } from '../../support/console.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual, payInFull, postFor, saidOf, sell, transactionsOf } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { storeCalls, walletHolder } from '../../support/stores.ts'

/** Where the payments of a store are told, how that is tried out, and what its publishable token may do. */

let app: TestApp
let calls: ReturnType<typeof storeCalls>
let hooks: Awaited<ReturnType<typeof startCheckingHooks>>
test.before(async () => {
  hooks = await startCheckingHooks()
  app = await startApp({ alsoAllow: hooks.hostPort })
  calls = storeCalls(app)
})
test.after.always(() => Promise.all([app?.stop(), hooks?.stop()]))

const CLOUD_TOKEN = /^ct_[a-z2-7]{26}$/

const ajax = (fields: Fields, name = 'create-transaction', key?: string) =>
  consoleCall(app, key, name, fields, '/payment/ajax.php')
const cloud = (name: string, fields: Fields, key?: string) => consoleCall(app, key, name, fields, '/cloud/api.php')

test('W-URL-02 Q-01 N-45 a payment in a store is told at its URL under its secret, a resource at the agent’s, the rest at the account’s', async (t) => {
  const key = await walletHolder(app)
  const hook = hooks.open()
  const { store, webhook_secret } = await calls.create(key, { webhook_url: hook.url })
  hook.trust(webhook_secret)
  const at = (slot: string) => `${app.receiver.url}?to=${slot}`
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: at('account') } }))
  await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: at('agent') } }))
  const price = async (body: object) =>
    (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 1, ...body } }))).json.res_id
  const [plain, inStore] = [await price({}), await price({ store_id: store.id })]
  for (const resId of [plain, inStore]) await sell(app, { key, resId })
  const request = (await ok(app.call('POST', '/v1/payment-requests', { key, body: { amount: 2 } }))).json
  const [offer] = (await app.call('GET', `/id/${request.encrypted_id}?agent=1`)).json.accepts
  await payInFull(app, offer)
  await postFor(app, request.transaction_id)
  await postFor(app, plain)

  const [transaction] = await transactionsOf(app, key, `?store_id=${store.id}`)
  const told = await eventually('the delivery to the store', async () => hook.taken.length > 0 && hook.taken)
  t.deepEqual(
    told.map(({ transaction: { id }, test }) => [id, test]),
    [[transaction?.id, false]],
  )
  const resent = await app.call('POST', `/v1/transactions?transaction_id=${transaction?.id}&action=resend-webhook`, {
    key,
  })
  t.like(resent.json, { resent: true, webhook_response: { http_status: 200, body: 'taken' } })
  const slots = async (id: string | undefined) =>
    (await saidOf(app, 'DeliveryScheduled', id ?? 'none')).map(({ slot, storeId, url }) => ({ slot, storeId, url }))
  const whose = { slot: 'store', storeId: store.id, url: hook.url } as const
  t.deepEqual(await slots(transaction?.id), [whose, whose])
  t.true(hook.taken.every(({ transaction: { store_id } }) => store_id === String(store.id)))
  t.deepEqual(await slots(request.transaction_id), [{ slot: 'account', storeId: undefined, url: at('account') }])
  const sold = (await transactionsOf(app, key)).find(({ external_reference }) => external_reference?.startsWith(plain))
  t.deepEqual(await slots(sold?.id), [{ slot: 'agent', storeId: undefined, url: at('agent') }])
})

test('S-STO-04 W-RTY-03 W-DEL-02 W-LOG-01 a test delivery is genuine: signed, logged, with test:true and a whole record', async (t) => {
  const { key } = await activeSeller(app)
  const hook = hooks.open()
  const { store, webhook_secret } = await calls.create(key, { webhook_url: hook.url })
  hook.trust(webhook_secret)
  t.deepEqual((await ok(calls.tryOut(key, store.id))).json, {
    test: {
      http_status: 200,
      reason: null,
      response_body: 'taken',
      signature_verified: true,
      wrong_signature_refused: true,
    },
  })
  t.is(hook.taken.length, 1, 'the call with the wrong signature was refused')
  const [delivered] = hook.taken
  t.true(delivered?.test)
  for (const name of RECORD_KEYS) t.is(typeof delivered?.transaction[name], 'string', name)
  const [logged] = await saidOf(app, 'DeliveryScheduled', delivered?.event_id ?? 'none')
  t.like(logged, { transactionId: '', slot: 'store', storeId: store.id, reason: 'test', test: true })
  t.like((await saidOf(app, 'DeliveryAccepted', delivered?.event_id ?? 'none'))[0], { status: 200, bodyHead: 'taken' })
  t.is((await transactionsOf(app, key)).length, 0)
  t.like(await calls.tryOut(key, 1), { status: 400, json: { error_code: 'svc_invalid_request' } })
})

test.serial(
  'S-STO-04 a receiver that takes the wrong signature too verifies nothing, its own word counts, and one account does not ask without end',
  async (t) => {
    const { key } = await activeSeller(app)
    const { store } = await calls.create(key, { webhook_url: app.receiver.url })
    const answering = async (status: number, body: string) => {
      Object.assign(app.receiver.answer, { status, body })
      return (await ok(calls.tryOut(key, store.id))).json.test
    }
    t.teardown(() => Object.assign(app.receiver.answer, { status: undefined, body: undefined }))
    t.like(await answering(200, '{"signature_verified":false}'), { http_status: 200, signature_verified: false })
    for (const [status, body] of [
      [202, '{"signature_verified":true}'],
      [200, '"no object"'],
    ] as const)
      t.like(await answering(status, body), {
        http_status: status,
        response_body: body,
        signature_verified: false,
        wrong_signature_refused: false,
      })
    t.like(await answering(500, 'no'), { http_status: 500, signature_verified: false, wrong_signature_refused: null })
    const signatures = app.receiver.posts
      .filter(({ body }) => JSON.parse(body).test)
      .map(({ headers }) => headers['x-webhook-signature'])
    t.true(signatures.every((signature) => /^t=\d+,v1=[0-9a-f]{64}$/.test(signature ?? '')))
    t.is((await answering(200, 'y'.repeat(2_000))).response_body.length, 1_000)
    const many = await Promise.all(Array.from({ length: 30 }, () => calls.tryOut(key, 1)))
    t.deepEqual([...new Set(many.map(({ status }) => status))].sort(), [400, 429])
  },
)

test('M-CLD-01 M-GEN-05 Q-48 the publishable token is told on the main and the cloud API, and works in `cloud`', async (t) => {
  const key = await walletHolder(app)
  const first = await said(consoleCall(app, key, 'get-cloud-token'))
  t.regex(first.cloud_token, CLOUD_TOKEN)
  t.is(first.store_id, 1)
  t.deepEqual(await said(cloud('get-cloud-token', {}, key)), first)
  t.deepEqual(await said(cloud('get-cloud-token', { store_id: '' }, key)), first)
  const { store, cloud_token } = await calls.create(key)
  t.deepEqual(await said(cloud('get-cloud-token', { store_id: String(store.id) }, key)), {
    cloud_token,
    store_id: store.id,
  })
  t.regex((await said(ajax({ cloud: first.cloud_token, amount: '1', currency_code: 'usd' }))).payment_link, /\/id\/pr_/)
  t.is((await cloud('get-cloud-token', { store_id: '99' }, key)).status, 404)
  t.is((await cloud('get-cloud-token', { store_id: 'x' }, key)).status, 400)
  t.like(await cloud('get-cloud-token', {}), { status: 401, json: { success: false, error_code: 'api-key-not-found' } })
  t.like(await cloud('nope', {}, key), { status: 404, json: { success: false, error_code: 'svc_unknown_function' } })
})

test('M-CLD-04 M-GEN-05 Q-27 test-connection asks for a token, tells the three results, and is done ten times an hour', async (t) => {
  const { key } = await activeSeller(app)
  const { store, cloud_token, webhook_secret } = await calls.create(key)
  t.like(await cloud('test-connection', { cloud: cloud_token }), { status: 400, json: { success: false } })
  const [hook, own] = [hooks.open(), hooks.open()]
  const { secret } = (await ok(app.call('POST', '/v1/webhook', { key, body: { url: hook.url } }))).json
  hook.trust(secret)
  const connected = {
    http_status: 200,
    response_body: 'taken',
    signature_verified: true,
    wrong_signature_refused: true,
  }
  t.deepEqual(await said(cloud('test-connection', { cloud: cloud_token })), connected)
  t.true(hook.taken[0]?.test)
  await ok(calls.change(key, store.id, { webhook_url: own.url }))
  own.trust(webhook_secret)
  t.deepEqual(await said(consoleCall(app, undefined, 'test-connection', { cloud: cloud_token })), connected)
  t.deepEqual([hook.taken.length, own.taken.length], [1, 1])
  const wrong = `ct_${'a'.repeat(26)}`
  // As long as rows are behind nobody can say that there is no such token.
  const none = await eventually('the rows', async () => {
    const answer = await cloud('test-connection', { cloud: wrong })
    return answer.status !== 503 && answer
  })
  t.like(none, { status: 401, json: { error_code: 'invalid-api-key' } })
  t.like(await cloud('test-connection', {}, key), { status: 401, json: { error_code: 'api-key-not-found' } })
  const again = await Promise.all(Array.from({ length: 8 }, () => cloud('test-connection', { cloud: cloud_token })))
  t.deepEqual(again.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 429])
  // Another store's is not slowed by it.
  t.is((await cloud('test-connection', { cloud: (await calls.create(key)).cloud_token })).status, 200)
})

test('M-CLD-02 N-70 a buyer opens a hosted checkout with the token alone, and nothing else', async (t) => {
  const key = await walletHolder(app)
  const { store, cloud_token } = await calls.create(key)
  const fields = { cloud: cloud_token, amount: '12.50', currency_code: 'eur' }
  for (const name of ['title', 'external_reference', 'store_id', 'webhook'])
    t.like(await ajax({ ...fields, [name]: '1' }), { status: 400, json: { error_code: 'svc_invalid_request' } }, name)
  const answer = await ok(ajax(fields))
  t.is(answer.headers.get('access-control-allow-origin'), '*')
  t.deepEqual(Object.keys(answer.json.response).sort(), ['encrypted_id', 'payment_link', 'transaction_id'])
  const { transaction_id, encrypted_id, payment_link } = answer.json.response
  t.true(payment_link.endsWith(`/id/${encrypted_id}`))
  const [transaction] = await transactionsOf(app, key, `?store_id=${store.id}`)
  t.like(transaction, { id: transaction_id, amount_fiat: '12.5', currency: 'EUR', title: '', external_reference: '' })
  t.is((await app.call('GET', `/id/${encrypted_id}?agent=1`)).status, 402)
  const preflight = await app.call('OPTIONS', '/payment/ajax.php')
  t.is(preflight.status, 204)
  t.is(preflight.headers.get('access-control-allow-methods'), 'POST')

  for (const wrong of [{ amount: '0' }, { amount: '-1' }, { amount: '1e3' }, { amount: '' }, { amount: '1234567890' }])
    t.is((await ajax({ ...fields, ...wrong })).status, 400, JSON.stringify(wrong))
  for (const wrong of [
    { amount: '0.0000001' },
    { currency_code: '' },
    { currency_code: 'XQQ' },
    { currency_code: 'EU' },
  ])
    t.is((await ajax({ ...fields, ...wrong })).status, 400, JSON.stringify(wrong))
  for (const name of ['get-transactions', 'refund', 'get-cloud-token', 'test-connection', ''])
    for (const by of [undefined, key])
      t.like(await ajax({ ...fields }, name, by), { status: 404, json: { error_code: 'svc_unknown_function' } }, name)
  const nameless = await ajax({ amount: '1', currency_code: 'USD' }, 'create-transaction', key)
  t.is(nameless.status, 401)
  // A script of another origin may read why it was refused.
  t.is(nameless.headers.get('access-control-allow-origin'), '*')
  const { key: poor } = await activeSeller(app)
  const token = (await said(consoleCall(app, poor, 'get-cloud-token'))).cloud_token
  const refused = new Set<number>()
  // A machine that answers slowly lets more of them through.
  for (let round = 0; round < 10 && !refused.has(429); round++)
    for (const { status } of await Promise.all(Array.from({ length: 140 }, () => ajax({ ...fields, cloud: token }))))
      refused.add(status)
  // Without a wallet there is nothing to pay to; and one address is slowed at that one store.
  t.deepEqual([...refused].sort(), [400, 429])
  t.is((await ajax(fields)).status, 200)
})

test('M-CLD-03 the publishable token is no key, in the header or in the form', async (t) => {
  const { key } = await activeSeller(app)
  const { cloud_token } = await said(consoleCall(app, key, 'get-cloud-token'))
  for (const answer of [
    await consoleCall(app, cloud_token, 'get-transactions'),
    await consoleCall(app, undefined, 'get-settings', { 'api-key': cloud_token, cloud: cloud_token }),
    await consoleCall(app, undefined, 'create-transaction', { cloud: cloud_token, amount: '1', currency_code: 'USD' }),
    await app.call('GET', '/v1/stores', { key: cloud_token }),
    await app.call('GET', `/v1/transactions?cloud=${cloud_token}`),
  ])
    t.like(answer, { status: 401, json: { error_code: 'api-key-not-found' } })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
