import test from 'ava'
import { startApp, type TestApp } from '../../../support/app.ts'
import {
  type Balances,
  type Clock,
  type Customer,
  openBalances,
  REDIRECT,
  type Shop,
  STATE,
} from '../../../support/balance-calls.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { person } from '../../../support/people.ts'
import { ok } from '../../../support/seller.ts'

const clock: Clock = { shiftMs: 0 }
const MINUTE_MS = 60_000
let app: TestApp
let b: Balances
let ada: Customer
let shop: Shop
let token: string
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer(), await b.shop()]
  token = await b.token(ada, shop)
})
test.after.always(async () => {
  await b?.stop()
  await app?.stop()
})

const wish = (fields: object = {}) => ({
  ...shop.named,
  amount: '12.30',
  currency: 'USD',
  description: 'A pound of tea',
  state: STATE,
  redirect_uri: REDIRECT,
  ...fields,
})

test.serial('A-BAL-01 A-AUT-01 the balance is told to a balance-scoped token, and to no other', async (t) => {
  const read = (bearer?: string) =>
    app.call(
      'GET',
      '/oauth2?op=balance',
      bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } },
    )
  const { json, status } = await read(token)
  t.deepEqual([status, json], [200, { sub: ada.sub, credit_usd: 100, native_coin: 0, currency: 'USD' }])
  const narrow = await b.token(ada, shop, 'openid email')
  const refused = [await read(narrow), await read(), await read('nope')]
  t.deepEqual(
    refused.map((answer) => [answer.status, answer.json.error]),
    [
      [403, 'insufficient_scope'],
      [401, 'invalid_token'],
      [401, 'invalid_token'],
    ],
  )
  for (const [op, act] of [
    ['intent', 'create'],
    ['credit', 'push'],
    ['mandate', 'create'],
  ] as const) {
    t.is((await b.ask(op, act, wish(), narrow)).json.error, 'insufficient_scope', op)
    t.is((await b.ask(op, act, wish())).json.error, 'invalid_token', op)
  }
})

test.serial(
  'A-INT-01 T-INT-01 X-EXACT-01 an intent is made of exact terms alone, by the token’s own app',
  async (t) => {
    const { status, json } = await b.ask('intent', 'create', wish(), token)
    t.deepEqual([status, Object.keys(json), json.state], [200, ['intent_id', 'state', 'confirm_url'], 'pending'])
    t.regex(json.intent_id, /^pi_[a-z2-7]{26}$/)
    t.is(json.confirm_url, `${app.served().origin}/confirm/${json.intent_id}`)
    const other = await b.shop()
    const refused: [object, number, string][] = [
      ...['0', '-1', '1.234', '1e2', '01', ' 1', 'x', '', '1000000000'].map(
        (amount) => [{ amount }, 400, 'invalid_amount'] as [object, number, string],
      ),
      [{ amount: undefined }, 400, 'invalid_request'],
      [{ currency: 'EUR' }, 400, 'unsupported_currency'],
      ...[`${REDIRECT}&more=1`, 'https://app.test/cb', 'https://else.test/cb?own=1'].map(
        (redirect_uri) => [{ redirect_uri }, 400, 'invalid_redirect_uri'] as [object, number, string],
      ),
      [{ client_secret: other.clientSecret }, 401, 'invalid_client'],
      [{ client_id: other.clientId }, 401, 'invalid_client'],
      [{ idempotency_key: 'k\n' }, 400, 'invalid_request'],
      [{ idempotency_key: 'k'.repeat(256) }, 400, 'invalid_request'],
    ]
    for (const [fields, code, error] of refused) {
      const answer = await b.ask('intent', 'create', wish(fields), token)
      t.deepEqual([answer.status, answer.json.error], [code, error], JSON.stringify(fields))
    }
  },
)

deepTest.serial(
  'A-INT-02 L-AUT-10 X-IDEM-02 one idempotency key makes one intent, and stands for its terms',
  async (t) => {
    const again = wish({ idempotency_key: 'order 7' })
    const all = await Promise.all(Array.from({ length: 20 }, () => ok(b.ask('intent', 'create', again, token))))
    t.is(new Set(all.map(({ json }) => json.intent_id)).size, 1)
    const other = await b.ask('intent', 'create', { ...again, amount: '12.31' }, token)
    t.deepEqual([other.status, other.json.error], [409, 'idempotency_conflict'])
  },
)

