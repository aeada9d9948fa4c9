import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { daybook } from '../../../cli/daybook.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { openOperator } from '../../../support/operator.ts'
import { hiddenIn, lettersTo, letterTo, linkTo, type Page, person, signIn } from '../../../support/people.ts'

/** Getting an account, and everything about it that is changed by letters. */

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
/** Tries are counted by the hour; each test begins with none. */
test.beforeEach(() => {
  shift += 2 * 3_600_000
})

const PASSWORD = 'a difference engine'

test.serial(
  'N-59 a known and an unknown address are answered alike at sign-up, and the mailbox is told the difference',
  async (t) => {
    const known = await operator.user()
    const answers: Page[] = []
    const took: number[] = []
    for (const email of ['new@people.test', known.email]) {
      const began = performance.now()
      answers.push(await person(app).send('/sign-up', { email, new_password: PASSWORD, name: '' }))
      took.push(performance.now() - began)
    }
    const [fresh, taken] = answers
    t.deepEqual([fresh?.status, taken?.status], [200, 200])
    t.is(fresh?.text.replace('new@people.test', ''), taken?.text.replace(known.email, ''))
    t.true(
      took.every((ms) => ms > 240),
      'both take the same time',
    )
    t.regex(await letterTo(app, known.email, 'You have an account already'), /\/sign-in\/reset\?token=usr_/)
    t.is((await signIn(person(app), known)).status, 303, 'the password of the account is as it was')
    t.regex(await letterTo(app, 'new@people.test', 'Confirm your email address'), /\/sign-up\/verify\?token=usr_/)

    for (const email of ['nobody@people.test', known.email]) {
      const asked = await person(app).send('/sign-in/forgot', { email })
      t.true(asked.text.includes('If there is an account'))
    }
    await letterTo(app, known.email, 'Choose a new password')
    t.deepEqual(await lettersTo(app, 'nobody@people.test'), [])
  },
)

test.serial(
  'N-59 the link of a sign-up works once it is pressed, with the password that was chosen, and for a day',
  async (t) => {
    const email = 'grace@people.test'
    const grace = person(app)
    await grace.send(
      '/sign-up',
      { email, new_password: PASSWORD, name: 'Grace' },
      '/sign-up?next=%2Faccount%2Fsecurity',
    )
    await letterTo(app, email, 'Confirm your email address')
    const early = await signIn(person(app), { email, password: PASSWORD })
    t.true(early.text.includes('Confirm your email address'))
    t.is(early.headers.getSetCookie().length, 0, 'nobody signs in with an address that is not proven')
    await eventually('the second letter', async () => (await lettersTo(app, email)).length === 2)
    const path = await linkTo(app, email, 'Confirm your email address')
    for (let n = 0; n < 3; n++) t.is((await person(app).open(path)).status, 200, 'looking changes nothing')
    const wrong = await person(app).send('/sign-up/verify', { password: 'somebody else chose it' }, path)
    t.is(wrong.status, 422)
    const done = await grace.send('/sign-up/verify', { password: PASSWORD }, path)
    t.deepEqual([done.status, done.location], [303, '/account/security'])
    t.true((await grace.open('/account')).text.includes('Grace'))

    await person(app).send('/sign-up', { email: 'late@people.test', new_password: PASSWORD, name: '' })
    const late = await linkTo(app, 'late@people.test', 'Confirm your email address')
    shift += 24 * 3_600_000
    const gone = await person(app).send('/sign-up/verify', { password: PASSWORD }, late)
    t.is(gone.status, 410)
    t.true(gone.text.includes('does not work any more'))
  },
)

