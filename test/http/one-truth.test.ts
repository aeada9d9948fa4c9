import test, { type ExecutionContext } from 'ava'
import { startApp, type TestApp } from '../support/app.ts'
import { consoleCall, consoleOk, consoleRefusal, type Fields } from '../support/console.ts'
import { deepAfter, deepTest } from '../support/deep-test.ts'
import { assertReplayEqual, freshAddress, postFor, postsFor, sell, shop, webhookLog } from '../support/sale.ts'
import { ok } from '../support/seller.ts'

/**
 * The JSON API and the console are two ways to one ledger: what is changed through one is read through the other, and
 * never in other words.
 */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

deepTest(
  'M-TXN-05 M-TXN-10 M-TXN-12 J-TXN-01 what the console writes on a transaction and deletes, the JSON API shows',
  async (t) => {
    const s = await shop(app)
    const { transaction_id } = await consoleOk(app, s.key, 'create-transaction', ASKED)
    const values = {
      title: 'Two pounds',
      amount_fiat: '12.5',
      vat: '2',
      store_id: '1',
      status: 'C',
      customer_id: 'c-7',
    }
    const edited = await consoleOk(app, s.key, 'update-transaction', { transaction_id, values: JSON.stringify(values) })
    t.like(edited, values)
    t.deepEqual(await recordOnBoth(t, s.key, transaction_id), edited)
    await listsAgree(t, s.key)
    await consoleOk(app, s.key, 'delete-transaction', { transaction_id })
    t.is((await json(s.key, 'GET', `/v1/transactions?transaction_id=${transaction_id}`)).status, 404)
    t.is(await consoleRefusal(app, s.key, 'get-transaction', { transaction_id }), '404 svc_not_found')
    t.deepEqual((await listsAgree(t, s.key)).transactions, [])
  },
)

test.serial(
  'M-TXN-13 J-TXN-06 M-SET-04 J-SET-02 a refund is allowed, noted and refused the second time whichever surface it comes by',
  async (t) => {
    const [first, second] = await Promise.all([shop(app), shop(app)])
    const action = (key: string, id: string) => json(key, 'POST', `/v1/transactions?transaction_id=${id}&action=refund`)
    const asked = async (key: string, id: string) => consoleCall(app, key, 'refund', { transaction_id: id })
    for (const [{ key, resId }, allow, give, again] of [
      [first, saveOnConsole, action, asked],
      [second, saveInJson, asked, action],
    ] as const) {
      await sell(app, { key, resId })
      const [{ id }] = (await listsAgree(t, key)).transactions
      t.is((await give(key, id)).json.error_code, 'refunds-not-enabled')
      t.is((await again(key, id)).json.error_code, 'refunds-not-enabled')
      await allow(key, { payment: { refunds: true } })
      await ok(give(key, id))
      t.is((await again(key, id)).status, 400)
      t.not((await recordOnBoth(t, key, id)).refunded_time, undefined)
    }
  },
)

deepTest(
  'M-TXN-01 M-TXN-03 M-TXN-04 M-SET-07 J-PRQ-01 what one surface asks to be paid, the other links to and lists',
  async (t) => {
    const { key } = await shop(app)
    const body = { amount: 7.25, title: 'By JSON', external_reference: 'json-1' }
    const asked = (await ok(json(key, 'POST', '/v1/payment-requests', body))).json
    const id = { transaction_id: asked.transaction_id }
    t.deepEqual(await consoleOk(app, key, 'encryption', id), { encrypted_id: asked.encrypted_id })
    t.deepEqual(await consoleOk(app, key, 'payment-link', id), { url: asked.url })
    t.deepEqual(await consoleOk(app, key, 'invoice', id), { url: asked.url })
    const made = await consoleOk(app, key, 'create-transaction', {
      ...ASKED,
      title: 'By form',
      external_reference: 'form-1',
    })
    const listed = (await ok(json(key, 'GET', `/v1/payment-requests?id=${made.encrypted_id}`))).json
    t.like(listed.payment_request, {
      transaction_id: made.transaction_id,
      url: made.payment_link,
      title: 'By form',
      external_reference: 'form-1',
    })
    for (const each of [id.transaction_id, made.transaction_id]) await recordOnBoth(t, key, each)
    t.is((await listsAgree(t, key)).transactions.length, 2)
  },
)