test.serial('A-INT-03 T-INT-02 X-MFA-01 the user confirms the frozen terms by a fresh second factor', async (t) => {
  const { url, id } = await made()
  const path = new URL(url).pathname
  const page = await ada.browser.open(path)
  for (const said of ['Shop', 'app.test', '12.30 USD', 'A pound of tea', '100.00 USD', '87.70 USD', ada.email])
    t.true(page.text.includes(said), said)
  t.regex(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.test /)
  const stale = await b.confirm(ada, url, { challenge: 'x' })
  t.deepEqual([stale.status, /open for too long/.test(stale.text)], [422, true])
  const wrong = await b.confirm(ada, url, { code: '000000' })
  t.deepEqual([wrong.status, /code is wrong/.test(wrong.text)], [422, true])
  const elsewhere = await made()
  const asked = /name="challenge" value="([^"]+)"/.exec((await ada.browser.open(elsewhere.path)).text)?.[1] ?? ''
  t.is((await b.confirm(ada, url, { challenge: asked })).status, 422)
  const shown = /name="challenge" value="([^"]+)"/.exec((await ada.browser.open(path)).text)?.[1] ?? ''
  await b.operator.ledger.clientApp.rename(shop.clientId, { name: 'Another shop' })
  const renamed = await b.confirm(ada, url, { challenge: shown })
  t.deepEqual([renamed.status, /open for too long/.test(renamed.text)], [422, true], 'other terms than were shown')
  await b.operator.ledger.clientApp.rename(shop.clientId, { name: 'Shop' })
  const back = await b.confirm(ada, url)
  t.is(back.status, 303, back.text)
  const { searchParams, href } = new URL(back.location)
  t.deepEqual([...searchParams.keys()], ['own', 'payment', 'code', 'state'])
  t.deepEqual([searchParams.get('payment'), searchParams.get('state'), searchParams.get('own')], [id, STATE, '1'])
  t.true(href.startsWith('https://app.test/cb?own=1&'))
  const later = await ada.browser.open(path)
  t.true(later.text.includes(back.location.replaceAll('&', '&amp;')), 'the way back is kept')
})

test.serial(
  'A-INT-03 X-MFA-01 nobody else sees what is asked of a user, and the user has to have a second factor',
  async (t) => {
    const { path } = await made()
    const [eve, nobody] = [await b.customer(), person(app)]
    const foreign = await eve.browser.open(path)
    t.deepEqual([foreign.status, /Sign in as somebody else/.test(foreign.text)], [404, true])
    t.false(foreign.text.includes('of tea'))
    const missing = await eve.browser.open(`/confirm/pi_${'a'.repeat(26)}`)
    t.is(missing.text.replaceAll(/pi_[a-z2-7]+/g, ''), foreign.text.replaceAll(/pi_[a-z2-7]+/g, ''))
    t.is((await eve.browser.post(path, { csrf: 'x', decision: 'approve' })).status, 403)
    const away = await nobody.open(path)
    t.deepEqual([away.status, away.location], [303, `/sign-in?next=${encodeURIComponent(path)}`])
    await b.operator.ledger.user.removeTotp(eve.sub, {})
    const hers = await ok(b.ask('intent', 'create', wish({ amount: 90 }), await b.token(eve, shop)))
    await b.arrived('Eve', async () => b.read(await b.token(eve, shop)), 100)
    const screen = await eve.browser.open(new URL(hers.json.confirm_url).pathname)
    t.regex(screen.text, /\/account\/security\/enrol\?next=%2Fconfirm%2Fpi_/)
    t.false(screen.text.includes('name="code"'))
  },
)

test.serial('A-INT-04 A-INT-05 T-INT-03 I-BAL-01 X-IDEM-02 200 completions at once take the money once', async (t) => {
  const { id, code } = await confirmed()
  const before = await b.read(token)
  const call = () => b.ask('intent', 'complete', { ...shop.named, intent_id: id, code })
  const all = await Promise.all(Array.from({ length: 200 }, call))
  t.deepEqual([...new Set(all.map(({ status }) => status))], [200])
  const refs = new Set(all.map(({ json }) => json.ledger_ref))
  t.is(refs.size, 1)
  t.regex([...refs].join(), /^oidcpay-[a-z2-7]{20}$/)
  const first = all.filter(({ json }) => json.duplicate === undefined)
  t.deepEqual(
    first.map(({ json }) => json),
    [{ status: 'completed', ledger_ref: [...refs][0] }],
  )
  clock.shiftMs += 60 * MINUTE_MS
  t.deepEqual((await call()).json, { status: 'completed', ledger_ref: [...refs][0], duplicate: true })
  t.is(await b.read(token), Number((before - 12.3).toFixed(2)))
  await b.arrived('the app', () => b.credit(shop), 12.3)
  t.like((await ok(b.ask('intent', 'status', { ...shop.named, intent_id: id }))).json, {
    state: 'completed',
    amount: 12.3,
    description: 'A pound of tea',
    ledger_ref: [...refs][0],
    refunded: 0,
  })
})