test.serial(
  'N-59 who signs up first with a stranger’s address keeps nobody from it, and is never let in',
  async (t) => {
    const email = 'ann@people.test'
    await person(app).send('/sign-up', { email, new_password: 'eve prepares it', name: 'Eve of elsewhere' })
    const prepared = await linkTo(app, email, 'Confirm your email address')
    const ann = person(app)
    await ann.send('/sign-up', { email, new_password: PASSWORD, name: 'Ann' })
    t.is(
      (await ann.send('/sign-up/verify', { password: PASSWORD }, prepared)).status,
      422,
      'his link wants his password',
    )
    await eventually('the second letter', async () => (await lettersTo(app, email)).length === 2)
    const own = await linkTo(app, email, 'Confirm your email address')
    t.regex(own, /^\/sign-in\/reset/)
    t.is((await ann.send('/sign-in/reset', { new_password: PASSWORD }, own)).status, 200)
    t.is((await signIn(person(app), { email, password: 'eve prepares it' })).status, 422)
    t.is((await person(app).send('/sign-up/verify', { password: 'eve prepares it' }, prepared)).status, 422)
    t.is((await signIn(ann, { email, password: PASSWORD })).status, 303)
    t.false((await ann.open('/account')).text.includes('Eve of'))
  },
)

deepTest.serial('N-59 passwords that anybody would try first are refused beside their field', async (t) => {
  const page = person(app)
  const refused = [
    'short',
    'x'.repeat(257),
    'daybook1',
    'password',
    'Password123!',
    '12345678',
    'aaaaaaaa',
    'ada.lovelace',
    'ada.lovelace@x.test',
  ]
  for (const new_password of refused) {
    const answer = await page.send('/sign-up', { email: 'ada.lovelace@x.test', new_password, name: '' })
    t.is(answer.status, 422, new_password)
    t.true(answer.text.includes('id="f-new_password-error"'), new_password)
    t.notRegex(answer.text, /type="password"[^>]* value=/, 'a password is not sent back')
  }
  t.is((await page.send('/sign-up', { email: 'no address', new_password: PASSWORD, name: '' })).status, 422)
})

test.serial('N-59 a new password by letter ends every session and what waits for a second factor', async (t) => {
  const user = await operator.user()
  const [ada, eve] = [person(app), person(app)]
  await signIn(ada, user)
  await signIn(eve, user)
  await ada.send('/sign-in/forgot', { email: user.email })
  const path = await linkTo(app, user.email, 'Choose a new password')
  t.is((await ada.send('/sign-in/reset', { new_password: 'password' }, path)).status, 422)
  const done = await ada.send('/sign-in/reset', { new_password: 'another engine' }, path)
  t.true(done.text.includes('Your password is set'))
  for (const each of [ada, eve]) t.is((await each.open('/account')).status, 303)
  t.deepEqual(await operator.signIn.sessions.ofUser(user.sub, new Date(now())), [])
  t.is(
    (await person(app).send('/sign-in/reset', { new_password: 'third engine' }, path)).status,
    410,
    'a link works once',
  )
  t.is((await signIn(person(app), user)).status, 422)
  t.is((await signIn(person(app), { ...user, password: 'another engine' })).status, 303)
  await letterTo(app, user.email, 'Your password was changed')

  await person(app).send('/sign-in/forgot', { email: user.email })
  const late = await linkTo(app, user.email, 'Choose a new password')
  shift += 30 * 60_000
  t.is((await person(app).send('/sign-in/reset', { new_password: 'third engine' }, late)).status, 410)
})

deepTest.serial(
  'N-59 letters to one mailbox are bounded, and asking for more is told like the first time',
  async (t) => {
    const user = await operator.user()
    for (let n = 0; n < 6; n++) t.is((await person(app).send('/sign-in/forgot', { email: user.email })).status, 200)
    await eventually('three letters', async () => (await lettersTo(app, user.email)).length === 4)
    t.is((await lettersTo(app, user.email)).filter(({ subject }) => subject === 'Choose a new password').length, 3)
    for (let n = 0; n < 4; n++) await person(app).send('/sign-in/forgot', { email: 'nobody@people.test' })
    t.is(
      (await person(app).send('/sign-in/forgot', { email: 'nobody@people.test' })).status,
      429,
      'and from one address',
    )
  },
)

