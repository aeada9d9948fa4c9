import test from 'ava'
import { NETWORK_LETTERS_PER_HOUR_MAX } from '../../../domain/account/email.ts'
import type { Answer } from '../../../src/demo/client.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, freshEmail, mailedLink, PAY_TO, signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly } from '../strict.ts'

/**
 * Signing up with an address that somebody else has, or wants (A7): nobody is kept from theirs, and nobody learns whose
 * it is.
 */

const PASSWORD = 'correct horse'
const OTHERS = 'battery staple'
const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
const AS_PAGE = { headers: { accept: 'text/html' } }

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('N-16 J-ACC-02 a sign-up is answered alike, and does the same, whether its address is nobody’s, wanted or taken', async (t) => {
  const call = strictly(t, app)
  const [active, waiting] = [await activeSeller(app), await signUp(app)]
  const told = []
  for (const email of [freshEmail(), active.email, active.email.toUpperCase(), waiting.email]) {
    const { status, headers, json, requestId } = await call('POST', '/v1/signup', {
      body: { email, password: PASSWORD },
    })
    const events = await eventually('its letter', async () => {
      const found = await causedBy(app, requestId)
      return found.includes('LetterSent') && found
    })
    const names = [...headers.keys()].filter((name) => name !== 'date')
    const lengths = [json.api_key.length, headers.get('content-length')]
    told.push({ status, names, lengths, json: { ...json, api_key: '' }, events: events.toSorted() })
  }
  for (const each of told.slice(1)) t.deepEqual(each, told[0])
  t.is(told[0]?.status, 200)
  t.true(told[0]?.events.includes('EmailVerificationRequested'))
  t.like(await snapshot(active.key), { activated: true, email: active.email, credit_balance: 5 })
})

deepTest('N-16 the owner of an address is told by letter when and from where it was given, and keeps it', async (t) => {
  const { key, email } = await activeSeller(app)
  const further = await join(email, OTHERS)
  const [letter] = await lettersTo(email, 2)
  t.is(letter?.subject, 'Your email address was given for another account')
  t.regex(letter?.text ?? '', /on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, from the network 127\.0\.0\.1\./)
  const link = letter?.links[0] as string
  for (const answer of [await follow(link), await prove(link, OTHERS)])
    t.deepEqual([answer.status, answer.json.error_code], [409, 'svc_conflict'])
  const page = await follow(link, AS_PAGE)
  t.is(page.status, 409)
  t.regex(page.text, /This address belongs to another account[\s\S]*Nothing was activated/)
  t.is((await app.call('GET', '/v1/me', { key: further })).status, 402)
  t.like(await snapshot(key), { activated: true, email })
})

deepTest(
  'N-16 J-ACC-05 A7 who signs up first with a stranger’s address sells, and keeps nobody from the address',
  async (t) => {
    const call = strictly(t, app)
    const email = freshEmail()
    const eve = await join(email, OTHERS)
    const foreign = await mailedLink(app, email)
    const ann = await join(email)
    const [own] = (await lettersTo(email, 2)).flatMap(({ links }) => links).filter((link) => link !== foreign)
    for (const link of [foreign, own as string]) {
      const asked = await call('GET', pathOf(link))
      t.deepEqual([asked.status, asked.json.error_code], [403, 'svc_password_required'])
      t.regex(asked.json.message, /POST \/verify-email/)
      t.deepEqual(await causedBy(app, asked.requestId), [])
    }
    const wrong = { path: '/verify-email', status: 401, code: 'svc_unauthorized' }
    await refused(t, app, [
      {
        what: 'her password for the link of his account',
        body: { token: tokenOf(foreign), password: PASSWORD },
        ...wrong,
      },
      {
        what: 'his password for the link of hers',
        body: { token: tokenOf(own as string), password: OTHERS },
        ...wrong,
      },
    ])
    const done = await prove(own as string)
    t.deepEqual([done.status, done.json.activated], [200, true])
    t.is((await prove(foreign, OTHERS)).status, 409)
    t.like(await snapshot(ann), { email, credit_balance: 5 })
    t.is((await call('GET', '/v1/me', { key: eve })).status, 402)
    t.is((await call('POST', '/v1/wallets', { key: eve, body: { asset: 'eth', address: PAY_TO } })).status, 200)
    const resource = await call('POST', '/v1/resources', { key: eve, body: { amount: 1 } })
    t.is((await call('GET', `/r/${resource.json.res_id}`)).status, 402, 'he sells as before')
  },
)

test('N-15 the page of a link asks for the password where two accounts want the address, without script', async (t) => {
  const email = freshEmail()
  await join(email, OTHERS)
  const foreign = await mailedLink(app, email)
  const key = await join(email)
  const [own] = (await lettersTo(email, 2)).flatMap(({ links }) => links).filter((link) => link !== foreign)
  const page = await follow(own as string, AS_PAGE)
  t.is(page.status, 200)
  t.regex(page.text, /<form method="post" action="\/verify-email">/)
  t.regex(page.text, /type="password"[^>]*autocomplete="current-password"/)
  t.notRegex(page.text, /<script/)
  t.regex(page.headers.get('content-security-policy') ?? '', /form-action 'self'/)
  t.is((await app.call('GET', '/v1/me', { key })).status, 402, 'looking at it activates nobody')
  const post = (password: string) => {
    const body = new URLSearchParams({ token: tokenOf(own as string), password }).toString()
    return app.call('POST', '/verify-email', { headers: FORM, body })
  }
  const wrong = await post(OTHERS)
  t.is(wrong.status, 422)
  t.regex(wrong.text, /This is not the password of the account that this letter is about/)
  t.notRegex(wrong.text, new RegExp(OTHERS), 'a password is not sent back')
  const done = await post(PASSWORD)
  t.is(done.status, 200)
  t.regex(done.text, /Your account is active, with \$5 of free credit/)
  t.like(await snapshot(key), { email, credit_balance: 5 })
  t.is((await post('forgotten by now')).status, 200, 'who is known need not be asked again')
})

