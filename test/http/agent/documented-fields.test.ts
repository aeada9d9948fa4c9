import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk, type Made, offerAt } from '../../support/console.ts'
import { postFor, sell, shop, transactionOf } from '../../support/sale.ts'
import { ok, PAY_TO } from '../../support/seller.ts'
import { storeCalls } from '../../support/stores.ts'

/**
 * The fields that the tables “Resources and their fields” of the three documents name, beside real answers of an
 * account that has just begun: a field without a value is there all the same.
 */

let app: TestApp
let key: string
let resId: string
let made: Made
test.before(async () => {
  app = await startApp()
  const s = await shop(app)
  key = s.key
  resId = s.resId
  made = await consoleOk(app, key, 'create-transaction', { amount: '5', currency_code: 'USD' })
})
test.after.always(() => app?.stop())

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service said.
type Json = any

const get = async (path: string): Promise<Json> => (await ok(app.call('GET', path, { key }))).json
const send = async (method: string, path: string, body: object): Promise<Json> =>
  (await ok(app.call(method, path, { key, body }))).json

/** Names after a colon are those of what stands under it. */
const fields = (text: string): string[] =>
  text.split(' ').flatMap((part) => {
    const [at = '', inner] = part.split(':')
    return inner === undefined ? [at] : inner.split(',').map((name) => `${at}.${name}`)
  })

const has = (value: Json, path: string): boolean =>
  path.split('.').reduce((at: Json, name) => (at !== null && typeof at === 'object' ? at[name] : undefined), value) !==
  undefined

const TRANSACTION =
  'id amount amount_fiat cryptocurrency currency status hash title external_reference vat vat_details creation_time confirmed_time description billing type'
const SNAPSHOT = 'email activated primary_wallet credit_balance webhook_url wallets settlements_count total_earned'
const SETTINGS =
  'confirmations:default,coins,increase webhook:url,has_secret,secret_last4 currency address_reuse_cooldown payment:accept_underpayments,redirect notifications:email branding:brand_name,logo_url,logo_url_dark,color_1,color_2,color_3'

type Documented = readonly [what: string, fields: string, answer: () => Promise<Json>]

