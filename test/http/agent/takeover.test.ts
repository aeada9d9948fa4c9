import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { letters, letterTo, recoveryToken } from '../../support/owner-letters.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, freshEmail, mailedLink, ok } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { refused } from '../strict.ts'

/** Whoever has a leaked owner key alone does not take the account over, and nothing that they do is unseen. */

const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse'
const STOLEN = 'a stolen account'
const ROTATE = '/v1/me?action=rotate-key'
const RESET = '/v1/reset-password'

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
  'N-78 J-ACC-15 a password that a leaked key has set replaces no key, and its owner is told and ends the thief’s',
  async (t) => {
    const { key, email } = await activeSeller(app)
    t.deepEqual(await reset(key, { new_password: STOLEN }, '198.51.100.66'), { reset: true })
    const { text } = await letterTo(app, email, 'Your password was changed')
    t.regex(text, /from the network 198\.51\.100\.66/)
    t.regex(text, /If that was not you, somebody has your owner key/)
    const wrong = { key, status: 401, code: 'svc_unauthorized' }
    await refused(t, app, [
      { what: 'another key', path: ROTATE, body: { password: STOLEN }, ...wrong },
      { what: 'a proof', path: RESET, body: { new_password: 'yet another one', old_password: STOLEN }, ...wrong },
    ])
    const { json } = await app.call('POST', ROTATE, { key, body: { password: STOLEN } })
    t.regex(json.message, /set by the owner key alone, and counts from \d{4}-\d\d-\d\d at \d\d:\d\d UTC/)
    await app.call('POST', '/recover-key', { body: { email } })
    const token = await recoveryToken(app, email)
    const confirm = (password: string) => app.call('POST', '/recover-key/confirm', { body: { token, password } })
    t.is((await confirm(STOLEN)).status, 401)
    const { status, json: fresh } = await confirm(PASSWORD)
    t.deepEqual([status, await statusOf(fresh.api_key), await statusOf(key)], [200, 200, 401])
    clockAhead = 25 * HOUR_MS
    const later = { key: fresh.api_key, path: ROTATE, status: 401, code: 'svc_unauthorized' }
    await refused(t, app, [{ what: 'the password of the thief', body: { password: STOLEN }, ...later }])
    t.is((await app.call('POST', ROTATE, { key: fresh.api_key, body: { password: PASSWORD } })).status, 200)
  },
)

test.serial(
  'N-78 who has forgotten the password sets one with the key, and it replaces keys a day later',
  async (t) => {
    const { key } = await activeSeller(app)
    await reset(key, { new_password: STOLEN })
    clockAhead = 24 * HOUR_MS + 5_000
    const { status, json } = await app.call('POST', ROTATE, { key, body: { password: STOLEN } })
    t.is(status, 200)
    t.is((await app.call('POST', ROTATE, { key: json.api_key, body: { password: PASSWORD } })).status, 401)
  },
)

deepTest(
  'N-78 J-ACC-15 a password that is set with the one before it counts at once, and its owner is told',
  async (t) => {
    const { key, email } = await activeSeller(app)
    t.deepEqual(await reset(key, { new_password: 'battery staple', old_password: PASSWORD }), { reset: true })
    t.regex((await letterTo(app, email, 'Your password was changed')).text, /knew the password before it/)
    t.is((await app.call('POST', ROTATE, { key, body: { password: PASSWORD } })).status, 401)
    t.is((await app.call('POST', ROTATE, { key, body: { password: 'battery staple' } })).status, 200)
  },
)

deepTest('N-78 guesses at the old password are limited with those at a new key', async (t) => {
  const { key } = await activeSeller(app)
  const from = { 'x-forwarded-for': '198.51.100.77' }
  const guess = (old_password: string) =>
    app.call('POST', RESET, { key, headers: from, body: { new_password: STOLEN, old_password } })
  for (let times = 0; times < 5; times++) {
    t.is((await guess('battery staple')).status, 401)
    t.is((await app.call('POST', ROTATE, { key, headers: from, body: { password: 'battery staple' } })).status, 401)
  }
  t.is((await guess(PASSWORD)).status, 429)
})

test('N-78 J-ACC-13 the former address is told of a new one, masked, and the new one counts once its link is followed', async (t) => {
  const { key, email } = await activeSeller(app)
  const next = freshEmail()
  await ok(app.call('POST', '/v1/account-email', { key, body: { email: next } }))
  const link = new URL(await mailedLink(app, next))
  t.is((await app.call('GET', '/v1/me', { key })).json.email, email)
  t.is((await letters(app, email)).length, 1, 'nothing has changed yet')
  await ok(app.call('GET', `${link.pathname}${link.search}`))
  const { text } = await letterTo(app, email, 'The address of your account was changed')
  t.true(text.includes(`p…@${next.split('@')[1]}`), text)
  t.false(text.includes(next))
  t.regex(text, /rotate-key/)
  t.is((await letters(app, next)).filter(({ subject }) => /was changed/.test(subject)).length, 0)
})

deepTest.serial(
  'N-78 with a new password and a new address, too, a leaked key has two letters against it and a day to wait',
  async (t) => {
    const { key, email } = await activeSeller(app)
    const thief = freshEmail()
    await reset(key, { new_password: STOLEN })
    await ok(app.call('POST', '/v1/account-email', { key, body: { email: thief } }))
    const link = new URL(await mailedLink(app, thief))
    await ok(app.call('GET', `${link.pathname}${link.search}`))
    await letterTo(app, email, 'Your password was changed')
    await letterTo(app, email, 'The address of your account was changed')
    await ok(app.call('POST', '/recover-key', { body: { email: thief } }))
    const token = await recoveryToken(app, thief)
    const taken = await app.call('POST', '/recover-key/confirm', { body: { token, password: STOLEN } })
    t.deepEqual([taken.status, taken.json.error_code], [401, 'svc_unauthorized'])
    // The owner has the key and the password of before, and so ends the key that others have.
    const own = await ok(app.call('POST', ROTATE, { key, body: { password: PASSWORD, old_key: 'none' } }))
    t.deepEqual([await statusOf(key), await statusOf(own.json.api_key)], [401, 200])
    t.is((await app.call('POST', '/recover-key/confirm', { body: { token, password: STOLEN } })).status, 410)
  },
)

test('N-78 X-HASH-01 neither password is in the log, and the network only sealed', async (t) => {
  const { key } = await activeSeller(app)
  await reset(key, { new_password: 'never in the log', old_password: PASSWORD }, '198.51.100.99')
  const log = JSON.stringify(await readLog(app), (_, value) => (typeof value === 'bigint' ? String(value) : value))
  for (const secret of ['never in the log', PASSWORD, '198.51.100.99']) t.false(log.includes(secret), secret)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const reset = async (key: string, body: object, from = '198.51.100.1') =>
  (await ok(app.call('POST', RESET, { key, body, headers: { 'x-forwarded-for': from } }))).json

const statusOf = async (key: string): Promise<number> => (await app.call('GET', '/v1/wallets', { key })).status
