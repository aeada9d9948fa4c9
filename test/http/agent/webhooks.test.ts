import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const URL_1 = 'https://hooks.example.com/one'
const URL_2 = 'https://hooks.example.com/two'
const NONE = { url: '', has_secret: false, secret_last4: '' }
const SECRET = /^whsec_[0-9a-f]{64}$/

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-WHK-02 J-WHK-04 J-GEN-03 the first URL brings the secret, the next one does not, and reading never shows it', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, { ...NONE, agent_url: '' })
  const first = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  t.deepEqual([first.status, first.json.url], [200, URL_1])
  t.regex(first.json.secret, SECRET)
  const second = await call('POST', '/v1/webhook', { key, body: { url: URL_2 } })
  t.deepEqual(second.json, { url: URL_2 })
  const same = await call('POST', '/v1/webhook', { key, body: { url: URL_2, rotate_secret: false } })
  t.deepEqual(same.json, { url: URL_2 })
  const read = await call('GET', '/v1/webhook', { key })
  t.deepEqual(read.json, {
    url: URL_2,
    has_secret: true,
    secret_last4: first.json.secret.slice(-4),
    agent_url: '',
  })
})

deepTest('J-WHK-04 of first URLs set at once exactly one answer brings the secret, the one that stays', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const urls = Array.from({ length: 8 }, (_, i) => `https://hooks.example.com/${i}`)
  const answers = await Promise.all(urls.map((url) => call('POST', '/v1/webhook', { key, body: { url } })))
  const secrets = answers.flatMap(({ json }) => json.secret ?? [])
  t.is(secrets.length, 1)
  const { json } = await call('GET', '/v1/webhook', { key })
  t.is(json.secret_last4, secrets[0].slice(-4))
  t.true(urls.includes(json.url))
})

test('J-WHK-04 J-ACC-12 Q-02 the first secret is shown by whichever webhook made it, once, and each URL under its own name', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  const { secret, ...agent } = (await call('POST', '/v1/agent', { key, body: { webhook_url: URL_1 } })).json
  t.deepEqual(agent, { webhook_url: URL_1 })
  t.regex(secret, SECRET)
  t.deepEqual((await call('POST', '/v1/webhook', { key, body: { url: URL_2 } })).json, { url: URL_2 })
  t.deepEqual((await call('POST', '/v1/agent', { key, body: { webhook_url: URL_1 } })).json, { webhook_url: URL_1 })
  const facts = { url: URL_2, has_secret: true, secret_last4: secret.slice(-4), agent_url: URL_1 }
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, facts)
  t.deepEqual((await call('GET', '/v1/settings', { key })).json.webhook, facts)
  t.like((await call('GET', '/v1/webhooks', { key })).json, { webhook_url: URL_1, account_url: URL_2 })
})

deepTest('J-ACC-12 the agent webhook is removed by an empty text and by null, and only that one', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  const { secret } = (await call('POST', '/v1/webhook', { key, body: { url: URL_2 } })).json
  for (const webhook_url of ['', null]) {
    await call('POST', '/v1/agent', { key, body: { webhook_url: URL_1 } })
    const removed = await call('POST', '/v1/agent', { key, body: { webhook_url } })
    t.deepEqual([removed.status, removed.json], [200, { webhook_url: '' }])
    t.is((await call('GET', '/v1/agent', { key })).json.webhook_url, '')
    t.like((await call('GET', '/v1/webhooks', { key })).json, { webhook_url: '', account_url: URL_2 })
  }
  const facts = { url: URL_2, has_secret: true, secret_last4: secret.slice(-4), agent_url: '' }
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, facts)
})

deepTest(
  'J-WHK-08 Q-52 clearing the account webhook leaves the agent webhook its URL, and a new secret is asked for by rotation',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await activeSeller(app)
    const { secret } = (await call('POST', '/v1/webhook', { key, body: { url: URL_2 } })).json
    await call('POST', '/v1/agent', { key, body: { webhook_url: URL_1 } })
    await call('DELETE', '/v1/webhook', { key })
    t.deepEqual((await call('GET', '/v1/webhook', { key })).json, { ...NONE, agent_url: URL_1 })
    const rotated = (await call('POST', '/v1/webhook', { key, body: { rotate_secret: true } })).json
    t.is(rotated.url, '')
    t.regex(rotated.secret, SECRET)
    t.not(rotated.secret, secret)
  },
)

