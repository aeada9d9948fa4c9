import test from 'ava'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { enrolledMember, memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'
import { hiddenIn, letterTo, person } from '../../support/people.ts'
import { ok } from '../../support/seller.ts'

/** The second factors of members, and what they are asked for, over real HTTP. */

const clock = { shiftMs: 0 }
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

const SECURITY = '/dashboard/security'

const enrolled = () => enrolledMember(app, clock)

test.serial('N-82 a member adds an app after a mailed code, and is asked for it from then on', async (t) => {
  const { email, code, recovery } = await enrolled()
  t.is(recovery.length, 10)
  const who = person(app)
  t.is((await memberSignIn(who, { email })).location, '/dashboard/sign-in/confirm')
  t.is((await who.open('/dashboard')).status, 303)
  t.is((await who.send('/dashboard/sign-in/confirm', { code: '000000' })).status, 422)
  t.is((await who.send('/dashboard/sign-in/confirm', { code: code() })).location, '/dashboard')
  t.is((await who.open('/dashboard')).status, 200)
  t.regex((await who.open(SECURITY)).text, /Authenticator app/)
})

deepTest.serial(
  'N-82 a passkey that is not taken is told beside its button, also to a member who has an app',
  async (t) => {
    const told = /<h2>A passkey<\/h2><p>[^<]*<\/p><p class="problem" role="alert">The passkey could not be added/
    const { who, code } = await enrolled()
    const path = `${SECURITY}/enrol`
    await who.send(path, { act: 'prove', code: code() })
    t.notRegex((await who.open(path)).text, told)
    for (const fields of [{ passkey: '{}' }, { passkey: '{}', challenge: 'of another page' }]) {
      const answer = await who.send(path, { act: 'passkey', ...fields })
      t.is(answer.status, 422)
      t.regex(answer.text, told)
      t.notRegex(answer.text, /class="error">/)
    }
    const late = await who.post(path, {
      csrf: hiddenIn((await who.open(path)).text).csrf ?? '',
      act: 'totp',
      code: '0',
    })
    t.is(late.status, 422)
    t.regex(late.text, /role="alert">This code is wrong/, 'of a form that is gone since')
  },
)

deepTest.serial(
  'N-82 the error of a code stands beside its field alone, and that of a passkey is not there',
  async (t) => {
    const { who, email } = await signedInMember(app)
    const path = `${SECURITY}/enrol`
    await who.send(path, { act: 'prove', password: PASSWORD })
    const mailed = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, email, 'Your code'))?.[0] ?? ''
    await who.send(path, { act: 'code', code: mailed })
    const [ofPasskey, ofApp] = [
      await who.send(path, { act: 'passkey', passkey: '{}' }),
      await who.send(path, { act: 'totp', code: '000000' }),
    ]
    t.regex(ofPasskey.text, /class="problem" role="alert">The passkey could not be added/)
    t.notRegex(ofPasskey.text, /id="f-code-error"/)
    t.regex(ofApp.text, /id="f-code-error"[^>]*>This code is wrong/)
    t.notRegex(ofApp.text, /class="problem"/)
  },
)

deepTest.serial('N-82 a recovery code signs a member in once', async (t) => {
  const { email, recovery } = await enrolled()
  const by = async () => {
    const who = person(app)
    await memberSignIn(who, { email })
    return await who.send('/dashboard/sign-in/confirm', { recovery_code: recovery[0] ?? '' })
  }
  t.is((await by()).location, '/dashboard')
  t.is((await by()).status, 422)
})

test.serial('N-82 a sign-in that waits for its second factor ends with another password', async (t) => {
  const { email, key, code } = await enrolled()
  const who = person(app)
  await memberSignIn(who, { email })
  const reset = { new_password: 'battery staple', old_password: PASSWORD }
  await ok(app.call('POST', '/v1/reset-password', { key, body: reset }))
  t.is((await who.open('/dashboard/sign-in/confirm')).location, '/dashboard/sign-in')
  t.is((await who.post('/dashboard/sign-in/confirm', { code: code() })).status, 403)
})

test.serial('N-82 another password needs the present one and the second factor, and signs others out', async (t) => {
  const { who, email, code } = await enrolled()
  const other = person(app)
  await memberSignIn(other, { email, code })
  const path = `${SECURITY}/password`
  const wish = { password: PASSWORD, new_password: 'battery staple' }
  t.is((await who.send(path, { ...wish, password: 'guessed' })).status, 422)
  t.is((await who.send(path, { ...wish, code: '000000' })).status, 422)
  t.is((await other.open('/dashboard')).status, 200)
  t.is((await who.send(path, { ...wish, code: code() })).location, `${SECURITY}?done=password`)
  t.is((await who.open('/dashboard')).status, 200)
  t.is((await other.open('/dashboard')).status, 303)
  t.is((await memberSignIn(person(app), { email })).status, 422)
})

test.serial('N-82 a member sees the sessions, and ends one or all others', async (t) => {
  const { who, email } = await signedInMember(app)
  const [second, third] = [person(app), person(app)]
  for (const each of [second, third]) await memberSignIn(each, { email })
  const devices = `${SECURITY}/devices`
  t.is((await who.open(devices)).text.split('name="sid"').length - 1, 3)
  await who.send(devices, { act: 'end-others' })
  t.deepEqual([(await second.open('/dashboard')).status, (await third.open('/dashboard')).status], [303, 303])
  t.is((await who.open('/dashboard')).status, 200)
})

test.serial('N-82 what asks for a fresh second factor leads to it and back', async (t) => {
  const { who, code } = await enrolled()
  const path = '/dashboard/confirm?next=%2Fdashboard%2Fmenu'
  t.regex((await who.open(path)).text, /authenticator app/)
  t.is((await who.send('/dashboard/confirm', { code: '000000' }, path)).status, 422)
  t.is((await who.send('/dashboard/confirm', { code: code() }, path)).location, '/dashboard/menu')
  t.is((await signedInMember(app).then(({ who: plain }) => plain.open(path))).location, '/dashboard/menu')
})

deepTest.serial('N-82 the log names the member who did it', async (t) => {
  const { email, key } = await enrolled()
  const { holder = '' } = await operator.ledger.email.read(operator.flow.vault.fingerprint('email', email))
  const { json } = await ok(app.call('GET', '/v1/audit/events?type=MemberTotpEnrolled', { key }))
  t.is(json.events?.[0]?.actor, `${holder}/member/${ownerMemberId(holder)}`)
})
