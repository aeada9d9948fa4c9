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
import { assertReplayEqual } from '../../../support/sale.ts'
import { ok } from '../../../support/seller.ts'

/** Standing orders, by HTTP. */

const clock: Clock = { shiftMs: 0 }
const DAY_MS = 86_400_000
let app: TestApp
let b: Balances
let ada: Customer
let shop: Shop
let token: string
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer({ usd: 500 }), await b.shop()]
  token = await b.token(ada, shop)
})
test.after.always(async () => {
  await b?.stop()
  await app?.stop()
})

const wish = (fields: object = {}) => ({
  mode: 'adhoc',
  per_debit_cap: '5',
  lifetime_cap: '10',
  cooldown: 'none',
  description: 'Tea club',
  redirect_uri: REDIRECT,
  state: STATE,
  ...fields,
})
const SCHEDULED = { mode: 'scheduled', sched_amount: '4.50', sched_interval: 'monthly', lifetime_cap: '54' }
/** A schedule that Daybook runs. */
const AUTOMATIC = { ...SCHEDULED, auto: 'true' }

const create = (fields: object = {}) => b.ask('mandate', 'create', wish(fields), token)

const made = async (fields: object = {}) => {
  const { json } = await ok(create(fields))
  return { id: json.mandate_id as string, path: new URL(json.confirm_url).pathname, url: json.confirm_url as string }
}

const approved = async (fields: object = {}) => {
  const mandate = await made(fields)
  const { status, text } = await b.confirm(ada, mandate.url)
  if (status !== 303) throw new Error(text)
  return mandate
}

let keys = 0
const debit = (mandate_id: string, amount: string | number, fields: object = {}) =>
  b.ask('mandate', 'debit', {
    ...shop.named,
    mandate_id,
    amount,
    description: 'Tea',
    idempotency_key: `key ${++keys}`,
    ...fields,
  })
const said = async (answering: ReturnType<typeof debit>) => {
  const { status, json } = await answering
  return [status, json.error ?? json.status]
}
const recordOf = async (mandate_id: string) =>
  (await ok(b.ask('mandate', 'status', { ...shop.named, mandate_id }))).json

test.serial(
  'A-MAN-01 T-MAN-01 X-IDEM-02 L-AUT-10 a mandate is proposed in terms that fit together, once per key',
  async (t) => {
    const { json } = await ok(create({ idempotency_key: 'one' }))
    t.deepEqual([Object.keys(json), json.state], [['mandate_id', 'state', 'confirm_url'], 'pending'])
    t.regex(json.mandate_id, /^so_[a-z2-7]{26}$/)
    t.is(json.confirm_url, `${app.served().origin}/standing-orders/${json.mandate_id}/confirm`)
    t.is((await ok(create({ idempotency_key: 'one' }))).json.mandate_id, json.mandate_id)
    t.deepEqual(await said(create({ idempotency_key: 'one', lifetime_cap: '11' })), [409, 'idempotency_conflict'])
    const wrong: [object, string][] = [
      [{ per_debit_cap: '11' }, 'invalid_terms'],
      [{ sched_amount: '1' }, 'invalid_terms'],
      [{ sched_interval: 'weekly' }, 'invalid_terms'],
      [{ ...SCHEDULED, sched_amount: '' }, 'invalid_terms'],
      [{ ...SCHEDULED, sched_interval: undefined }, 'invalid_terms'],
      [{ ...SCHEDULED, sched_amount: '5.01' }, 'invalid_terms'],
      [{ lifetime_cap: '10.001' }, 'invalid_amount'],
      [{ per_debit_cap: '0' }, 'invalid_amount'],
      [{ redirect_uri: 'https://app.test/cb' }, 'invalid_redirect_uri'],
      [{ mode: 'weekly' }, 'invalid_request'],
      [{ cooldown: 'daily' }, 'invalid_request'],
      [{ auto: 'true' }, 'invalid_terms'],
      [{ ...SCHEDULED, auto: 'yes' }, 'invalid_request'],
    ]
    for (const [fields, error] of wrong) t.deepEqual(await said(create(fields)), [400, error], JSON.stringify(fields))
    t.like(await recordOf(json.mandate_id), {
      mode: 'adhoc',
      per_debit_cap: 5,
      lifetime_cap: 10,
      cooldown: 'none',
      sched_amount: null,
      state: 'pending',
      sched_interval: null,
      auto: false,
      description: 'Tea club',
      spent: 0,
      remaining_cap: 10,
      last_debit_at: null,
      next_debit_at: null,
      approved_at: null,
      valid_until: null,
      ended_at: null,
    })
  },
)

