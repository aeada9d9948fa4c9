import test from 'ava'
import { Secret, TOTP } from 'otpauth'
import { totpCode, totpStep, totpText, totpUri } from '../../../../adapters/http/auth/people/factors/totp.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { openOperator } from '../../../support/operator.ts'
import { hiddenIn, letterTo, person, signIn, withTotp } from '../../../support/people.ts'
import { withMoney } from '../../../support/people-money.ts'

/** Second factors: adding and removing them, proving oneself by them, and what a proof is good for. */

let shift = 0
const now = () => Date.now() + shift
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
/** The next code of everybody, and tries as at first. */
test.beforeEach(() => {
  shift += 3_600_000
})

test('N-59 codes by the clock are those of RFC 6238, and of another implementation', (t) => {
  const vectors = {
    59: '287082',
    1111111109: '081804',
    1111111111: '050471',
    1234567890: '005924',
    2000000000: '279037',
    20000000000: '353130',
  }
  const secret = Buffer.from('12345678901234567890')
  for (const [seconds, code] of Object.entries(vectors)) t.is(totpCode(secret, Math.floor(Number(seconds) / 30)), code)
  for (let n = 0; n < 200; n++) {
    const random = new Secret({ size: 20 })
    const key = Buffer.from(random.bytes)
    const timestamp = n * 86_400_000 * 77
    t.is(totpCode(key, Math.floor(timestamp / 30_000)), new TOTP({ secret: random }).generate({ timestamp }))
    t.is(totpText(key), random.base32)
  }
  const at = new Date(1_111_111_111_000)
  const step = Math.floor(at.getTime() / 30_000)
  for (const drift of [-2, -1, 0, 1, 2])
    t.is(totpStep(secret, totpCode(secret, step + drift), at), Math.abs(drift) > 1 ? undefined : step + drift)
  t.is(new URL(totpUri(secret, 'a&b@c.test')).searchParams.get('issuer'), 'Daybook')
})

test.serial(
  'X-MFA-01 the first second factor needs the password and a code from the mailbox, and brings recovery codes',
  async (t) => {
    const user = await operator.user()
    const ada = person(app)
    await signIn(ada, user)
    const path = '/account/security/enrol?next=%2Faccount%2Fbalance'
    const act = (name: string, fields: Record<string, string>) =>
      ada.send('/account/security/enrol', { act: name, ...fields }, path)
    t.is((await act('prove', { password: 'wrong' })).status, 422)
    t.is((await act('totp', { code: '000000' })).location, path, 'nothing is added before')
    t.like(await act('prove', { password: user.password }), { status: 303, location: path })
    t.is((await act('code', { code: 'aaaa-aaaa' })).status, 422)
    const code = /^[a-z2-7]{4}-[a-z2-7]{4}$/m.exec(await letterTo(app, user.email, 'Your code'))?.[0] ?? ''
    t.is((await act('code', { code: code.toUpperCase().replace('-', ' ') })).status, 303)
    const page = await ada.open(path)
    const secret = /secret=([A-Z2-7]{32})/.exec(page.text)?.[1] ?? ''
    t.is((await act('totp', { code: '000000' })).status, 422)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const done = await act('totp', { code: totp.generate({ timestamp: now() }) })
    const codes = [...done.text.matchAll(/<code>([a-z2-7-]{19})<\/code>/g)].map(([, each]) => each ?? '')
    t.deepEqual([codes.length, new Set(codes).size], [10, 10])
    t.true(done.text.includes('href="/account/balance"'))
    await letterTo(app, user.email, 'An authenticator app was added')

    const log = JSON.stringify(await operator.ledger.user.read(user.sub))
    t.false(
      log.includes(secret) || codes.some((each) => log.includes(each.replaceAll('-', ''))),
      'the log tells none of it',
    )
    t.true((await ada.open('/account/security')).text.includes('You have 10 left'))

    const lost = person(app)
    await signIn(lost, user)
    t.is((await lost.send('/sign-in/confirm', { recovery_code: ` ${codes[3]?.toUpperCase()} ` })).status, 303)
    await letterTo(app, user.email, 'A recovery code was used')
    const again = person(app)
    await signIn(again, user)
    t.is((await again.send('/sign-in/confirm', { recovery_code: codes[3] ?? '' })).status, 422, 'each works once')
    t.is((await again.send('/sign-in/confirm', { recovery_code: 'aaaa-aaaa-aaaa-aaaa' })).status, 422)
    t.is((await again.send('/sign-in/confirm', { recovery_code: codes[4] ?? '' })).status, 303)
  },
)

