import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { openOperator } from '../../../support/operator.ts'
import { hiddenIn, person, signIn, withTotp } from '../../../support/people.ts'

/** Signing in: what a browser gets, what it is refused, and what nobody learns by trying. */

let shift = 0
const now = () => Date.now() + shift
/** Tries are counted by the minute and the hour; each test begins with none. */
const later = (ms = 2 * 3_600_000) => {
  shift += ms
}

let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(now()) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

test.serial('N-59 a password signs a person in, with a cookie that scripts and other sites do not get', async (t) => {
  const user = await operator.user()
  const ada = person(app)
  const asked = await ada.open('/account/sessions?x=1')
  t.deepEqual([asked.status, asked.location], [303, '/sign-in?next=%2Faccount%2Fsessions%3Fx%3D1'])
  const page = await ada.open(asked.location)
  t.is(page.status, 200)
  for (const part of ['autocomplete="username webauthn"', 'autocomplete="current-password"', 'name="next"'])
    t.true(page.text.includes(part), part)
  const done = await signIn(ada, { ...user, next: '/account/sessions?x=1' })
  t.deepEqual([done.status, done.location], [303, '/account/sessions?x=1'])
  const [sid = ''] = done.headers.getSetCookie().filter((each) => each.startsWith('sid='))
  t.regex(sid, /^sid=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/)
  t.true((await ada.open('/account/sessions')).text.includes('Firefox on Linux'))
  t.is((await ada.send('/sign-out')).status, 303)
  t.is((await ada.open('/account')).status, 303)
  ada.cookies.set('sid', sid.slice(4, 68))
  t.is((await ada.open('/account')).status, 303, 'the old secret is of no use')
})

test.serial(
  'A-OID-07 A-OID-08 signing in again renews the time and the secret of a session, and keeps the session',
  async (t) => {
    const user = await operator.user()
    const ada = person(app)
    await signIn(ada, user)
    const before = ada.cookies.get('sid')
    const [session] = await operator.signIn.sessions.ofUser(user.sub, new Date(now()))
    t.like(await ada.open('/sign-in'), { status: 303, location: '/account' })
    later(60_000)
    const screen = await ada.open('/sign-in?again=1&next=%2Faccount')
    t.is(screen.status, 200)
    t.true(screen.text.includes('Sign in again'))
    t.is((await ada.send('/sign-in', { email: user.email, password: user.password }, '/sign-in?again=1')).status, 303)
    t.not(ada.cookies.get('sid'), before)
    const [renewed, ...others] = await operator.signIn.sessions.ofUser(user.sub, new Date(now()))
    t.deepEqual([renewed?.sid, others.length], [session?.sid, 0])
    t.true(Date.parse(renewed?.authTime ?? '') - Date.parse(session?.authTime ?? '') >= 60_000)

    const other = await operator.user()
    await ada.send('/sign-in', { email: other.email, password: other.password }, '/sign-in?again=1')
    t.deepEqual(await operator.signIn.sessions.ofUser(user.sub, new Date(now())), [], 'whoever was there is signed out')
  },
)

test.serial('N-59 after signing in a browser is led to pages of ours alone', async (t) => {
  const user = await operator.user()
  for (const next of ['https://evil.test/', '//evil.test', '/\\evil.test', '/\t/evil.test', 'evil', '/a\r\nX: y', '/%'])
    t.is((await signIn(person(app), { ...user, next })).location, next === '/%' ? '/%' : '/account', next)
})

test.serial('N-59 an unknown address and a wrong password are told alike', async (t) => {
  later()
  const user = await operator.user()
  const tell = async (email: string) => {
    const { status, text } = await person(app).send('/sign-in', { email, password: 'wrong password' })
    return [status, text.replaceAll(email, '').replaceAll(/(value|data-options)="[^"]*"/g, '')]
  }
  t.deepEqual(await tell(user.email), await tell('nobody@people.test'))
  t.is((await tell(user.email))[0], 422)
})

test.serial('N-59 forms of other sites, of other sessions and of before are not taken', async (t) => {
  const user = await operator.user()
  const ada = person(app)
  const fields = { email: user.email, password: user.password }
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    t.is((await ada.post('/sign-in', fields, headers)).status, 403)
  t.is((await ada.post('/sign-in', fields, { 'sec-fetch-site': '', origin: 'https://evil.test' })).status, 403)
  await signIn(ada, user)
  const bob = person(app)
  await signIn(bob, await operator.user())
  const { csrf = '' } = hiddenIn((await bob.open('/account')).text)
  for (const stale of ['', csrf])
    t.is((await ada.post('/account', { csrf: stale, name: 'Eve of elsewhere' })).status, 403)
  t.false((await ada.open('/account')).text.includes('Eve of'))
})

test.serial(
  'N-59 pages of people load nothing from elsewhere, stand in no frame, and tell nobody where they are',
  async (t) => {
    const ada = person(app)
    await signIn(ada, await operator.user())
    for (const path of [
      '/sign-in?again=1',
      '/sign-up',
      '/sign-in/forgot',
      '/account',
      '/account/security',
      '/sign-out',
    ]) {
      const { headers, text } = await ada.open(path)
      const policy = headers.get('content-security-policy') ?? ''
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ])
        t.true(policy.includes(part), `${path} ${part}`)
      t.is(headers.get('x-frame-options'), 'DENY')
      t.is(headers.get('referrer-policy'), 'no-referrer')
      t.is(headers.get('cache-control'), 'no-store')
      t.false(/<script(?![^>]* src=)/.test(text) || /\son\w+=/.test(text), path)
    }
  },
)