test.serial('A-MAN-02 X-MFA-01 the screen says each limit, the total, the rhythm and the twelve months', async (t) => {
  const [adhoc, scheduled] = [await made({ cooldown: 'weekly' }), await made(AUTOMATIC)]
  const plan = await made(SCHEDULED)
  const [one, two] = [await ada.browser.open(adhoc.path), await ada.browser.open(scheduled.path)]
  const year = new Date(Date.now() + clock.shiftMs).getUTCFullYear() + 1
  for (const [page, words] of [
    [one.text, ['5.00 USD', '10.00 USD', 'at most once a week', '12 months', String(year), 'Shop', 'Tea club']],
    [two.text, ['5.00 USD', '54.00 USD', '4.50 USD', 'every month', '12 months', String(year), 'First payment']],
    [one.text, ['Taken by', 'Shop, when it asks for it']],
    [two.text, ['Taken by', 'Daybook, by itself on each due day']],
    [(await ada.browser.open(plan.path)).text, ['Shop, when it asks for it', 'at most', '4.50 USD', 'every month']],
  ] as const)
    for (const word of words) t.true(page.includes(word), word)
  t.is((await b.confirm(ada, adhoc.url, { code: '000000' })).status, 422)
  t.is((await ada.browser.send(adhoc.path, { decision: 'approve', challenge: 'x' })).status, 422)
  t.is((await recordOf(adhoc.id)).state, 'pending')
  const eve = await b.customer({ usd: 0 })
  t.is((await eve.browser.open(adhoc.path)).status, 404)
})

test.serial(
  'A-MAN-03 A-MAN-04 T-MAN-02 T-MAN-03 E-AUT-03 the user’s answer leads back to the app, and is kept',
  async (t) => {
    const [yes, no] = [await made(), await made()]
    const approval = await b.confirm(ada, yes.url)
    t.deepEqual(
      [approval.status, approval.location],
      [303, `${REDIRECT}&${new URLSearchParams({ mandate: yes.id, state: STATE })}`],
    )
    const refusal = await ada.browser.send(no.path, { decision: 'decline' })
    t.is(refusal.location, `${REDIRECT}&${new URLSearchParams({ error: 'access_denied', state: STATE })}`)
    const { json, status } = await debit(no.id, 1)
    t.deepEqual([status, json.error, json.state], [409, 'mandate_not_active', 'declined'])
    t.is((await recordOf(yes.id)).state, 'approved')
    t.regex((await ada.browser.open(yes.path)).text, /You have approved this/)
    t.regex((await ada.browser.open(no.path)).text, /was declined/)
  },
)

test.serial(
  'A-MAN-05 A-MAN-07 X-IDEM-02 I-BAL-04 a debit takes what it says, once per key, without a screen',
  async (t) => {
    const { id } = await approved()
    const before = await b.read(token)
    t.deepEqual((await debit(id, 2, { dry_run: '1' })).json, { status: 'possible', remaining_cap: 8 })
    const same = () => debit(id, '2.00', { idempotency_key: 'same' })
    const all = await Promise.all(Array.from({ length: 30 }, same))
    const [first] = all.filter(({ json }) => json.duplicate === undefined)
    t.regex(first?.json.ledger_ref, /^oidcso-[a-z2-7]{20}$/)
    t.is(all.filter(({ json }) => json.duplicate === undefined).length, 1)
    t.true(all.every(({ json }) => json.ledger_ref === first?.json.ledger_ref && json.remaining_cap === 8))
    t.deepEqual(await said(debit(id, 3, { idempotency_key: 'same' })), [409, 'idempotency_conflict'])
    t.is(await b.read(token), before - 2)
    t.like(await recordOf(id), { spent: 2, remaining_cap: 8, state: 'approved' })
    await b.arrived('the app', () => b.credit(shop), 2)
  },
)