const RECORDS: readonly Documented[] = [
  ...['agent', 'me', 'account', 'account-info'].map(
    (name): Documented => [`account snapshot at ${name}`, SNAPSHOT, () => get(`/v1/${name}`)],
  ),
  ['webhooks', 'webhook_url how_to_set rotate_secret', () => get('/v1/webhooks')],
  ['webhook config', 'url has_secret secret_last4', () => get('/v1/webhook')],
  ['wallets', 'wallets:eth', () => get('/v1/wallets?all=1')],
  [
    'resource as it is made',
    'res_id amount currency accepted_assets max_per_caller checkout_url',
    () => send('POST', '/v1/resources', { amount: 1 }),
  ],
  [
    'listed resource',
    'res_id amount currency accepted_assets max_per_caller settled',
    async () => (await get('/v1/resources')).resources[0],
  ],
  ['challenge', 'res_id amount currency accepts.0:challengeId', () => send('POST', '/v1/challenge', { res_id: resId })],
  [
    'card processor before it is configured',
    'configured active mode secret_key product_id webhook_secret publishable_key webhook_endpoint webhook_events',
    () => get('/v1/card-processor'),
  ],
  [
    'listed custom token',
    'code type network name contract_address decimals',
    async () => {
      const token = { type: 'erc-20', code: 'mine', contract_address: PAY_TO, decimals: 6, name: 'Mine' }
      await send('POST', '/v1/custom-tokens', token)
      return (await get('/v1/custom-tokens')).custom_tokens[0]
    },
  ],
  ['settings', SETTINGS, () => get('/v1/settings')],
  ['settings after a change', SETTINGS, () => send('PUT', '/v1/settings', { currency: 'EUR' })],
  [
    'payment request',
    'transaction_id encrypted_id url amount currency cryptocurrency expiry status',
    () => send('POST', '/v1/payment-requests', {}),
  ],
  [
    'sandbox key',
    'id kind mode label key_hint status created_at revoked_at last_used_at',
    async () => {
      const once = await send('POST', '/v1/sandbox-keys', {})
      if (!('api_key' in once && 'kind' in once && 'key_hint' in once)) throw new Error('no key was shown')
      return (await get('/v1/sandbox-keys')).keys[0]
    },
  ],
  [
    'listed product',
    'title price currency asset description version',
    async () => {
      await send('POST', '/v1/checkouts', { title: 'Tea', price: 5 })
      return (await get('/v1/checkouts')).checkouts[0]
    },
  ],
  ['store as it is made', 'store api_key cloud_token webhook_secret', () => storeCalls(app).create(key)],
  ['listed store', 'id label webhook_url api_key_hint', async () => (await get('/v1/stores')).stores[0]],
  [
    'discount code',
    'code multiplier',
    async () => (await send('POST', '/v1/discount-codes', { code: 'SPRING', multiplier: 0.8 })).discount_codes[0],
  ],
  [
    'custom field',
    'type label options required',
    async () => (await send('POST', '/v1/custom-fields', { type: 'text', label: 'Name' })).custom_fields[0],
  ],
  ['billing', 'credit_balance native_points lander_slots', () => get('/v1/billing')],
  [
    'payout-info request',
    'transaction_id link',
    async () => {
      await send('POST', '/v1/payout-info', { payout_asset: 'eth', details: 'For the translation' })
      return (await get('/v1/payout-info')).requests[0]
    },
  ],
  ['site', 'site:values,template,themes,layouts,layout,style_vars', () => get('/v1/site')],
  ['relay', 'enabled', () => send('POST', '/v1/exact-relay', { enabled: 1 })],
  [
    'relayer of a resource',
    'res_id configured active funding funded_address balance network pay_to',
    () => get(`/relayer/${resId}`),
  ],
  ['sub-keys', 'subagents balance prices slots_free', () => get('/v1/subagents')],
  [
    'listed sub-key',
    'id role role_name permissions store_scope status display_name created_at',
    async () => {
      await send('POST', '/v1/subagents', { role: 'auditor' })
      return (await get('/v1/subagents')).subagents[0]
    },
  ],
  ['market', 'items count', () => get('/v1/market')],
  ['services', 'items count', () => get('/v1/services')],
  [
    'transaction',
    TRANSACTION,
    async () => (await get(`/v1/transactions?transaction_id=${made.transaction_id}`)).transaction,
  ],
  ['listed transaction', TRANSACTION, async () => (await get('/v1/transactions')).transactions[0]],
  ['list of transactions', 'pagination:total,limit,offset', () => get('/v1/transactions')],
  [
    'transaction of the console',
    TRANSACTION,
    () => consoleOk(app, key, 'get-transaction', { transaction_id: made.transaction_id }),
  ],
  [
    'transaction that was checked',
    `${TRANSACTION} asked paid missing`,
    async () => {
      await offerAt(app, made)
      return consoleOk(app, key, 'check-transaction', { transaction_id: made.transaction_id })
    },
  ],
  ['settings of the console', 'webhook-url webhook-secret vat', () => consoleOk(app, key, 'get-settings')],
]

for (const [what, names, answer] of RECORDS)
  test.serial(`the answer “${what}” has each field that the documents name`, async (t) => {
    const json = await answer()
    t.deepEqual(
      fields(names).filter((name) => !has(json, name)),
      [],
      JSON.stringify(json),
    )
  })

test.serial('M-REC-01 a delivery has each field of the transaction, as text', async (t) => {
  const { offer } = await sell(app, { key, resId })
  const { headers, body } = await postFor(app, offer.challengeId)
  const { transaction, event_id, test: isTest } = JSON.parse(body)
  t.deepEqual(
    fields(TRANSACTION).filter((name) => typeof transaction[name] !== 'string'),
    [],
  )
  t.deepEqual([event_id, isTest], [headers['x-webhook-event-id'], false])
  const sold = await transactionOf(app, key, offer.challengeId, 'C')
  const log = await get(`/v1/transactions?transaction_id=${sold.id}&webhook_log=1`)
  t.true(Array.isArray(log.webhook_log))
})
