import test from 'ava'
import { world } from '../../../src/settings/world.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, freshAddress, freshEmail, mailedLink, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse'
const SNAPSHOTS = ['/v1/me', '/v1/agent', '/v1/account', '/v1/account-info']
const INVALID = { path: '/v1/signup', status: 400, code: 'svc_invalid_request' }

let app: TestApp
let clockAhead = 0
let breaksOff = false

test.before(async () => {
  const now = () => new Date(Date.now() + clockAhead)
  const id = (prefix: string) => {
    if (breaksOff && prefix === 'ct') throw new Error('the process dies here')
    return world.id(prefix)
  }
  app = await startApp({ world: { now, id } })
})
test.after.always(() => app?.stop())
test.afterEach.always(() => {
  breaksOff = false
  clockAhead = 0
})

deepTest.serial(
  'J-ACC-06 the link works for 24 hours and not longer, and an account it activated stays so',
  async (t) => {
    const [early, late] = [await signUp(app), await signUp(app)]
    const [inTime, tooLate] = [await linkOf(early.email), await linkOf(late.email)]
    clockAhead = 24 * HOUR_MS - 5_000
    t.is((await app.call('GET', inTime)).status, 200)
    clockAhead = 24 * HOUR_MS + 5_000
    const expired = await strictly(t, app)('GET', tooLate, { headers: { accept: 'text/html' } })
    t.is(expired.status, 410)
    t.regex(expired.text, /This link does not work/)
    t.deepEqual(await causedBy(app, expired.requestId), [])
    t.is((await app.call('GET', '/v1/me', { key: late.key })).status, 402)
    t.is((await app.call('GET', inTime)).status, 200, 'who followed it before may follow it again')
  },
)

deepTest.serial('J-ACC-01 a sign-up that breaks off half way is in nobody’s way', async (t) => {
  const email = freshEmail()
  breaksOff = true
  t.is((await join({ email })).status, 500)
  breaksOff = false
  const again = await join({ email })
  t.is(again.status, 200)
  t.is((await app.call('GET', await linkOf(email))).status, 200)
  t.is((await app.call('GET', '/v1/me', { key: again.json.api_key })).json.email, email)
})

test('J-ACC-01 J-GEN-02 J-GEN-03 signing up answers the owner key, which then authenticates', async (t) => {
  const call = strictly(t, app)
  const body = { email: freshEmail(), password: '12345678' }
  const { status, headers, json, requestId } = await call('POST', '/v1/signup', { body })
  t.is(status, 200)
  t.is(headers.get('content-type'), 'application/json; charset=utf-8')
  t.deepEqual(Object.keys(json), ['api_key', 'activated', 'next'])
  t.is(json.activated, false)
  t.regex(json.api_key, /^sk_live_[0-9a-f]{16}_[0-9a-f]{64}$/)
  t.true(json.next.length > 0)
  const events = await causedBy(app, requestId)
  for (const type of ['EmailRequested', 'AccountSignedUp', 'ApiKeyIssued']) t.true(events.includes(type), type)
  t.false(events.includes('EmailClaimed'), 'the address is nobody’s before its link is followed')
  t.is((await call('GET', '/v1/wallets', { key: json.api_key })).status, 200)
})

test('J-ACC-02 E-400-06 L-JSN-03 a sign-up without a good email and password is refused and nothing is created', async (t) => {
  const email = freshEmail()
  const bodies = {
    'no email': { password: PASSWORD },
    'no password': { email },
    'no body': undefined,
    'seven characters': { email, password: '1234567' },
    '257 characters': { email, password: 'x'.repeat(257) },
    'four emoji, which are eight halves': { email, password: '🐎🐎🐎🐎' },
    'a number for a password': { email, password: 12345678 },
    'a long email': { email: `${'a'.repeat(250)}@x.test`, password: PASSWORD },
    'a long primary wallet': { email, password: PASSWORD, primary_wallet: 'x'.repeat(201) },
    'terms as text': { email, password: PASSWORD, agreed_to_terms: 'false' },
    'terms as null': { email, password: PASSWORD, agreed_to_terms: null },
    ...Object.fromEntries(malformed.map((each) => [each, { email: each, password: PASSWORD }])),
  }
  await refused(
    t,
    app,
    Object.entries(bodies).map(([what, body]) => ({ what, body, ...INVALID })),
  )
  t.is((await join({ email })).status, 200, 'the address is still free')
})

deepTest('J-ACC-02 L-JSN-03 passwords of 8 to 256 characters of any script are taken', async (t) => {
  for (const password of ['12345678', 'x'.repeat(256), '        ', 'пароль12', '🐎🐎🐎🐎🐎🐎🐎🐎', 'e\u0301'.repeat(8)])
    t.is((await join({ password })).status, 200, password)
})

test('J-ACC-03 E-400-06 the terms are agreed to by saying so or saying nothing, and a no is refused', async (t) => {
  t.is((await join({ agreed_to_terms: true })).status, 200)
  t.is((await join({})).status, 200)
  const email = freshEmail()
  const body = { email, password: PASSWORD, agreed_to_terms: false }
  await refused(t, app, [{ what: 'an explicit no', body, ...INVALID }])
  t.is((await join({ email })).status, 200, 'the address is still free')
})

deepTest(
  'J-ACC-05 J-GEN-06 an account that has paid and verified nothing sets its address and prices a resource',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await signUp(app)
    const wallet = await call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } })
    const resource = await call('POST', '/v1/resources', { key, body: { amount: 1 } })
    t.deepEqual([wallet.status, resource.status], [200, 200])
    t.is((await call('GET', `/r/${resource.json.res_id}`)).status, 402)
  },
)

