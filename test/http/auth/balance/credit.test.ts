import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
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
import { choose, look, payPage, postHash, saidIn } from '../../../support/buyer.ts'
import { deepAfter, deepTest } from '../../../support/deep-test.ts'
import { assertReplayEqual } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'

/** Money that comes to users, by HTTP: from an app's credit, and by top-ups that are paid on a chain. */

const clock: Clock = { shiftMs: 0 }
const MINUTE_MS = 60_000
let app: TestApp
let b: Balances
let ada: Customer
let shop: Shop
let token: string
test.before(async () => {
  app = await startApp({
    world: { now: () => new Date(Date.now() + clock.shiftMs) },
    env: { PLATFORM_WALLETS: 'eth=0x90F79bf6EB2c4f870365E785982E1f101E93b906' },
  })
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer({ usd: 0 }), await b.shop({ usd: 10 })]
  token = await b.token(ada, shop)
})
test.after.always(async () => {
  await b?.stop()
  await app?.stop()
})

const push = (fields: object = {}, by: Shop = shop, bearer = token) =>
  b.ask('credit', 'push', { ...by.push, amount: '2', description: 'Reward', ref: 'r', ...fields }, bearer)

test.serial('A-CRP-01 A-CRP-03 I-BAL-02 L-AUT-10 X-IDEM-02 50 pushes of one ref at once credit once', async (t) => {
  const all = await Promise.all(Array.from({ length: 50 }, () => push()))
  t.deepEqual([...new Set(all.map(({ status }) => status))], [200], all.find(({ status }) => status !== 200)?.text)
  const refs = [...new Set(all.map(({ json }) => json.ref))]
  t.is(refs.length, 1)
  t.regex(String(refs[0]), /^oidcpush-[a-z2-7]{20}$/)
  const first = all.filter(({ json }) => json.duplicate === undefined).map(({ json }) => json)
  t.deepEqual(first, [{ status: 'credited', ref: refs[0] }])
  t.true(all.every(({ json }) => json.status === 'credited'))
  await b.arrived('Ada', () => b.read(token), 2)
  t.is(await b.credit(shop), 8)
  const other = await push({ amount: '3' })
  t.deepEqual([other.status, other.json.error], [409, 'ref_conflict'])
})

deepTest.serial('A-CRP-02 E-AUT-10 what the app’s credit does not cover credits nobody', async (t) => {
  const poor = await b.shop({ usd: 1 })
  const his = await b.token(ada, poor)
  const { status, json } = await push({}, poor, his)
  t.deepEqual([status, json.error, Object.keys(json)], [402, 'app-credit-insufficient', ['error', 'error_description']])
  t.deepEqual([await b.credit(poor), await b.read(token)], [1, 2])
  const many = await Promise.all(
    Array.from({ length: 10 }, (_, i) => push({ amount: '0.30', ref: `many ${i}` }, poor, his)),
  )
  t.deepEqual(many.map((answer) => answer.status).sort(), [...Array(3).fill(200), ...Array(7).fill(402)])
  await b.arrived('Ada', () => b.read(token), 2.9)
  t.is(await b.credit(poor), 0.1)
})

