import { createHmac } from 'node:crypto'
import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, said } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, postFor, sell, shop } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'

/** get-settings and save-settings of the merchant console, over the same facts as /v1/settings. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const get = (key: string) => said(consoleCall(app, key, 'get-settings'))
const save = (key: string, settings: object) =>
  consoleCall(app, key, 'save-settings', { settings: JSON.stringify(settings) })
const tree = async (key: string) => (await ok(app.call('GET', '/v1/settings', { key }))).json

test('M-SET-03 M-AUT-02 the settings show where the webhook goes and its secret masked, never in the clear', async (t) => {
  const s = await shop(app)
  const shown = await get(s.key)
  t.is(shown['webhook-url'], app.receiver.url)
  t.is(shown['webhook-secret'], `whsec_…${s.secret.slice(-4)}`)
  t.false(JSON.stringify(shown).includes(s.secret))
  const { webhook, ...rest } = await tree(s.key)
  const { 'webhook-url': _, 'agent-webhook-url': agent, 'webhook-secret': __, vat, ...same } = shown
  t.is(agent, '')
  t.deepEqual(same, rest)
  t.deepEqual(vat, { enabled: false, country: '', number: '', inclusive: false, rates: {} })
  t.is(webhook.url, shown['webhook-url'])
})

test('M-SET-04 what is saved through the console is read through both surfaces, and what was read can be saved back', async (t) => {
  const { key } = await signUp(app)
  const change = { currency: 'EUR', payment: { refunds: true }, branding: { brand_name: 'Shop' } }
  const saved = await said(save(key, change))
  t.like(saved, { currency: 'EUR', payment: { refunds: true }, branding: { brand_name: 'Shop', logo_url: '' } })
  t.deepEqual(await get(key), saved)
  t.like(await tree(key), { currency: 'EUR', payment: { refunds: true }, branding: { brand_name: 'Shop' } })
  await ok(app.call('PUT', '/v1/settings', { key, body: { confirmations: { default: 3, coins: { eth: 2 } } } }))
  const both = await get(key)
  t.deepEqual(both.confirmations, { default: 3, coins: { eth: 2 }, increase: [] })
  t.deepEqual(await said(save(key, both)), both)
})

test('M-SET-05 M-AUT-05 X-ONCE-01 a rotated secret is shown once and signs the next delivery', async (t) => {
  const s = await shop(app)
  const rotated = (await said(save(s.key, { 'webhook-secret': 'rotate' })))['webhook-secret'] as string
  t.regex(rotated, /^whsec_[0-9a-f]{64}$/)
  t.not(rotated, s.secret)
  t.is((await get(s.key))['webhook-secret'], `whsec_…${rotated.slice(-4)}`)
  const { offer } = await sell(app, s)
  const { headers, body } = await postFor(app, offer.challengeId)
  const [, at, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-webhook-signature'])) ?? []
  t.is(v1, createHmac('sha256', rotated).update(`${at}.${body}`).digest('hex'))
})

deepTest('M-SET-03 the first URL that is saved brings its secret, and one that is cleared takes it away', async (t) => {
  const { key } = await signUp(app)
  const url = 'https://hooks.example.com/console'
  t.is((await get(key))['webhook-secret'], '')
  const first = await said(save(key, { 'webhook-url': url }))
  t.regex(first['webhook-secret'], /^whsec_[0-9a-f]{64}$/)
  t.like((await ok(app.call('GET', '/v1/webhook', { key }))).json, { url, has_secret: true })
  t.like(await said(save(key, { 'webhook-url': '' })), { 'webhook-url': '', 'webhook-secret': '' })
})

test('E-MER-04 M-SET-04 what cannot be saved is refused in the envelope, and nothing of it is', async (t) => {
  const { key } = await signUp(app)
  const before = await get(key)
  for (const settings of [
    { 'webhook-url': 'http://hooks.example.com/' },
    { 'webhook-url': 'https://127.0.0.1/' },
    { 'webhook-url': 'https://169.254.169.254/latest', currency: 'EUR' },
    { 'webhook-secret': 'mine' },
    { 'webhook-secret': 'rotate' },
    { 'webhook-secret': 'rotate', 'webhook-url': '' },
    { address_reuse_cooldown: 1 },
    { currency: 'XXQ' },
    { payout: {} },
    { webhook: { url: 'https://hooks.example.com/' } },
  ]) {
    const { status, json } = await save(key, settings)
    t.is(status, 400, JSON.stringify(settings))
    t.deepEqual(Object.keys(json).sort(), ['error_code', 'message', 'success'])
  }
  for (const settings of ['', '[]', '"x"', '{', '{"currency":"EUR","currency":"USD"}']) {
    const { status, json } = await consoleCall(app, key, 'save-settings', { settings })
    if (settings === '') t.is(status, 200, 'nothing to change')
    else t.deepEqual([status, json.error_code], [400, 'svc_invalid_request'], settings)
  }
  t.deepEqual(await get(key), before)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