deepTest.serial('N-59 another email address needs the word of both mailboxes', async (t) => {
  const [user, other] = [await operator.user(), await operator.user()]
  const ada = person(app)
  await signIn(ada, user)
  const fresh = 'ada.new@people.test'
  t.is((await ada.send('/account/email', { email: fresh, password: 'wrong' })).status, 422)
  t.true((await ada.send('/account/email', { email: fresh, password: user.password })).text.includes('both addresses'))
  const atNew = await linkTo(app, fresh, 'Confirm your new email address')
  const atPresent = await linkTo(app, user.email, 'Your email address is to change')
  const confirm = (path: string) => person(app).send('/account/email/confirm', {}, path)
  t.true((await confirm(atNew)).text.includes('One more letter'))
  t.is((await confirm(atNew)).status, 410)
  t.is((await signIn(person(app), { ...user, email: fresh })).status, 422)
  t.true((await confirm(atPresent)).text.includes('is changed'))
  t.is((await signIn(person(app), { ...user, email: fresh })).status, 303)
  for (const each of [fresh, user.email]) await letterTo(app, each, 'Your email address was changed')

  // An address of somebody else's is asked like any other, and stays theirs.
  t.is((await ada.send('/account/email', { email: other.email, password: user.password })).status, 200)
  await confirm(await linkTo(app, other.email, 'Confirm your new email address'))
  t.true((await confirm(await linkTo(app, fresh, 'Your email address is to change'))).text.includes('in use'))
  t.is((await signIn(person(app), other)).status, 303)
})

deepTest.serial(
  'N-59 a person says who they are, changes the password, and ends sessions one by one or all others',
  async (t) => {
    const user = await operator.user()
    const [ada, phone, desk] = [person(app), person(app), person(app)]
    for (const each of [ada, phone, desk]) await signIn(each, user)
    t.is((await ada.send('/account', { name: 'Ada', picture: 'javascript:x' })).status, 422)
    await ada.send('/account', { name: 'Ada', locale: 'de-CH', picture: 'https://a.test/ada.png' })
    const profile = await operator.flow.vault.open(
      ((await operator.ledger.user.read(user.sub)) as { profile: string }).profile,
    )
    t.deepEqual(JSON.parse(profile ?? ''), { name: 'Ada', picture: 'https://a.test/ada.png', locale: 'de-CH' })

    const rows = await operator.signIn.sessions.ofUser(user.sub, new Date(now()))
    const foreign = await operator.session((await operator.user()).sub)
    const { csrf = '' } = hiddenIn((await ada.open('/account')).text)
    await ada.post('/account/sessions', { csrf, act: 'end', sid: foreign.sid })
    t.truthy(await operator.signIn.sessions.bySid(foreign.sid, new Date()), 'nobody ends the session of another')
    await ada.post('/account/sessions', { csrf, act: 'end', sid: rows[0]?.sid ?? '' })
    t.is((await operator.signIn.sessions.ofUser(user.sub, new Date(now()))).length, 2)
    t.is((await desk.open('/account')).status, 303)
    await signIn(desk, user)
    await ada.post('/account/sessions', { csrf, act: 'end-others' })
    t.deepEqual([(await ada.open('/account')).status, (await phone.open('/account')).status], [200, 303])

    await signIn(phone, user)
    t.is((await ada.send('/account/password', { password: 'wrong', new_password: 'another engine' })).status, 422)
    t.is((await ada.send('/account/password', { password: user.password, new_password: 'another engine' })).status, 303)
    t.deepEqual([(await ada.open('/account')).status, (await phone.open('/account')).status], [200, 303])
  },
)

test.serial('X-HASH-01 an erased user is signed out, cannot sign in, and cannot be read any more', async (t) => {
  const user = await operator.user()
  const ada = person(app)
  await signIn(ada, user)
  const erase = () => daybook(app.env, 'erase', user.sub, '--yes', '--json')
  t.deepEqual(JSON.parse((await erase()).stdout), { erased: user.sub })
  t.is((await ada.open('/account')).status, 303)
  t.is((await signIn(person(app), user)).status, 422)
  t.is(
    await operator.flow.vault.open(((await operator.ledger.user.read(user.sub)) as { email: string }).email),
    undefined,
  )
  t.is((await erase()).code, 0)
})