test.serial(
  'A-CRP-04 A-CRP-05 L-AUT-07 a push needs the key made for it: the newest, or the one before for ten minutes',
  async (t) => {
    const [other, { world }] = [await b.shop({ usd: 5 }), b.operator.flow]
    const wrong = [
      { credit_push_key: shop.clientSecret },
      { credit_push_key: other.creditPushKey },
      { credit_push_key: '' },
      { credit_push_key: 'cpk_x' },
    ]
    for (const fields of wrong) {
      const { status, json } = await push(fields)
      t.deepEqual([status, json.error], [401, 'invalid_credit_push_key'], JSON.stringify(fields))
    }
    t.is((await push({}, other)).json.error, 'invalid_client', 'the token is another app’s')
    const [second, third] = [`cpk_${world.secret(32)}`, `cpk_${world.secret(32)}`]
    const rotate = (key: string) =>
      b.operator.ledger.clientApp.rotateCreditPushKey(shop.clientId, { keyHash: world.digest(key) })
    const tries = async (ref: string) => {
      const answers = []
      for (const key of [shop.creditPushKey, second, third])
        answers.push((await push({ credit_push_key: key, ref: `${ref} ${key}`, amount: '0.01' })).status)
      return answers
    }
    await rotate(second)
    clock.shiftMs += 9 * MINUTE_MS
    t.deepEqual(await tries('9 min'), [200, 200, 401])
    clock.shiftMs += 2 * MINUTE_MS
    t.deepEqual(await tries('11 min'), [401, 200, 401])
    await rotate(third)
    t.deepEqual(await tries('rotated'), [401, 200, 200])
  },
)

test.serial(
  'A-TOP-01 A-TOP-02 X-EXACT-01 a top-up begins at the pay host, and its user takes it up there',
  async (t) => {
    const wish = { ...shop.named, amount: '20', redirect_uri: REDIRECT, state: STATE }
    const { json } = await ok(b.ask('topup', 'start', wish))
    t.regex(json.topup_id, /^tu_[a-z2-7]{26}$/)
    t.is(json.topup_url, `${app.served().origin}/topup/${json.topup_id}`)
    for (const [fields, error] of [
      [{ amount: '0.001' }, 'invalid_amount'],
      [{ redirect_uri: 'https://app.test/cb' }, 'invalid_redirect_uri'],
      [{ client_secret: 'x' }, 'invalid_client'],
    ] as const)
      t.is((await b.ask('topup', 'start', { ...wish, ...fields })).json.error, error)
    const first = await ada.browser.open(new URL(json.topup_url).pathname)
    t.is(first.location, `${app.served().origin}/topup/${json.topup_id}/confirm`)
    const screen = await ada.browser.open(new URL(first.location).pathname)
    for (const said of ['Shop', 'app.test', '20.00 USD', ada.email, 'Continue'])
      t.true(screen.text.includes(said), said)
    t.deepEqual(await stateOf(json.topup_id), { state: 'started', amount: 20, completed_at: null })
    t.regex(await taken(ada, json.topup_url), /\/id\/pr_/)
    t.deepEqual(await stateOf(json.topup_id), { state: 'confirming', amount: 20, completed_at: null })
    const eve = await b.customer({ usd: 0 })
    t.is((await eve.browser.open(new URL(first.location).pathname)).status, 404)
    const other = await b.shop()
    const foreign = await b.ask('topup', 'status', { ...other.named, topup_id: json.topup_id })
    t.deepEqual([foreign.status, foreign.json.error], [404, 'topup_not_found'])
  },
)

deepTest.serial('A-TOP-03 T-TOP-01 I-BAL-03 what settles on the chain is what the user gets, once', async (t) => {
  let sum = await b.read(token)
  const cases = [
    { by: 1n, of: 1n, state: 'completed', amount: 20 },
    { by: 1n, of: 1n, state: 'completed', amount: 20 },
  ]
  for (const { by, of, state, amount } of cases) {
    const wish = { ...shop.named, amount: '20', redirect_uri: REDIRECT, state: STATE }
    const { topup_id, topup_url } = (await ok(b.ask('topup', 'start', wish))).json
    const page = await choose(app, await taken(ada, topup_url), 'eth')
    const hash = await payPage(app, page, { by, of })
    await app.anvil.mine(6)
    await postHash(app, page, hash)
    const known = await eventually(`a top-up that is ${state}`, async () => {
      const found = await stateOf(topup_id)
      return found.state === state && found
    })
    t.true(Math.abs(known.amount - amount) < 0.01, `${known.amount} of ${amount}`)
    t.not(known.completed_at, null)
    const paid = await eventually('the receipt', async () => {
      const shown = await look(app, page)
      return /Continue to app\.test/.test(saidIn(shown)) && shown
    })
    t.true(
      paid.text.includes(
        `${REDIRECT}&${new URLSearchParams({ topup: topup_id, state: STATE })}`.replaceAll('&', '&amp;'),
      ),
    )
    await postHash(app, page, hash)
    sum += known.amount
    await eventually('the balance', async () => Math.abs((await b.read(token)) - sum) < 1e-9)
  }
  const { topups } = (await ok(b.ask('topup', 'list', { ...shop.named, limit: 2 }))).json
  t.deepEqual(
    topups.map(({ state }: { state: string }) => state),
    ['completed', 'completed'],
  )
})