test('M-CHK-01 M-CHK-02 M-CHK-03 S-CHK-02 S-CHK-04 S-CHK-06 a saved link is made, changed and deleted by turns', async (t) => {
  const { key } = await shop(app)
  const listed = async () => {
    const { checkouts } = (await ok(json(key, 'GET', '/v1/checkouts'))).json
    t.deepEqual(await consoleOk(app, key, 'get-checkouts'), { checkouts })
    return checkouts
  }
  const save = (checkout: object, more: Fields = {}) =>
    consoleOk(app, key, 'save-checkout', { checkout: JSON.stringify(checkout), ...more })
  const { checkout } = await save({ title: 'Tea', price: 4 })
  t.deepEqual(await listed(), [checkout])
  const at = `/v1/checkouts?checkout_id=${checkout.id}`
  const changed = (await ok(json(key, 'PUT', at, { version: 1, price: 5 }))).json.checkout
  t.deepEqual(await listed(), [changed])
  const again = await save({ title: 'Green tea', version: 2 }, { checkout_id: checkout.slug })
  t.deepEqual((await ok(json(key, 'GET', at))).json, again)
  t.is((await json(key, 'PUT', at, { version: 2, price: 6 })).status, 409)
  await ok(json(key, 'DELETE', at))
  t.deepEqual(await listed(), [])
  t.is(await consoleRefusal(app, key, 'get-checkouts', { checkout_id: checkout.slug }), '404 svc_not_found')
})

test('M-SET-03 M-SET-04 M-SET-05 J-SET-01 settings, the webhook’s URL and its secret are the same on both', async (t) => {
  const { key } = await shop(app)
  const urls = [`${app.receiver.url}/by-json`, `${app.receiver.url}/by-form`] as const
  await saveInJson(key, { currency: 'EUR', branding: { brand_name: 'Leaf & Co' }, webhook: { url: urls[0] } })
  t.like(await settingsOnBoth(t, key), { currency: 'EUR', 'webhook-url': urls[0] })
  const rotated = (await ok(json(key, 'POST', '/v1/webhook', { rotate_secret: true }))).json.secret
  t.true((await settingsOnBoth(t, key))['webhook-secret'].endsWith(rotated.slice(-4)))
  await saveOnConsole(key, { currency: 'USD', confirmations: { default: 2 }, 'webhook-url': urls[1] })
  t.like(await settingsOnBoth(t, key), { currency: 'USD', 'webhook-url': urls[1] })
  const fresh = (await saveOnConsole(key, { 'webhook-secret': 'rotate' }))['webhook-secret']
  t.not(fresh, rotated)
  const { webhook } = (await ok(json(key, 'GET', '/v1/settings'))).json
  t.like(webhook, { url: urls[1], secret_last4: fresh.slice(-4) })
  await settingsOnBoth(t, key)
})

deepTest('M-SET-02 M-SET-08 J-TOK-01 own tokens and addresses are those of the JSON API', async (t) => {
  const { key, address } = await shop(app)
  const addressOf = (code: string) => consoleOk(app, key, 'settings-get-address', { cryptocurrency_code: code })
  t.deepEqual(await addressOf('eth'), { address })
  const token = { type: 'erc-20', code: 'leaf', contract_address: freshAddress(), decimals: 6, name: 'Leaf', rate: '2' }
  await ok(json(key, 'POST', '/v1/custom-tokens', token))
  const { custom_tokens } = (await ok(json(key, 'GET', '/v1/custom-tokens'))).json
  t.is(custom_tokens.length, 1)
  t.deepEqual(await consoleOk(app, key, 'get-custom-tokens'), { custom_tokens })
  const own = freshAddress()
  await ok(json(key, 'POST', '/v1/wallets', { asset: 'leaf', address: own }))
  t.deepEqual(await addressOf('leaf'), { address: own })
  await ok(json(key, 'DELETE', '/v1/wallets?asset=leaf'))
  t.is(
    await consoleRefusal(app, key, 'settings-get-address', { cryptocurrency_code: 'leaf' }),
    '400 svc_invalid_request',
  )
  await ok(json(key, 'DELETE', '/v1/custom-tokens?code=leaf'))
  t.deepEqual(await consoleOk(app, key, 'get-custom-tokens'), { custom_tokens: [] })
})

