import test from 'ava'
import type { Answer } from '../../../src/demo/client.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import { letterTo, recoveryLetters, recoveryToken, tokenOf } from '../../support/owner-letters.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, freshEmail, ok, signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly, type Traced } from '../strict.ts'

const MINUTE_MS = 60_000
const PASSWORD = 'correct horse'
const WRONG = 'battery staple'
const ROTATE = '/v1/me?action=rotate-key'

let app: TestApp
let clockAhead = 0
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clockAhead) }, env: { TRUST_PROXY: '1' } })
})
test.after.always(() => app?.stop())
test.afterEach.always(() => {
  clockAhead = 0
})

test.serial(
  'a replaced owner key is good for an hour, may not do what takes an account over, and then ends',
  async (t) => {
    const { key, email } = await activeSeller(app)
    const fresh = await rotate(key, { password: PASSWORD })
    t.regex(fresh.api_key, /^sk_live_[0-9a-f]{16}_[0-9a-f]{64}$/)
    t.is(await statusOf(fresh.api_key), 200)
    t.is(await statusOf(key), 200)
    const old = { key, status: 403, code: 'svc_forbidden' }
    await refused(t, app, [
      { what: 'another key', path: ROTATE, body: { password: PASSWORD }, ...old },
      { what: 'another password', path: '/v1/reset-password', body: { new_password: 'a new password' }, ...old },
      { what: 'another address', path: '/v1/account-email', body: { email: freshEmail() }, ...old },
      { what: 'a sub-key', path: '/v1/subagents', body: { role: 'admin' }, ...old },
    ])
    clockAhead = 60 * MINUTE_MS + 5_000
    t.is(await statusOf(fresh.api_key), 200)
    const ended = await app.call('GET', '/v1/wallets', { key })
    t.deepEqual([ended.status, ended.json.error_code], [401, 'invalid-api-key'])
    const letter = await letterTo(app, email, 'Your owner key was replaced')
    t.regex(letter.text, /If that was not you/)
    t.regex(letter.text, /from the network 127\.0\.0\.1/)
    if (DEEP) await assertReplayEqual(t, app)
  },
)

deepTest.serial(
  'the last use of each owner key is seen, with its network, and noted once in some minutes',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await activeSeller(app)
    const keys = async (by = key, from = '203.0.113.7') =>
      (await call('GET', '/v1/me?action=keys', { key: by, headers: { 'x-forwarded-for': from } })).json.keys
    clockAhead = MINUTE_MS
    const [first] = await keys()
    t.like(first, { status: 'newest', ends_at: null, last_used_network: '203.0.113.7', this_call: true })
    clockAhead = 3 * MINUTE_MS
    const [second] = await keys()
    t.is(second.last_used_at, first.last_used_at, 'one network is noted once in five minutes')
    const [third] = await keys(key, '2001:db8:1:2ff::9')
    t.is(third.last_used_network, '2001:db8:1:200::/56', 'another network is noted sooner')
    t.not(third.last_used_at, first.last_used_at)
    const { api_key } = await rotate(key, { password: PASSWORD })
    const both = await keys(api_key)
    t.deepEqual(
      both.map(({ status, this_call }: { status: string; this_call: boolean }) => [status, this_call]),
      [
        ['newest', true],
        ['replaced', false],
      ],
    )
    t.not(both[1].ends_at, null)
  },
)

test('a use of an owner key writes no event', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  const { requestId } = await call('GET', '/v1/me?action=keys', { key })
  t.deepEqual(await causedBy(app, requestId), [])
})

test('X-ONCE-01 X-HASH-01 an owner key that is leaked ends at once where that is asked, and is stored as a hash', async (t) => {
  const { key } = await activeSeller(app)
  const { api_key } = await rotate(key, { password: PASSWORD, old_key: 'none' })
  const ended = await app.call('GET', '/v1/wallets', { key })
  t.deepEqual([ended.status, ended.json.error_code], [401, 'invalid-api-key'])
  t.is(await statusOf(api_key), 200)
  const log = JSON.stringify(await readLog(app), (_, value) => (typeof value === 'bigint' ? String(value) : value))
  t.false(log.includes(api_key.split('_')[3] as string))
})