test('N-15 passwords for one link are bounded, and the link of another account has its own', async (t) => {
  const email = freshEmail()
  const key = await join(email, OTHERS)
  const foreign = await mailedLink(app, email)
  await join(email)
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => prove(foreign, `guess ${n}`)))
  const count = (status: number) => statuses.filter((answer) => answer.status === status).length
  t.deepEqual([count(401), count(429)], [10, 2])
  const late = await prove(foreign, OTHERS)
  t.is(late.status, 429)
  t.regex(late.headers.get('retry-after') ?? '', /^\d+$/)
  const body = new URLSearchParams({ token: tokenOf(foreign), password: OTHERS }).toString()
  const page = await app.call('POST', '/verify-email', { headers: FORM, body })
  t.is(page.status, 429)
  t.regex(page.text, /Too many tries\. Please wait/)
  t.is((await app.call('GET', '/v1/me', { key })).status, 402)
  const [own] = (await lettersTo(email, 2)).flatMap(({ links }) => links).filter((link) => link !== foreign)
  t.is((await prove(own as string)).status, 200)
})

deepTest(
  'N-16 sign-ups that flood an address are answered like any other, and send so many letters an hour',
  async (t) => {
    const { key, email } = await activeSeller(app)
    const body = { email, password: OTHERS }
    for (let n = 0; n < NETWORK_LETTERS_PER_HOUR_MAX + 3; n++)
      t.is((await app.call('POST', '/v1/signup', { body })).status, 200)
    const change = await activeSeller(app)
    t.is((await app.call('POST', '/v1/account-email', { key: change.key, body: { email } })).status, 200)
    await eventually('all that is to be sent is', async () => {
      const log = await readLog(app)
      const asked = log.filter(({ type, data }) => type === 'EmailVerificationRequested' && !('withheld' in data))
      const sent = new Set(log.filter(({ type }) => type === 'LetterSent').map(({ stream }) => stream))
      return asked.every(({ id }) => sent.has(`letter-${id}`))
    })
    t.is((await lettersTo(email, 0)).length, NETWORK_LETTERS_PER_HOUR_MAX)
    t.like(await snapshot(key), { email })
  },
)

test('J-ACC-01 I-CRD-01 of many accounts that want one address exactly one is activated, with one grant of credit', async (t) => {
  const email = freshEmail()
  const many = NETWORK_LETTERS_PER_HOUR_MAX
  const keys = await Promise.all(Array.from({ length: many }, (_, n) => join(n % 2 ? email : email.toUpperCase())))
  const links = (await lettersTo(email, many)).flatMap((letter) => letter.links)
  const answers = await Promise.all([...links, ...links].map((link) => prove(link)))
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
  t.deepEqual([count(200), count(409)], [2, 2 * many - 2], 'one of them, however often its link is followed')
  const active = []
  for (const key of keys) if ((await app.call('GET', '/v1/me', { key })).status === 200) active.push(key)
  t.is(active.length, 1)
  const [key] = active as [string]
  for (const to of [freshEmail(), freshEmail()]) {
    await app.call('POST', '/v1/account-email', { key, body: { email: to } })
    t.is((await follow(await mailedLink(app, to))).status, 200)
    t.like(await snapshot(key), { email: to, credit_balance: 5 }, 'another address is no second grant')
  }
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const join = async (email: string, password = PASSWORD): Promise<string> => {
  const { status, text, json } = await app.call('POST', '/v1/signup', { body: { email, password } })
  if (status !== 200) throw new Error(`sign-up answered ${status}: ${text}`)
  return json.api_key
}

const snapshot = async (key: string) => (await app.call('GET', '/v1/me', { key })).json

const pathOf = (link: string) => new URL(link).pathname + new URL(link).search
const tokenOf = (link: string) => new URL(link).searchParams.get('token') as string

const follow = (link: string, options = {}): Promise<Answer> => app.call('GET', pathOf(link), options)
const prove = (link: string, password = PASSWORD): Promise<Answer> =>
  app.call('POST', '/verify-email', { body: { token: tokenOf(link), password } })

type Letter = { to: string; subject: string; text: string; links: string[] }

/** The letters to an address, newest first, once there are so many. */
const lettersTo = (email: string, count: number): Promise<Letter[]> =>
  eventually(`${count} letters to ${email}`, async () => {
    const { json } = await app.call('GET', '/dev/inbox.json')
    const found = (json as Letter[]).filter(({ to }) => to.toLowerCase() === email.toLowerCase())
    return found.length >= count && found
  })