test('J-ACC-06 J-ACC-07 L-JSN-08 I-CRD-01 the link activates and grants five dollars, once, however often it is clicked', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await signUp(app)
  const link = await linkOf(email)
  const clicks = await Promise.all(Array.from({ length: 6 }, () => call('GET', link)))
  t.deepEqual(new Set(clicks.map(({ status }) => status)), new Set([200]))
  const events = await Promise.all(clicks.map(({ requestId }) => causedBy(app, requestId)))
  for (const type of ['EmailVerified', 'AccountActivated', 'CreditGranted'])
    t.is(events.flat().filter((each) => each === type).length, 1, type)
  t.is((await call('GET', link)).status, 200)
  const { json } = await call('GET', '/v1/me', { key })
  t.deepEqual([json.activated, json.credit_balance], [true, 5])
})

test('J-ACC-06 what only looks at the link, as mail scanners and browsers do, does not activate', async (t) => {
  const call = strictly(t, app)
  const { key, email } = await signUp(app)
  const link = await linkOf(email)
  const looks = [
    await call('HEAD', link),
    await call('GET', link, { headers: { purpose: 'prefetch' } }),
    await call('GET', link, { headers: { 'sec-purpose': 'prefetch;prerender' } }),
    await call('PUT', link),
  ]
  for (const { status, headers } of looks) t.deepEqual([status, headers.get('allow')?.includes('GET')], [405, true])
  t.is((await call('POST', link)).status, 400, 'a form says what it has to say in its body')
  t.is((await call('GET', '/v1/me', { key })).status, 402)
  t.is((await call('GET', link)).status, 200)
})

test('J-ACC-06 a link that was altered, cut or made for another account activates nobody', async (t) => {
  const [first, second] = [await signUp(app), await signUp(app)]
  const [mine, others] = [tokenOf(await linkOf(first.email)), tokenOf(await linkOf(second.email))]
  const [account, secret] = mine.split('.') as [string, string]
  const [, othersSecret] = others.split('.') as [string, string]
  const last = secret.endsWith('0') ? '1' : '0'
  const forged = [`${account}.${othersSecret}`, `${account}.${secret.slice(0, -1)}${last}`, secret, account, '']
  const tampered = [...forged, `${mine}0`, mine.toUpperCase(), `${account}.`, `acc_${'a'.repeat(26)}.${secret}`]
  for (const token of tampered) {
    const answer = await strictly(t, app)('GET', `/verify-email?token=${token}`)
    t.is(answer.status, 410, token)
    t.deepEqual(await causedBy(app, answer.requestId), [])
  }
  for (const { key } of [first, second]) t.is((await app.call('GET', '/v1/me', { key })).status, 402)
})

test('J-ACC-10 J-ACC-11 E-402-01 the four snapshots are refused until activation and then answer the same 8 fields', async (t) => {
  const { key, email } = await signUp(app)
  const gate = { method: 'GET', key, status: 402, code: 'svc_not_activated' }
  await refused(
    t,
    app,
    SNAPSHOTS.map((path) => ({ what: path, path, ...gate })),
  )
  await app.call('GET', await linkOf(email))
  const answers = await Promise.all(SNAPSHOTS.map((path) => strictly(t, app)('GET', path, { key })))
  t.is(new Set(answers.map(({ text }) => text)).size, 1)
  t.deepEqual(answers[0]?.json, { ...emptySnapshot, email })
})

deepTest(
  'J-ACC-12 J-ACC-10 the agent webhook is echoed, shown in the snapshot, and a bad one changes nothing',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await activeSeller(app)
    const webhook_url = 'https://hooks.example.com/x'
    const set = await call('POST', '/v1/agent', { key, body: { webhook_url } })
    const { secret, ...echoed } = set.json
    t.deepEqual([set.status, echoed], [200, { webhook_url }])
    t.regex(secret, /^whsec_[0-9a-f]{64}$/, 'the first secret is shown once')
    const bad = ['http://hooks.example.com/x', 'https://127.0.0.1/x', 'https://localhost/x', 'nonsense', 7]
    await refused(
      t,
      app,
      [...bad.map((url) => ({ webhook_url: url })), {}].map((body) => ({
        ...INVALID,
        what: JSON.stringify(body),
        path: '/v1/agent',
        key,
        body,
      })),
    )
    t.is((await call('GET', '/v1/me', { key })).json.webhook_url, webhook_url)
    for (const none of ['', null]) {
      t.is((await call('POST', '/v1/agent', { key, body: { webhook_url: none } })).status, 200)
      t.is((await call('GET', '/v1/me', { key })).json.webhook_url, '', 'an empty one clears it')
      await call('POST', '/v1/agent', { key, body: { webhook_url } })
    }
  },
)

const join = (body: object) =>
  app.call('POST', '/v1/signup', { body: { email: freshEmail(), password: PASSWORD, ...body } })

const linkOf = async (email: string): Promise<string> => {
  const { pathname, search } = new URL(await mailedLink(app, email))
  return pathname + search
}

const tokenOf = (link: string) => link.split('token=')[1] as string

const malformed = [
  '',
  'a',
  'a@',
  '@x.test',
  'a b@x.test',
  'a@x',
  ' a@x.test',
  'a@x.test\n',
  'a@x.test,b@x.test',
  'é@x.test',
]

const emptySnapshot = {
  activated: true,
  primary_wallet: null,
  credit_balance: 5,
  webhook_url: '',
  wallets: {},
  settlements_count: 0,
  total_earned: 0,
}