test('X-OWN-01 no other key and no stranger replaces the owner key', async (t) => {
  const { key } = await activeSeller(app)
  const sub = await ok(app.call('POST', '/v1/subagents', { key, body: { role: 'admin' } }))
  const store = await ok(app.call('POST', '/v1/stores', { key, body: { label: 'Tea' } }))
  const sandbox = await ok(app.call('POST', '/v1/sandbox-keys', { key, body: {} }))
  const body = { password: PASSWORD }
  const no = { path: ROTATE, body, status: 403, code: 'svc_forbidden' }
  await refused(t, app, [
    { what: 'a sub-key', key: sub.json.api_key, ...no },
    { what: 'a store key', key: store.json.api_key, ...no },
    { what: 'a sandbox key', key: sandbox.json.api_key, ...no, code: 'svc_sandbox_key_rejected' },
    { what: 'nobody', ...no, status: 401, code: 'api-key-not-found' },
    { what: 'a wrong password', key, ...no, body: { password: WRONG }, status: 401, code: 'svc_unauthorized' },
    { what: 'no password', key, ...no, body: {}, status: 400, code: 'svc_invalid_request' },
  ])
  t.is(await statusOf(key), 200)
})

test('guesses at the password are limited for each network, and neither the key nor its owner elsewhere is locked out', async (t) => {
  const { key } = await activeSeller(app)
  const guess = (password: string, from: string) =>
    app.call('POST', ROTATE, { key, body: { password }, headers: { 'x-forwarded-for': from } })
  for (let times = 0; times < 10; times++) t.is((await guess(WRONG, '198.51.100.1')).status, 401)
  t.is((await guess(WRONG, '198.51.100.1')).status, 429)
  t.is((await guess(PASSWORD, '198.51.100.1')).status, 429)
  t.is(await statusOf(key), 200)
  t.is((await guess(PASSWORD, '198.51.100.2')).status, 200)
})

deepTest('of two rotations by one key at once, one wins', async (t) => {
  const { key } = await activeSeller(app)
  const answers = await Promise.all(
    [1, 2, 3].map(() => app.call('POST', ROTATE, { key, body: { password: PASSWORD } })),
  )
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403, 403])
})

test('X-ONCE-01 a lost owner key is had anew by a mailed link and the password, once, and ends every older one', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await activeSeller(app)
  const asked = await call('POST', '/recover-key', { body: { email: email.toUpperCase() } })
  t.is(asked.status, 200)
  const token = await recoveryToken(app, email)
  const wrong = await confirm(token, WRONG)
  t.deepEqual([wrong.status, wrong.json.error_code], [401, 'svc_unauthorized'])
  t.is(await statusOf(key), 200, 'a wrong password changes nothing')
  const { status, json } = await call('POST', '/recover-key/confirm', { body: { token, password: PASSWORD } })
  t.is(status, 200)
  t.deepEqual([await statusOf(json.api_key), await statusOf(key)], [200, 401])
  const again = await confirm(token, PASSWORD)
  t.deepEqual([again.status, again.json.error_code], [410, 'svc_gone'])
  const letter = await letterTo(app, email, 'Your owner key was replaced')
  t.regex(letter.text, /somebody reads your mail and knows your password/)
})

deepTest('a person recovers the owner key by pages, and the key is shown once', async (t) => {
  const { key, email } = await activeSeller(app)
  const page = { headers: { accept: 'text/html' } }
  t.regex((await app.call('GET', '/recover-key', page)).text, /<form method="post" action="\/recover-key">/)
  t.is((await form('/recover-key', { email: 'nobody' })).status, 422)
  t.regex((await form('/recover-key', { email })).text, /Look into your mail/)
  const token = await recoveryToken(app, email)
  const looked = await app.call('GET', `/recover-key/confirm?token=${token}`, page)
  t.deepEqual([looked.status, /type="password"/.test(looked.text)], [200, true])
  t.is((await form('/recover-key/confirm', { token, password: WRONG })).status, 422)
  const { status, text, headers } = await form('/recover-key/confirm', { token, password: PASSWORD })
  const [fresh = ''] = /sk_live_[0-9a-f_]+/.exec(text) ?? []
  t.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
  t.deepEqual([await statusOf(fresh), await statusOf(key)], [200, 401])
  t.is((await form('/recover-key/confirm', { token, password: PASSWORD })).status, 410)
  t.is((await app.call('GET', `/recover-key/confirm?token=${token}`, page)).status, 410)
})