deepTest.serial('A-MAN-06 L-AUT-09 I-BAL-04 debits that race for the caps never pass them', async (t) => {
  const { id } = await approved()
  const before = await b.read(token)
  t.deepEqual(await said(debit(id, 5.01)), [402, 'per_debit_cap_exceeded'])
  const all = await Promise.all(Array.from({ length: 40 }, () => said(debit(id, '1.50'))))
  t.deepEqual(all.filter(([status]) => status === 200).length, 6)
  t.deepEqual([...new Set(all.filter(([status]) => status !== 200).map(String))], ['402,lifetime_cap_exceeded'])
  t.like(await recordOf(id), { spent: 9, remaining_cap: 1 })
  t.deepEqual(await said(debit(id, 1)), [200, 'completed'])
  const { json } = await debit(id, 1)
  t.deepEqual([json.error, json.state, (await recordOf(id)).state], ['mandate_not_active', 'exhausted', 'exhausted'])
  t.is(await b.read(token), before - 10)
})

deepTest.serial(
  'Q-40 A-MAN-05 A-MAN-06 an app debits its schedule, once in each interval, and Daybook does not',
  async (t) => {
    const { id } = await approved(SCHEDULED)
    const before = await b.read(token)
    t.like(await recordOf(id), { auto: false, next_debit_at: null, sched_amount: 4.5 })
    t.deepEqual(await said(debit(id, 4.51)), [402, 'per_debit_cap_exceeded'])
    t.deepEqual((await debit(id, 4, { dry_run: '1' })).json, { status: 'possible', remaining_cap: 50 })
    const all = await Promise.all(Array.from({ length: 10 }, () => said(debit(id, '4.50'))))
    t.deepEqual(all.map(String).sort(), ['200,completed', ...Array(9).fill('409,cooldown_active')])
    const { json } = await debit(id, 1)
    const { next_allowed_at, spent } = await recordOf(id)
    t.deepEqual([json.next_allowed_at, spent], [next_allowed_at, 4.5])
    t.is(await b.read(token), before - 4.5)
    const orders = (await ada.browser.open('/account/standing-orders')).text
    t.true(orders.includes('At most each month') && orders.includes('Taken by'), orders)
    const byJson = await app.call('POST', '/oauth2?op=mandate&act=create', {
      body: wish({ ...SCHEDULED, auto: true }),
      headers: { authorization: `Bearer ${token}` },
    })
    t.is((await recordOf(byJson.json.mandate_id)).auto, true)
  },
)

deepTest.serial('A-MAN-05 A-MAN-06 a schedule debits by itself, and says when it does so next', async (t) => {
  const before = await b.read(token)
  const { id } = await approved(AUTOMATIC)
  await b.arrived('the first period', async () => (await recordOf(id)).spent, 4.5)
  t.is(await b.read(token), before - 4.5)
  const { approved_at: from, last_debit_at: last, next_debit_at: next } = await recordOf(id)
  t.true(from <= last && last < next, `${from}, ${last}, ${next}`)
})

deepTest.serial(
  'A-MAN-06 L-AUT-08 I-BAL-04 a debit waits for the cooldown, and none comes after twelve months or the end',
  async (t) => {
    const { id } = await approved({ cooldown: 'weekly' })
    const [ended, waiting, plan] = [(await approved()).id, (await made()).id, (await approved(AUTOMATIC)).id]
    const dear = (await approved({ per_debit_cap: '900', lifetime_cap: '900' })).id
    t.deepEqual(await said(debit(waiting, 1)), [409, 'mandate_not_active'])
    t.deepEqual(await said(debit(dear, 900)), [402, 'insufficient_balance'])
    t.deepEqual(await said(debit(plan, 4.5)), [400, 'mode_mismatch'])
    t.deepEqual(await said(debit('so_x', 1)), [404, 'mandate_not_found'])
    const other = await b.shop()
    t.deepEqual(await said(debit(id, 1, other.named)), [404, 'mandate_not_found'])
    t.is((await debit(id, 1)).status, 200)
    const soon = await debit(id, 1)
    t.deepEqual([soon.status, soon.json.error], [409, 'cooldown_active'])
    t.is(soon.json.next_allowed_at, (await recordOf(id)).next_allowed_at)
    clock.shiftMs += 7 * DAY_MS
    t.is((await debit(id, 1)).status, 200)
    const { json } = await ok(b.ask('mandate', 'revoke', { ...shop.named, mandate_id: ended }))
    t.is(json.state, 'revoked')
    t.like((await debit(ended, 1)).json, { error: 'mandate_not_active', state: 'revoked' })
    clock.shiftMs += 360 * DAY_MS
    t.like((await debit(id, 1)).json, { error: 'mandate_not_active', state: 'expired' })
    t.like(await recordOf(waiting), { state: 'expired' })
  },
)

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