deepTest.serial('A-INT-06 I-BAL-01 a code completes its own intent, for its own app, in its own time', async (t) => {
  const [one, two, pending, other] = [await confirmed(), await confirmed(), await made(), await b.shop()]
  const before = await b.read(token)
  const complete = async (intent_id: string, code: string, by = shop) => {
    const { status, json } = await b.ask('intent', 'complete', { ...by.named, intent_id, code })
    return [status, json.error]
  }
  t.deepEqual(await complete(one.id, two.code), [400, 'invalid_code'])
  t.deepEqual(await complete(one.id, 'x'), [400, 'invalid_code'])
  t.deepEqual(await complete(one.id, one.code, other), [404, 'intent_not_found'])
  t.deepEqual(await complete('pi_x', one.code), [404, 'intent_not_found'])
  t.deepEqual(await complete(pending.id, one.code), [409, 'intent_not_confirmed'])
  t.deepEqual(await complete(one.id, one.code, { ...shop, named: { ...shop.named, client_secret: 'x' } }), [
    401,
    'invalid_client',
  ])
  clock.shiftMs += 10 * MINUTE_MS
  t.deepEqual(await complete(one.id, one.code), [410, 'intent_expired'])
  clock.shiftMs += 20 * MINUTE_MS
  t.deepEqual(await complete(pending.id, 'x'), [410, 'intent_expired'])
  const late = await ada.browser.open(pending.path)
  t.deepEqual([late.status, /The time for this is up/.test(late.text)], [410, true])
  t.is(await b.read(token), before)
})

deepTest.serial('A-INT-03 what is declined or taken back is neither confirmed nor completed', async (t) => {
  const [asked, taken] = [await made(), await made()]
  const back = await ada.browser.send(asked.path, { decision: 'decline' })
  t.is(back.location, `${REDIRECT}&${new URLSearchParams({ error: 'access_denied', payment: asked.id, state: STATE })}`)
  const { json } = await ok(b.ask('intent', 'cancel', { ...shop.named, intent_id: taken.id }))
  t.is(json.state, 'declined')
  for (const { id, url } of [asked, taken]) {
    const refused = await b.ask('intent', 'complete', { ...shop.named, intent_id: id, code: 'x' })
    t.deepEqual([refused.status, refused.json.error], [409, 'intent_declined'])
    t.regex((await ada.browser.open(new URL(url).pathname)).text, /declined or taken back/)
  }
})

deepTest.serial('I-BAL-05 two confirmed payments may want the same money, and one of them gets it', async (t) => {
  const bob = await b.customer({ usd: 20 })
  const his = await b.token(bob, shop)
  const both = [await confirmed({ amount: '15' }, bob, his), await confirmed({ amount: '15' }, bob, his)]
  const answers = await Promise.all(
    both.map(({ id, code }) => b.ask('intent', 'complete', { ...shop.named, intent_id: id, code })),
  )
  t.deepEqual(answers.map(({ status, json }) => [status, json.error ?? json.status]).sort(), [
    [200, 'completed'],
    [402, 'insufficient_balance'],
  ])
  t.is(await b.read(his), 5)
  const { path } = await made({ amount: '7.5' }, his)
  const screen = await bob.browser.open(path)
  t.regex(screen.text, /Not enough balance/)
  t.regex(screen.text, /Add 2\.50 USD/)
  t.is((await bob.browser.send(path, { decision: 'approve', code: '123456' })).status, 200)
})

test.serial('A-CLI-02 in the name of an app whose domain is lost nobody is asked for anything', async (t) => {
  const lost = await b.shop()
  const { path } = await made({ ...lost.named }, await b.token(ada, lost))
  await b.operator.ledger.clientApp.lapseDomain(lost.clientId, { domain: 'app.test' })
  const page = await ada.browser.open(path)
  t.deepEqual([page.status, page.text.includes('https://app.test')], [409, false])
  const refused = await b.ask('intent', 'create', wish(lost.named), await b.token(ada, lost))
  t.is(refused.json.error, 'invalid_redirect_uri')
})

const made = async (fields: object = {}, bearer = token) => {
  const { json } = await ok(b.ask('intent', 'create', wish(fields), bearer))
  return { id: json.intent_id as string, url: json.confirm_url as string, path: new URL(json.confirm_url).pathname }
}

const confirmed = async (fields: object = {}, customer = ada, bearer = token) => {
  const intent = await made(fields, bearer)
  const { location } = await b.confirm(customer, intent.url)
  return { ...intent, code: new URL(location).searchParams.get('code') ?? '' }
}