test('a request for a recovery tells nobody whether an account has the address, and mails only a proven one', async (t) => {
  const call = strictly(t, app)
  const known = await activeSeller(app)
  const unproven = await signUp(app)
  const answers: Traced[] = []
  for (const email of [known.email, unproven.email, freshEmail()])
    answers.push(await call('POST', '/recover-key', { body: { email } }))
  t.deepEqual(
    answers.map(({ status, text }) => [status, text]),
    answers.map(() => [200, answers[0]?.text]),
  )
  await recoveryToken(app, known.email)
  const log = await readLog(app)
  const causes = answers.map(({ requestId }) => log.filter((each) => each.cause.correlationId === requestId).length > 0)
  t.deepEqual(causes, [true, false, false])
})

deepTest(
  'only the newest recovery link works, a mailbox gets three an hour, and the last link stays good',
  async (t) => {
    const { email } = await activeSeller(app)
    const ask = async (from: string) =>
      (await app.call('POST', '/recover-key', { body: { email }, headers: { 'x-forwarded-for': from } })).status
    t.is(await ask('198.51.100.11'), 200)
    const first = await recoveryToken(app, email)
    for (const from of ['198.51.100.12', '198.51.100.13', '198.51.100.14']) t.is(await ask(from), 200)
    const letters = await recoveryLetters(app, email, 3)
    t.is(letters.length, 3)
    t.is((await confirm(first, PASSWORD)).status, 410)
    t.is((await confirm(tokenOf(letters[0]), PASSWORD)).status, 200)
  },
)

deepTest.serial('a recovery link lapses after an hour', async (t) => {
  const { key, email } = await activeSeller(app)
  await app.call('POST', '/recover-key', { body: { email } })
  const token = await recoveryToken(app, email)
  clockAhead = 60 * MINUTE_MS + 5_000
  t.is((await confirm(token, PASSWORD)).status, 410)
  t.is(await statusOf(key), 200)
})

deepTest('guesses at the password of a recovery link are limited', async (t) => {
  const { email } = await activeSeller(app)
  await app.call('POST', '/recover-key', { body: { email } })
  const token = await recoveryToken(app, email)
  for (let times = 0; times < 10; times++) t.is((await confirm(token, WRONG)).status, 401)
  t.is((await confirm(token, PASSWORD)).status, 429)
  const stranger = `acc_${'a'.repeat(26)}.${'0'.repeat(64)}`
  t.deepEqual([(await confirm(stranger, PASSWORD)).status, (await confirm('x', PASSWORD)).status], [410, 410])
})

test('a key that is wrong is told so, and one in Authorization is told its header', async (t) => {
  const message = async (headers: Record<string, string>) => {
    const { status, json } = await app.call('GET', '/v1/wallets', { headers })
    return [status, json.error_code, json.message]
  }
  const bearer = `Bearer sk_live_${'0'.repeat(16)}_${'0'.repeat(64)}`
  for (const [headers, words] of [
    [{}, /^Send your API key in the header X-Api-Key/],
    [{ 'x-api-key': 'sk_live_nonsense' }, /not valid/],
    [{ 'x-api-key': `sk_live_${'0'.repeat(16)}_${'0'.repeat(64)}` }, /not valid/],
    [{ authorization: bearer }, /header X-Api-Key.*not in Authorization/],
  ] as const) {
    const [status, code, text] = await message(headers)
    t.deepEqual([status, code], [401, 'api-key-not-found'])
    t.regex(text, words)
  }
})

const rotate = async (key: string, body: object) => (await ok(app.call('POST', ROTATE, { key, body }))).json

const statusOf = async (key: string): Promise<number> => (await app.call('GET', '/v1/wallets', { key })).status

const confirm = (token: string, password: string): Promise<Answer> =>
  app.call('POST', '/recover-key/confirm', { body: { token, password } })

const form = (path: string, fields: Record<string, string>): Promise<Answer> =>
  app.call('POST', path, {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })
