import test from 'ava'
import { createPasswords } from '../../../adapters/crypto/passwords.ts'
import type { Answer } from '../../../src/demo/client.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf } from '../../support/sale.ts'
import { activeSeller, freshEmail, mailedLink, signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse'
const RIVAL = 'another horse'

let app: TestApp
let clockAhead = 0
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clockAhead) } })
})
test.after.always(() => app?.stop())
test.afterEach.always(() => {
  clockAhead = 0
})

deepTest.serial(
  'J-ACC-13 J-ACC-17 an account is sent five letters an hour that it asks for, and then again',
  async (t) => {
    const { key, email } = await signUp(app)
    const [change, resend] = [
      { path: '/v1/account-email', body: { email: freshEmail() } },
      { path: '/v1/resend-verification' },
    ]
    for (const { path, ...rest } of [change, resend, resend, change, resend])
      t.is((await app.call('POST', path, { key, ...rest })).status, 200)
    const busy = { key, status: 429, code: 'svc_rate_limited' }
    await refused(t, app, [
      { what: 'a sixth change', ...change, ...busy },
      { what: 'a sixth resend', ...resend, ...busy },
    ])
    clockAhead = HOUR_MS + 5_000
    t.is((await app.call('POST', resend.path, { key })).status, 200)
    t.is((await lettersTo(email, 1)).length, 1, 'the letters went to the address that was asked for last')
  },
)

deepTest.serial('J-ACC-13 the link to a new address lapses after 24 hours, and the old address stays', async (t) => {
  const { key, email } = await activeSeller(app)
  const next = freshEmail()
  await app.call('POST', '/v1/account-email', { key, body: { email: next } })
  const link = await mailedLink(app, next)
  clockAhead = 24 * HOUR_MS + 5_000
  t.is((await follow(link)).status, 410)
  t.is((await app.call('GET', '/v1/me', { key })).json.email, email)
})

test('J-ACC-13 N-19 a new address counts once its link is followed; the old one is then free for others', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await activeSeller(app)
  const next = freshEmail()
  const { status, json } = await call('POST', '/v1/account-email', { key, body: { email: next } })
  t.deepEqual([status, Object.keys(json)], [200, ['email', 'verification_required', 'next']])
  t.like(json, { email: next, verification_required: true })
  t.is((await lettersTo(next, 1)).length, 1)
  t.is((await lettersTo(email, 1)).length, 1, 'nothing but the letter of the sign-up')
  const present = async () => (await call('GET', '/v1/me', { key })).json
  t.like(await present(), { email, activated: true, credit_balance: 5 })
  const rival = await rivalLink(email)
  t.is((await prove(rival, RIVAL)).status, 409, 'the old address is still taken')

  const link = await mailedLink(app, next)
  const followed = await follow(link)
  t.regex(followed.text, /It is the address of your account from now on/)
  t.like(await present(), { email: next, activated: true, credit_balance: 5 })
  t.deepEqual([(await follow(link)).status, (await prove(await rivalLink(next), RIVAL)).status], [200, 409])
  await eventually('the old address is free', async () => (await follow(rival)).status === 200)
  t.is((await follow(link)).status, 200)
  t.like(await present(), { email: next, credit_balance: 5 })
})

deepTest(
  'J-ACC-13 N-19 an account that is not active yet is activated by the link to its new address, and by that one alone',
  async (t) => {
    const { key, email } = await signUp(app)
    const first = await mailedLink(app, email)
    const next = freshEmail()
    await app.call('POST', '/v1/account-email', { key, body: { email: next } })
    t.is((await follow(first)).status, 410, 'only the newest link works')
    t.is((await app.call('GET', '/v1/me', { key })).status, 402)
    t.is((await follow(await mailedLink(app, next))).status, 200)
    t.like((await app.call('GET', '/v1/me', { key })).json, { email: next, activated: true, credit_balance: 5 })
  },
)

deepTest('J-ACC-13 of two addresses that were asked for, the newest is the one', async (t) => {
  const { key } = await activeSeller(app)
  const [one, two] = [freshEmail(), freshEmail()]
  for (const email of [one, two]) await app.call('POST', '/v1/account-email', { key, body: { email } })
  t.is((await follow(await mailedLink(app, one))).status, 410)
  t.is((await follow(await mailedLink(app, two))).status, 200)
  t.is((await app.call('GET', '/v1/me', { key })).json.email, two)
  t.is((await prove(await rivalLink(one), RIVAL)).status, 200, 'an address that was only asked for is nobody’s')
})

test('J-ACC-13 N-16 an address that is taken is asked for like any other, told by letter, and not given', async (t) => {
  const [mine, other, nobodys] = [await activeSeller(app), await activeSeller(app), freshEmail()]
  const refusal = { path: '/v1/account-email', key: mine.key, status: 400, code: 'svc_invalid_request' }
  const malformed = ['', 'a', 'a@x', 7, null].map((email) => ({ what: `${email}`, body: { email }, ...refusal }))
  await refused(t, app, [...malformed, { what: 'none', body: {}, ...refusal }])
  const call = strictly(t, app)
  const answers = []
  for (const email of [nobodys, other.email.toUpperCase()]) {
    const { status, json, requestId } = await call('POST', '/v1/account-email', { key: mine.key, body: { email } })
    answers.push({
      status,
      json: { ...json, email: '' },
      events: (await causedBy(app, requestId)).filter((type) => type !== 'LetterSent'),
    })
  }
  t.is(answers[0]?.status, 200)
  t.deepEqual(answers[0], answers[1])
  const [letter] = await lettersTo(other.email, 2)
  t.regex(letter?.text ?? '', /has this address, and keeps it/)
  const late = await follow(letter?.links[0] as string)
  t.deepEqual([late.status, late.json.error_code], [409, 'svc_conflict'])
  t.regex(late.text, /An account has this address already/)
  t.is((await app.call('GET', '/v1/me', { key: mine.key })).json.email, mine.email)
  t.is((await app.call('GET', '/v1/me', { key: other.key })).json.email, other.email)
})

deepTest('J-ACC-13 two accounts that want one address: whoever follows the link first has it', async (t) => {
  const rivals = [await activeSeller(app), await activeSeller(app)]
  const wanted = freshEmail()
  for (const { key } of rivals) await app.call('POST', '/v1/account-email', { key, body: { email: wanted } })
  const links = await eventually('both letters', async () => {
    const found = await lettersTo(wanted, 1)
    return found.length === 2 && found.map((each) => each.links[0] as string)
  })
  for (const link of links) t.is((await follow(link)).status, 403, 'both are asked for their password')
  const answers = await Promise.all([...links, ...links].map((link) => prove(link)))
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409])
  const emails = await Promise.all(rivals.map(async ({ key }) => (await app.call('GET', '/v1/me', { key })).json.email))
  t.is(emails.filter((email) => email === wanted).length, 1)
})

deepTest(
  'J-ACC-13 an account goes back to its old address, and its own address asked for again is nothing new',
  async (t) => {
    const { key, email } = await activeSeller(app)
    const next = freshEmail()
    for (const to of [next, email]) {
      const before = (await lettersTo(to, 0)).length
      await app.call('POST', '/v1/account-email', { key, body: { email: to } })
      t.is((await follow((await lettersTo(to, before + 1))[0]?.links[0] as string)).status, 200)
    }
    t.is((await app.call('GET', '/v1/me', { key })).json.email, email)
    const letters = (await lettersTo(email, 0)).length
    await app.call('POST', '/v1/account-email', { key, body: { email } })
    const again = await follow((await lettersTo(email, letters + 1))[0]?.links[0] as string)
    t.regex(again.text, /Your account is active/)
    t.is((await prove(await rivalLink(email), RIVAL)).status, 409, 'it was not released')
  },
)

test('J-ACC-17 N-76 before activation the letter is sent again with a new link, after it there is nothing to send', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await signUp(app)
  const first = await mailedLink(app, email)
  const { status, json } = await call('POST', '/v1/resend-verification', { key })
  t.deepEqual([status, json.sent, Object.keys(json)], [200, true, ['sent', 'next']])
  const newest = (await lettersTo(email, 2))[0]?.links[0] as string
  t.not(newest, first)
  t.is((await follow(first)).status, 410)
  t.is((await follow(newest)).status, 200)
  const done = await call('POST', '/v1/resend-verification', { key })
  t.deepEqual([done.status, done.json.sent], [200, false])
  t.deepEqual(await causedBy(app, done.requestId), [])
  const next = freshEmail()
  await call('POST', '/v1/account-email', { key, body: { email: next } })
  t.true((await call('POST', '/v1/resend-verification', { key })).json.sent, 'a new address waits to be proven')
  t.is((await lettersTo(next, 2)).length, 2)
})

test('J-ACC-15 a new password is stored as another hash, and the keys go on', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await activeSeller(app)
  const { status, json, requestId } = await call('POST', '/v1/reset-password', {
    key,
    body: { new_password: 'battery staple' },
  })
  t.deepEqual([status, json], [200, { reset: true }])
  const mine = (await readLog(app)).find(
    ({ cause, type }) => cause.correlationId === requestId && type === 'PasswordReset',
  )
  const [signedUp] = await saidOf(app, 'AccountSignedUp', mine?.stream as string)
  const [reset] = await saidOf(app, 'PasswordReset', mine?.stream as string)
  const passwords = createPasswords()
  t.true(await passwords.verify(reset?.passwordHash as string, 'battery staple'))
  t.false(await passwords.verify(reset?.passwordHash as string, PASSWORD))
  t.not(reset?.passwordHash, signedUp?.passwordHash)
  t.is((await call('GET', '/v1/me', { key })).json.email, email)
  const refusal = { path: '/v1/reset-password', key, status: 400, code: 'svc_invalid_request' }
  const bad = ['1234567', 'x'.repeat(257), '', '🐎🐎🐎🐎', 12345678, null]
  await refused(
    t,
    app,
    bad.map((new_password) => ({ what: `${new_password}`, body: { new_password }, ...refusal })),
  )
})

test('J-ACC-04 Q-46 the primary wallet that was given at sign-up is shown', async (t) => {
  const [email, primary_wallet] = [freshEmail(), 'my favourite: bc1…']
  const { json } = await app.call('POST', '/v1/signup', { body: { email, password: PASSWORD, primary_wallet } })
  await follow(await mailedLink(app, email))
  t.is((await app.call('GET', '/v1/me', { key: json.api_key })).json.primary_wallet, primary_wallet)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** The link that somebody gets who signs up with the address. */
const rivalLink = async (email: string): Promise<string> => {
  const before = (await lettersTo(email, 0)).length
  await app.call('POST', '/v1/signup', { body: { email, password: RIVAL } })
  const [letter] = await lettersTo(email, before + 1)
  return letter?.links[0] as string
}

const prove = (link: string, password = PASSWORD): Promise<Answer> =>
  app.call('POST', '/verify-email', { body: { token: new URL(link).searchParams.get('token'), password } })

const follow = (link: string): Promise<Answer> => {
  const { pathname, search } = new URL(link)
  return app.call('GET', pathname + search)
}

type Letter = { to: string; text: string; links: string[] }

/** The letters to an address, newest first, once there are so many; what tells the former address is told elsewhere. */
const lettersTo = (email: string, count: number): Promise<Letter[]> =>
  eventually(`${count} letters to ${email}`, async () => {
    const { json } = await app.call('GET', '/dev/inbox.json')
    const found = (json as Letter[]).filter(({ to }) => to.toLowerCase() === email.toLowerCase())
    const asked = found.filter(({ text }) => !text.startsWith('The address of your Daybook account is'))
    return asked.length >= count && asked
  })