deepTest.serial(
  'X-IDEM-02 I-BAL-02 a completed payment is given back from the app’s credit, in parts and never beyond',
  async (t) => {
    const [bob, tea] = [await b.customer({ usd: 10 }), await b.shop()]
    const his = await b.token(bob, tea)
    const wish = { ...tea.named, amount: 10, currency: 'USD', description: 'Tea', redirect_uri: REDIRECT }
    // Amounts may be numbers where the body is JSON.
    const asJson = { body: wish, headers: { authorization: `Bearer ${his}` } }
    const { json } = await ok(app.call('POST', '/oauth2?op=intent&act=create', asJson))
    const intent = { ...tea.named, intent_id: json.intent_id }
    const refund = async (fields: object) => {
      const { status, json } = await b.ask('intent', 'refund', { ...intent, ...fields })
      return [status, json.error ?? [json.amount, json.duplicate]]
    }
    t.deepEqual(await refund({ ref: 'a' }), [409, 'intent_not_completed'])
    const code = new URL((await b.confirm(bob, json.confirm_url)).location).searchParams.get('code')
    await ok(b.ask('intent', 'complete', { ...intent, code }))
    await b.arrived('the app', () => b.credit(tea), 10)
    t.deepEqual(await refund({ ref: 'a', amount: '4' }), [200, [4, undefined]])
    t.deepEqual(await refund({ ref: 'a', amount: '4' }), [200, [4, true]])
    t.deepEqual(await refund({ ref: 'a', amount: '5' }), [409, 'ref_conflict'])
    t.deepEqual(await refund({ ref: 'b', amount: '6.01' }), [409, 'refund_exceeds_amount'])
    await ok(b.ask('credit', 'push', { ...tea.push, amount: '6', description: 'Gift', ref: 'gift' }, his))
    t.deepEqual(await refund({ ref: 'b' }), [402, 'app-credit-insufficient'])
    await b.arrived('Bob', () => b.read(his), 10)
    t.like((await ok(b.ask('intent', 'status', intent))).json, { state: 'completed', refunded: 4 })
  },
)

// Last, because after a day the domains of apps are looked up again, and there is no such domain.
deepTest.serial('A-TOP-02 a top-up that nobody pays expires after a day', async (t) => {
  const wish = { ...shop.named, amount: '20', redirect_uri: REDIRECT, state: '' }
  const { topup_id, topup_url } = (await ok(b.ask('topup', 'start', wish))).json
  await taken(ada, topup_url)
  clock.shiftMs += 24 * 60 * MINUTE_MS
  t.like(await stateOf(topup_id), { state: 'expired', amount: 20 })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const stateOf = async (topup_id: string) => {
  const { topup_id: id, ...known } = (await ok(b.ask('topup', 'status', { ...shop.named, topup_id }))).json
  if (id !== topup_id) throw new Error(`asked for ${topup_id}, told of ${id}`)
  return known
}

/** Follows the address that the app got, and presses the button. */
const taken = async ({ browser }: Customer, url: string): Promise<string> => {
  const { location, status, text } = await browser.send(`${new URL(url).pathname}/confirm`)
  if (status !== 303) throw new Error(text)
  return new URL(location).pathname
}