deepTest(
  'M-CLD-01 M-CLD-02 S-STO-03 a store’s publishable token is what the JSON API gave it last, and what it opens stands on both',
  async (t) => {
    const { key } = await shop(app)
    const tokenOf = async (store_id: string) => (await consoleOk(app, key, 'get-cloud-token', { store_id })).cloud_token
    const made = (await ok(json(key, 'POST', '/v1/stores', { label: 'North' }))).json
    const store = String(made.store.id)
    t.is(await tokenOf(store), made.cloud_token)
    const rotated = (await ok(json(key, 'POST', `/v1/stores?store_id=${store}&rotate=cloud_token`))).json.cloud_token
    t.is(await tokenOf(store), rotated)
    const open = (cloud: string) =>
      consoleCall(
        app,
        undefined,
        'create-transaction',
        { amount: '3', currency_code: 'USD', cloud },
        '/payment/ajax.php',
      )
    t.is((await open(made.cloud_token)).json.error_code, 'invalid-api-key')
    const { transaction_id } = (await ok(open(rotated))).json.response
    await recordOnBoth(t, key, transaction_id)
    t.is((await listsAgree(t, key, { store_id: store })).transactions.length, 1)
    t.is((await listsAgree(t, key, { store_id: '1' })).transactions.length, 0)
  },
)

test.serial(
  'M-REC-01 W-RTY-02 M-TXN-07 the webhook’s body is the record of both, first and again, and both exports are one file',
  async (t) => {
    const s = await shop(app)
    const { offer } = await sell(app, s)
    const [{ id }] = (await listsAgree(t, s.key)).transactions
    const record = await recordOnBoth(t, s.key, id)
    const { is_test: _, ...told } = record
    const bodyOf = ({ body }: { body: string }) => JSON.parse(body).transaction
    t.like(bodyOf(await postFor(app, offer.challengeId)), told)
    await webhookLog(app, s.key, id)
    await consoleOk(app, s.key, 'update-transaction', { transaction_id: id, values: '{"title":"Edited"}' })
    await ok(json(s.key, 'POST', `/v1/transactions?transaction_id=${id}&action=resend-webhook`))
    await webhookLog(app, s.key, id)
    const again = bodyOf(postsFor(app, offer.challengeId).at(-1) as { body: string })
    t.is(again.title, 'Edited')
    const { is_test: __, ...edited } = await recordOnBoth(t, s.key, id)
    t.like(again, edited)
    await listsAgree(t, s.key, { status: 'C' })
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const ASKED = { amount: '12', currency_code: 'USD' }

const json = (key: string, method: string, path: string, body?: object) =>
  app.call(method, path, { key, ...(body && { body }) })

const saveOnConsole = (key: string, settings: object) =>
  consoleOk(app, key, 'save-settings', { settings: JSON.stringify(settings) })
const saveInJson = async (key: string, settings: object) => (await ok(json(key, 'PUT', '/v1/settings', settings))).json

/** A transaction's record, the same on both. */
const recordOnBoth = async (t: ExecutionContext, key: string, id: string) => {
  const record = (await ok(json(key, 'GET', `/v1/transactions?transaction_id=${id}`))).json.transaction
  t.deepEqual(await consoleOk(app, key, 'get-transaction', { transaction_id: id }), record)
  return record
}

/** The list and its file, narrowed alike, are the same on both. */
const listsAgree = async (t: ExecutionContext, key: string, filters: Fields = {}) => {
  const query = new URLSearchParams(filters)
  const list = (await ok(json(key, 'GET', `/v1/transactions?${query}`))).json
  t.deepEqual(await consoleOk(app, key, 'get-transactions', filters), list)
  const file = await ok(json(key, 'GET', `/v1/transactions?download=1&${query}`))
  const exported = await ok(consoleCall(app, key, 'download-transactions', filters))
  t.deepEqual([exported.text, exported.headers.get('content-type')], [file.text, file.headers.get('content-type')])
  return list
}

/** The console's settings say what the JSON API's do, and the webhook's in words of their own. */
const settingsOnBoth = async (t: ExecutionContext, key: string) => {
  const { webhook, ...rest } = (await ok(json(key, 'GET', '/v1/settings'))).json
  const shown = await consoleOk(app, key, 'get-settings')
  t.like(shown, rest)
  t.is(shown['webhook-url'], webhook.url)
  t.true(shown['webhook-secret'].endsWith(webhook.secret_last4))
  t.is((await ok(json(key, 'GET', '/v1/webhook'))).json.url, webhook.url)
  return shown
}