test.serial(
  'L-AUT-11 guesses are bounded for each address and account, and never keep its owner out of a known browser',
  async (t) => {
    later()
    const user = await operator.user()
    const known = person(app)
    await signIn(known, user)
    known.cookies.delete('sid')
    const guesser = person(app)
    const answers: number[] = []
    // A guess more is free after some seconds, which a busy machine takes for a few of them.
    while (answers.at(-1) !== 429 && answers.length < 50)
      answers.push((await guesser.send('/sign-in', { email: user.email, password: `guess ${answers.length}` })).status)
    t.is(answers.at(-1), 429)
    t.true(answers.length > 9, `${answers.length} guesses`)
    t.true(answers.slice(0, -1).every((status) => status === 422))
    const refused = await guesser.send('/sign-in', { email: user.email, password: user.password })
    t.is(refused.status, 429)
    t.regex(refused.headers.get('retry-after') ?? '', /^\d+$/)
    t.true(refused.text.includes('Please wait'))
    t.is((await signIn(known, user)).status, 303, 'the owner signs in where they have before')
    const other = await operator.user()
    t.is((await signIn(guesser, other)).status, 303, 'another account behind the same address')
    guesser.cookies.delete('sid')
    later(60_000)
    t.is((await guesser.send('/sign-in', { email: user.email, password: user.password })).status, 303)
  },
)

test.serial('N-59 X-MFA-01 a second factor is asked for after the password, and each code counts once', async (t) => {
  const user = await operator.user()
  const code = await withTotp(operator, user.sub, now)
  const ada = person(app)
  t.like(await signIn(ada, user), { status: 303, location: '/sign-in/confirm' })
  t.is((await ada.open('/account')).status, 303, 'the password alone signs nobody in')
  t.is((await ada.send('/sign-in/confirm', { code: '000000' })).status, 422)
  t.like(await ada.send('/sign-in/confirm', { code: code() }), { status: 303, location: '/account' })
  const [session] = await operator.signIn.sessions.ofUser(user.sub, new Date(now()))
  t.deepEqual(session?.amr, ['pwd', 'otp', 'mfa'])

  const eve = person(app)
  await signIn(eve, user)
  const replayed = await eve.send('/sign-in/confirm', { code: code() })
  t.is(replayed.status, 422)
  t.true(replayed.text.includes('used already'))
  const page = hiddenIn((await eve.open('/sign-in/confirm')).text)
  later(30_000)
  await eve.post('/sign-in/confirm', { ...page, code: '000000' })
  t.is((await eve.post('/sign-in/confirm', { ...page, code: code() })).status, 422, 'a page is answered once')
  for (let n = 0; n < 5; n++) await eve.send('/sign-in/confirm', { code: '000000' })
  t.is((await eve.send('/sign-in/confirm', { code: code() })).status, 429, 'five codes in a minute')
  later(60_000)
  t.is((await eve.send('/sign-in/confirm', { code: code() })).status, 303)
  t.is((await person(app).open('/sign-in/confirm')).location, '/sign-in')
})

test.serial('N-59 a session ends a day after the last visit, and two weeks after it began', async (t) => {
  const user = await operator.user()
  const [idle, busy] = [person(app), person(app)]
  await signIn(idle, user)
  await signIn(busy, user)
  for (let day = 0; day < 13; day++) {
    later(23 * 3_600_000)
    t.is((await busy.open('/account')).status, 200, `day ${day}`)
  }
  t.is((await idle.open('/account')).status, 303)
  later(23 * 3_600_000)
  await busy.open('/account')
  later(23 * 3_600_000)
  t.is((await busy.open('/account')).status, 303)
})

test.serial('A-OID-11 an app that a user revokes loses its tokens at once and its place on the page', async (t) => {
  const user = await operator.user()
  const { clientId } = await operator.app({ name: 'Harbour Tea' })
  const ada = person(app)
  await signIn(ada, user)
  const scopes = ['openid', 'profile']
  await operator.ledger.consent.grant(`${user.sub}:${clientId}`, { sub: user.sub, clientId, scopes })
  const [{ sid } = { sid: '' }] = await operator.signIn.sessions.ofUser(user.sub, new Date(now()))
  const { world } = operator.flow
  const grant = { clientId, sub: user.sub, sid, scope: 'openid profile', revocations: 0 }
  const asked = { redirectUri: 'https://app.test/cb', nonce: null, challenge: null }
  const code = { ...grant, ...asked, authTime: new Date().toISOString(), amr: ['pwd'] }
  await operator.signIn.tokens.addCode(world.digest('code'), code, new Date(now() + 60_000))
  const tokenOf = { hash: world.digest('token'), expiresAt: new Date(now() + 3_600_000) }
  await operator.signIn.tokens.redeem(world.digest('code'), { clientId, ...asked }, tokenOf, new Date(now()))
  const userinfo = () => app.call('GET', '/oauth2?op=userinfo', { headers: { authorization: 'Bearer token' } })
  t.is((await userinfo()).status, 200)
  await eventually('the app on the page', async () => (await ada.open('/account/apps')).text.includes('Harbour Tea'))
  t.true((await ada.open('/account/apps')).text.includes('see your name'))
  t.is((await ada.send('/account/apps', { client_id: clientId })).status, 303)
  t.is((await userinfo()).status, 401)
  t.false((await ada.open('/account/apps')).text.includes('Harbour Tea'))
  const query = new URLSearchParams({
    op: 'authorize',
    client_id: clientId,
    redirect_uri: 'https://app.test/cb',
    response_type: 'code',
    scope: 'openid profile',
    state: 's'.repeat(20),
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  })
  const consent = await ada.open(`/oauth2?${query}`)
  t.deepEqual([consent.status, consent.text.includes('If you allow it, Harbour Tea can')], [200, true])
})
