import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'
import { lettersTo, person, signIn } from '../../support/people.ts'
import { activeSeller, freshEmail, mailedLink, ok, signUp } from '../../support/seller.ts'

/** Members sign in to the dashboard and are signed out of it, over real HTTP. */

let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp()
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

deepTest('N-82 a seller makes an account on a page, follows the letter and signs in', async (t) => {
  const who = person(app)
  const email = freshEmail()
  const made = await who.send('/dashboard/sign-up', { email, new_password: 'a difference engine' })
  t.is(made.status, 200)
  t.regex(made.text, /sk_live_[0-9a-f]{16}_[0-9a-f]{64}/)
  const early = await memberSignIn(who, { email, password: 'a difference engine' })
  t.is(early.status, 403)
  t.regex(early.text, /Confirm your email address/)
  t.is((await who.open('/dashboard')).status, 303)
  const link = await eventually('the second letter', async () => {
    const [newest, first] = await lettersTo(app, email)
    return first && newest?.links[0] ? new URL(newest.links[0]) : undefined
  })
  t.is((await app.call('GET', `${link.pathname}${link.search}`)).status, 200)
  const answer = await memberSignIn(who, { email, password: 'a difference engine' })
  t.deepEqual([answer.status, answer.location], [303, '/dashboard'])
  const home = await who.open('/dashboard')
  t.is(home.status, 200)
  t.true(home.text.includes(email))
})

test('N-82 a wrong password and an unknown address have one answer, and sign nobody in', async (t) => {
  const { email } = await activeSeller(app)
  const wrong = await memberSignIn(person(app), { email, password: 'another horse' })
  const unknown = await memberSignIn(person(app), { email: freshEmail(), password: PASSWORD })
  const plain = (text: string) => text.replaceAll(/value="[^"]*"|data-options="[^"]*"/g, '')
  t.deepEqual([wrong.status, plain(wrong.text)], [unknown.status, plain(unknown.text)])
  t.is(wrong.status, 422)
  t.false(wrong.headers.getSetCookie().some((each) => each.startsWith('member=')))
})

test('N-82 a stranger’s account for the same address tells nothing of whose it is', async (t) => {
  const { email } = await activeSeller(app)
  const stranger = freshEmail()
  for (const address of [email, stranger])
    await ok(app.call('POST', '/v1/signup', { body: { email: address, password: 'a stranger’s own' } }))
  const [held, free] = [
    await memberSignIn(person(app), { email, password: 'a stranger’s own' }),
    await memberSignIn(person(app), { email: stranger, password: 'a stranger’s own' }),
  ]
  t.deepEqual([held.status, held.text.replaceAll(email, '')], [free.status, free.text.replaceAll(stranger, '')])
  t.is((await memberSignIn(person(app), { email })).location, '/dashboard')
})

deepTest('N-82 an account that nobody has activated signs nobody in, and its letter is sent again', async (t) => {
  const { email } = await signUp(app)
  await mailedLink(app, email)
  t.is((await memberSignIn(person(app), { email })).status, 403)
  t.truthy(await eventually('the second letter', async () => (await lettersTo(app, email)).length === 2))
})

test('N-82 the browser is led on to a page of the dashboard, and nowhere else', async (t) => {
  const { email } = await activeSeller(app)
  const asked = await person(app).open('/dashboard/security?done=removed')
  t.is(asked.location, `/dashboard/sign-in?next=${encodeURIComponent('/dashboard/security?done=removed')}`)
  const to = async (next: string) => (await memberSignIn(person(app), { email, next })).location
  t.is(await to('/dashboard/security?done=removed'), '/dashboard/security?done=removed')
  for (const foreign of [
    'https://evil.test/dashboard',
    '//evil.test/dashboard',
    '/\\evil.test',
    '/dashboard/../account',
    '/dashboardx',
  ])
    t.is(await to(foreign), '/dashboard', foreign)
})

test('N-82 a user’s session opens no dashboard, a member’s no user’s account, and a key neither', async (t) => {
  const ada = await operator.user()
  const user = person(app)
  t.is((await signIn(user, ada)).location, '/account')
  t.is((await user.open('/account')).status, 200)
  t.is((await user.open('/dashboard')).status, 303)
  const { who, key } = await signedInMember(app)
  t.is((await who.open('/dashboard')).status, 200)
  t.is((await who.open('/account')).status, 303)
  // The secret of one in the cookie of the other is no better.
  t.is((await person(app, `member=${user.cookies.get('sid')}`).open('/dashboard')).status, 303)
  t.is((await person(app, `sid=${who.cookies.get('member')}`).open('/account')).status, 303)
  const keyed = await fetch(`${app.served().origin}/dashboard`, { headers: { 'x-api-key': key }, redirect: 'manual' })
  t.is(keyed.status, 303)
  t.is((await memberSignIn(person(app), { email: ada.email, password: ada.password })).status, 422)
})

test('N-82 a session ends by signing out, by another password, by another owner key and by a suspension', async (t) => {
  const isIn = async (who: { open(path: string): Promise<{ status: number }> }) =>
    (await who.open('/dashboard')).status === 200
  const left = await signedInMember(app)
  const stale = person(app, `member=${left.who.cookies.get('member')}`)
  t.is((await left.who.send('/dashboard/sign-out')).location, '/dashboard/sign-out')
  t.false(await isIn(left.who))
  t.false(await isIn(stale))

  const { who, key, email } = await signedInMember(app)
  await ok(
    app.call('POST', '/v1/reset-password', { key, body: { new_password: 'battery staple', old_password: PASSWORD } }),
  )
  t.false(await isIn(who))
  const again = person(app)
  t.is((await memberSignIn(again, { email, password: 'battery staple' })).location, '/dashboard')
  const rotated = await ok(app.call('POST', '/v1/me?action=rotate-key', { key, body: { password: 'battery staple' } }))
  t.truthy(rotated.json.api_key)
  t.false(await isIn(again))
  const last = person(app)
  await memberSignIn(last, { email, password: 'battery staple' })
  t.true(await isIn(last))
  const accountId = await accountOf(email)
  await operator.ledger.account.suspend(accountId, { by: 'Ada', reason: 'Nothing is delivered.' })
  const refused = await memberSignIn(person(app), { email, password: 'battery staple' })
  t.is(refused.status, 403)
  t.true(refused.text.includes('Nothing is delivered.'))
  t.false(await isIn(last))
  await operator.ledger.account.reinstate(accountId, { by: 'Ada', reason: 'It was a mistake.' })
  t.false(await isIn(last))
  t.is((await memberSignIn(person(app), { email, password: 'battery staple' })).location, '/dashboard')
})

test('N-82 a form from another site, or without the token of the browser, does nothing', async (t) => {
  const { email } = await activeSeller(app)
  const who = person(app)
  await who.open('/dashboard/sign-in')
  const fields = { email, password: PASSWORD }
  t.is((await who.post('/dashboard/sign-in', fields)).status, 403)
  t.is((await who.post('/dashboard/sign-in', { ...fields, csrf: 'guessed' })).status, 403)
  const hostile = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
  const page = await who.open('/dashboard/sign-in')
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  t.is((await who.post('/dashboard/sign-in', { ...fields, csrf }, hostile)).status, 403)
  t.is((await who.post('/dashboard/sign-in', { ...fields, csrf })).location, '/dashboard')
})

const accountOf = async (email: string): Promise<string> => {
  const fingerprint = operator.flow.vault.fingerprint('email', email)
  return (await operator.ledger.email.read(fingerprint)).holder ?? ''
}