test.serial('X-MFA-01 a proof is good for one thing, in one session, once, and for five minutes', async (t) => {
  const user = await operator.user()
  const code = await withTotp(operator, user.sub, now)
  const [ada, eve] = [person(app), person(app)]
  await signIn(ada, { ...user, code })
  shift += 60_000
  await signIn(eve, { ...user, code })
  const page = async (who: typeof ada, path = '/account/security/codes') => hiddenIn((await who.open(path)).text)
  const make = async (who: typeof ada, fields: Record<string, string>) => {
    shift += 60_000
    return await who.post('/account/security/codes', { ...fields, code: code() })
  }
  t.is((await make(ada, { ...(await page(ada)), challenge: 'x' })).status, 422, 'asked by nobody')
  t.is(
    (await make(ada, { ...(await page(ada)), challenge: (await page(eve)).challenge ?? '' })).status,
    422,
    'of another session',
  )
  const other = await page(ada, '/account/security/remove?totp=1')
  t.is((await make(ada, { ...(await page(ada)), challenge: other.challenge ?? '' })).status, 422, 'for something else')
  const old = await page(ada)
  shift += 240_001
  t.is((await make(ada, old)).status, 422, 'too old')

  const before = ada.cookies.get('sid')
  const fields = await page(ada)
  const wrong = await ada.post('/account/security/codes', { ...fields, code: '000000' })
  t.is(wrong.status, 422)
  t.is((await make(ada, fields)).status, 422, 'used up by a wrong code')
  t.is(ada.cookies.get('sid'), before)
  const good = await page(ada)
  const made = await make(ada, good)
  t.is(made.status, 200)
  t.not(ada.cookies.get('sid'), before, 'the secret of the session changes with the proof')
  t.is(
    (await ada.post('/account', { ...hiddenIn(made.text), name: 'Ada' })).status,
    303,
    'forms of the answer are of the new one',
  )
  const twice = await make(ada, { ...good, csrf: (await page(ada)).csrf ?? '' })
  t.is(twice.status, 422, 'used once')
  ada.cookies.set('sid', before ?? '')
  shift += 60_000
  t.is((await ada.open('/account')).status, 303, 'the former secret is of no use any more')
})

test.serial(
  'X-MFA-01 nothing about the second factor changes without a proof by it, and the last one takes the recovery codes along',
  async (t) => {
    const user = await operator.user()
    const code = await withTotp(operator, user.sub, now)
    const ada = person(app)
    await signIn(ada, { ...user, code })
    const forms: Record<string, Record<string, string>> = {
      '/account/security/remove?totp=1': {},
      '/account/security/codes': {},
      '/account/security/enrol': { act: 'prove' },
      '/account/email': { email: 'x@people.test' },
    }
    for (const [path, fields] of Object.entries(forms)) {
      const answer = await ada.send(path.split('?')[0] ?? '', { ...fields, code: '000000' }, path)
      t.is(answer.status, 422, path)
    }
    shift += 120_000
    await ada.send('/account/security/codes', { code: code() })
    shift += 60_000
    const removed = await ada.send('/account/security/remove', { code: code() }, '/account/security/remove?totp=1')
    t.is(removed.location, '/account/security?done=removed')
    t.like(await operator.ledger.user.read(user.sub), { totp: null, recoveryCodes: [] })
    for (const subject of ['New recovery codes were made', 'The authenticator app was removed'])
      await letterTo(app, user.email, subject)
    t.is((await signIn(person(app), user)).location, '/account')
  },
)

deepTest.serial(
  'A-MAN-04 A-MAN-08 a user sees what came in and out and what may be debited, and ends a standing order',
  async (t) => {
    const user = await operator.user()
    const ada = person(app)
    await signIn(ada, user)
    t.true((await ada.open('/account/balance')).text.includes('Nothing has come in'))
    const { mandateId } = await withMoney(operator, user.sub, now())
    await eventually('the page', async () =>
      (await ada.open('/account/standing-orders')).text.includes('A pound of Assam'),
    )
    const { text } = await ada.open('/account/balance')
    for (const part of ['+12.50 USD', 'Welcome', 'oidcgrant-', '12.50 USD']) t.true(text.includes(part), part)
    t.true((await ada.open('/account/standing-orders')).text.includes('60.00 USD'))

    const eve = person(app)
    await signIn(eve, await operator.user())
    await eve.send('/account/standing-orders', { mandate_id: mandateId })
    t.true((await ada.open('/account/standing-orders')).text.includes('End it'), 'nobody ends that of another')
    t.is((await ada.send('/account/standing-orders', { mandate_id: mandateId })).status, 303)
    const ended = (await ada.open('/account/standing-orders')).text
    t.true(ended.includes('A pound of Assam') && ended.includes('(ended)') && !ended.includes('End it'))
  },
)

test.serial('L-AUT-11 E-AUT-09 whoever asks for too many mailed codes is told the true time to wait', async (t) => {
  const user = await operator.user()
  const ada = person(app)
  await signIn(ada, user)
  const prove = () => ada.send('/account/security/enrol', { act: 'prove', password: user.password })
  for (let n = 0; n < 3; n++) t.is((await prove()).status, 303)
  const refused = await prove()
  const waitS = Number(refused.headers.get('retry-after'))
  t.is(refused.status, 429)
  t.true(waitS > 3_500 && waitS <= 3_600, `${waitS} s`)
  t.true(refused.text.includes('Please wait 60 minutes'), refused.text)
  shift += (waitS - 60) * 1_000
  t.is((await prove()).status, 429)
  shift += 60_000
  t.is((await prove()).status, 303)
})