deepTest('J-WHK-05 rotating answers a new secret, with or without a new URL', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const first = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  const rotated = await call('POST', '/v1/webhook', { key, body: { rotate_secret: true } })
  t.is(rotated.json.url, URL_1)
  const moved = await call('POST', '/v1/webhook', { key, body: { url: URL_2, rotate_secret: true } })
  const secrets = [first, rotated, moved].map(({ json }) => json.secret)
  for (const secret of secrets) t.regex(secret, SECRET)
  t.is(new Set(secrets).size, 3)
  t.is((await call('GET', '/v1/webhook', { key })).json.secret_last4, moved.json.secret.slice(-4))
})

test('J-WHK-06 an empty URL clears it, and the next first URL brings another secret', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const first = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  t.deepEqual((await call('POST', '/v1/webhook', { key, body: { url: '' } })).json, { url: '' })
  t.is((await call('GET', '/v1/webhook', { key })).json.url, '')
  const again = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  t.regex(again.json.secret, SECRET)
  t.not(again.json.secret, first.json.secret)
})

test('J-WHK-08 Q-52 deleting clears the URL and the secret, is quiet when repeated, and the next URL is a first one', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const first = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  const cleared = await call('DELETE', '/v1/webhook', { key })
  t.deepEqual([cleared.status, cleared.json], [200, { url: '', cleared: true }])
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, { ...NONE, agent_url: '' })
  const again = await call('DELETE', '/v1/webhook', { key })
  t.deepEqual([again.json, await causedBy(app, again.requestId)], [{ url: '', cleared: true }, []])
  const next = await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  t.regex(next.json.secret, SECRET)
  t.not(next.json.secret, first.json.secret)
})

test('J-WHK-01 N-76 the agent webhook is shown with how to set it and how to rotate the secret', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  t.is((await call('GET', '/v1/webhooks', { key })).json.webhook_url, '')
  await call('POST', '/v1/agent', { key, body: { webhook_url: URL_1 } })
  await call('POST', '/v1/webhook', { key, body: { url: URL_2 } })
  const { status, json } = await call('GET', '/v1/webhooks', { key })
  t.deepEqual([status, Object.keys(json)], [200, ['webhook_url', 'how_to_set', 'rotate_secret', 'account_url']])
  t.is(json.webhook_url, URL_1)
  for (const how of [json.how_to_set, json.rotate_secret]) t.regex(how, /^POST \/v1\/\w+ with /)
})

test('J-WHK-04 W-URL-01 X-SSRF-01 a URL that may not be called, or a body of another shape, is refused and the old URL stays', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  await call('POST', '/v1/webhook', { key, body: { url: URL_1 } })
  const before = await call('GET', '/v1/webhook', { key })
  const bodies = [
    ...forbiddenUrls.map((url) => ({ url })),
    ...[7, true, [], {}].map((url) => ({ url })),
    ...['true', 1, null].map((rotate_secret) => ({ url: URL_2, rotate_secret })),
    {},
    { rotate_secret: false },
    { URL: URL_2 },
  ]
  const refusal = { path: '/v1/webhook', key, status: 400, code: 'svc_invalid_request' }
  await refused(
    t,
    app,
    bodies.map((body) => ({ what: JSON.stringify(body), body, ...refusal })),
  )
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, before.json)
})

test('there is nothing to rotate before a URL was set', async (t) => {
  const { key } = await signUp(app)
  const refusal = { path: '/v1/webhook', key, status: 400, code: 'svc_invalid_request' }
  await refused(t, app, [{ what: 'no secret yet', body: { rotate_secret: true }, ...refusal }])
})

const forbiddenUrls = [
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'javascript:alert(1)',
  'https://user:pass@hooks.example.com/',
  'https://hooks.example.com:22/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://10.1.2.3/',
  'https://localhost/',
  'https://intranet/',
  'https:// hooks.example.com/',
  'https://hooks.example.com/\n',
  '//hooks.example.com/',
  `https://hooks.example.com/${'a'.repeat(2048)}`,
]
