import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, payPage, saidIn } from '../../support/buyer.ts'
import { memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { teamMember } from '../../support/members.ts'
import { openOperator } from '../../support/operator.ts'
import { type Person, person } from '../../support/people.ts'
import { shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'

/** The till without script: its forms, its states, and who may use it. */

const MINUTE_MS = 60_000
const TILL = '/dashboard/till'

/** The clock of the service; the chain keeps its own. */
let shift = 0
let app: TestApp
let operator: Awaited<ReturnType<typeof openOperator>>
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
  operator = await openOperator(app)
})
test.after.always(async () => {
  await operator?.stop()
  await app?.stop()
})

/** A seller who takes Ether, before the till. */
const atTill = async () => {
  const s = await shop(app)
  const who = person(app)
  await memberSignIn(who, { email: s.email })
  return { ...s, who }
}

/** Asks for an amount at the keypad. @returns the path of the sale */
const charge = async (who: Person, amount: string, note = ''): Promise<string> => {
  const { status, location, text } = await who.send(TILL, { act: 'charge', amount, note })
  if (status !== 303) throw new Error(`the keypad answered ${status}: ${text}`)
  return location
}

const hiddenIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? ''

/** The page on which the buyer pays a sale. */
const buyersPage = (sale: string): string => sale.replace(`${TILL}/sales/`, '/id/')

/** Cancels a sale, also where its page does not offer that any more. */
const cancel = async (who: Person, sale: string) =>
  who.post(sale, { csrf: hiddenIn((await who.open(TILL)).text, 'csrf'), act: 'cancel' })

const stateOf = async (who: Person, sale: string): Promise<string | undefined> =>
  /data-state="(\w+)"/.exec((await who.open(sale)).text)?.[1]

const becomes = (who: Person, sale: string, state: string) =>
  eventually(`a sale that is ${state}`, async () => (await stateOf(who, sale)) === state)

test.serial(
  'N-107 a sale at the keypad is a payment request, which is part paid, paid whole, and leads to its receipt',
  async (t) => {
    const { who, key } = await atTill()
    // A part is taken for the one open sale once its address was shown for two blocks.
    shift = -2 * MINUTE_MS
    const sale = await charge(who, '1250,50', 'Two bicycles')
    const page = await who.open(sale)
    t.regex(page.text, /<p class="sum">.*\$1,250\.50/)
    t.regex(page.text, /Two bicycles.*Waiting for the payment/s)
    t.regex(page.text, /<noscript><meta http-equiv="refresh" content="5"/)
    const { payment_requests: asked } = (await ok(app.call('GET', '/v1/payment-requests', { key }))).json
    t.like(asked[0], {
      amount: 1250.5,
      currency: 'USD',
      note: 'Two bicycles',
      expiry: '15m',
      status: 'open',
      till: true,
    })
    const buyer = await choose(app, buyersPage(sale), 'eth')
    shift = 0
    await payPage(app, buyer, { by: 1n, of: 2n })
    await app.anvil.mine(6)
    await becomes(who, sale, 'underpaid')
    t.regex((await who.open(sale, { 'accept-language': 'de-DE' })).text, /class="qr".*Es fehlen noch.*ETH/s)
    await payPage(app, buyer)
    await becomes(who, sale, 'seen')
    t.is((await cancel(who, sale)).status, 422)
    await app.anvil.mine(6)
    await becomes(who, sale, 'paid')
    const paid = await who.open(sale)
    t.notRegex(paid.text, /http-equiv="refresh"/)
    const receipt = /<figcaption>[^<]*<a href="([^"]+)"/.exec(paid.text)?.[1] ?? ''
    t.regex(saidIn(await look(app, new URL(receipt).pathname + new URL(receipt).search)), /^Paid/)
    t.is((await cancel(who, sale)).status, 422)
  },
)

deepTest.serial(
  'N-107 what is no price is said beside the amount, with all that was typed, and asks for nothing',
  async (t) => {
    const { who, key } = await atTill()
    for (const amount of ['', '0', '0.00', '-1', '1e-19', '1.005', '1,2,3', '9999999999', 'five', '0x10', '1e3']) {
      const { status, text } = await who.send(TILL, { act: 'charge', amount, note: 'kept' })
      t.is(status, 422, amount)
      t.regex(text, /id="amount-error"/, amount)
      t.true(text.includes('value="kept"'), amount)
    }
    t.is((await who.send(TILL, { act: 'charge', amount: '1', store: '7' })).status, 404)
    t.deepEqual((await ok(app.call('GET', '/v1/payment-requests', { key }))).json.payment_requests, [])
  },
)

test.serial('N-107 a form that is sent twice asks once, and one with another amount is refused', async (t) => {
  const { who, key } = await atTill()
  const { text } = await who.open(TILL)
  const form = { csrf: hiddenIn(text, 'csrf'), form: hiddenIn(text, 'form'), act: 'charge', store: '1', note: '' }
  const twice = await Promise.all([1, 2].map(() => who.post(TILL, { ...form, amount: '5' })))
  t.is(twice[0]?.status, 303)
  t.is(twice[0]?.location, twice[1]?.location)
  const other = await who.post(TILL, { ...form, amount: '6' })
  t.is(other.status, 422)
  t.regex(other.text, /asked for already/)
  t.is((await ok(app.call('GET', '/v1/payment-requests', { key }))).json.payment_requests.length, 1)
})

deepTest.serial(
  'N-107 a sale is canceled, and its page takes no payment; one whose time is up is asked for again',
  async (t) => {
    const { who, key } = await atTill()
    const canceled = await charge(who, '3')
    t.is((await who.send(canceled, { act: 'cancel' })).location, canceled)
    t.is(await stateOf(who, canceled), 'canceled')
    t.regex(saidIn(await look(app, buyersPage(canceled))), /expired|time/i)
    const late = await charge(who, '4', 'Tea')
    shift = 16 * MINUTE_MS
    t.is(await stateOf(who, late), 'expired')
    const { location: again } = await who.send(late, { act: 'again' })
    t.not(again, late)
    t.regex((await who.open(again)).text, /\$4\.00.*Tea.*Waiting for the payment/s)
    shift = 0
    const id = again.split('/').at(-1)
    t.is(
      (await ok(app.call('DELETE', `/v1/payment-requests?id=${id}`, { key }))).json.payment_request.status,
      'expired',
    )
    t.is(await stateOf(who, again), 'canceled')
  },
)

test.serial('N-107 X-TEN-01 a sale of another account, or one that no till has made, is not there', async (t) => {
  const { who, key } = await atTill()
  const sale = await charge(who, '3')
  const { who: stranger, key: other } = await signedInMember(app)
  t.is((await stranger.open(sale)).status, 404)
  const { text } = await stranger.open(TILL)
  const [csrf = '', form = ''] = ['csrf', 'form'].map((name) => hiddenIn(text, name))
  for (const fields of [{ act: 'cancel' }, { act: 'again', form }])
    t.is((await stranger.post(sale, { csrf, ...fields })).status, 404, fields.act)
  const id = sale.split('/').at(-1)
  t.is((await app.call('DELETE', `/v1/payment-requests?id=${id}`, { key: other })).status, 404)
  t.is(await stateOf(who, sale), 'waiting')
  const { encrypted_id } = (await ok(app.call('POST', '/v1/payment-requests', { key, body: { amount: 1 } }))).json
  t.is((await who.open(`${TILL}/sales/${encrypted_id}`)).status, 404)
})

test.serial('N-107 N-95 a clerk may use the till of their store alone, and an auditor none', async (t) => {
  const clerk = await teamMember({ app, flow: operator.flow }, { role: 'clerk', storeScope: [1] })
  t.is((await clerk.who.open(TILL)).status, 200)
  t.regex((await clerk.who.open('/dashboard')).text, /href="\/dashboard\/till"/)
  t.is((await clerk.who.open(`${TILL}?store=2`)).status, 403)
  const auditor = await teamMember({ app, flow: operator.flow }, { role: 'auditor' })
  t.is((await auditor.who.open(TILL)).status, 403)
  t.notRegex((await auditor.who.open('/dashboard')).text, /href="\/dashboard\/till"/)
})

deepTest.serial(
  'N-107 N-98 products are sold by the piece and lent to the sale, and the till says which one is sold out',
  async (t) => {
    const { who, key } = await atTill()
    const saved = async (title: string, price: number, stock: number) =>
      (await ok(app.call('POST', '/v1/checkouts', { key, body: { title, price, currency: 'USD', stock } }))).json
        .checkout
    const [tea, cup] = [await saved('Green tea', 4, 3), await saved('Cup', 9.5, 1)]
    const page = await who.open(`${TILL}/products`)
    t.regex(page.text, /Cup.*\$9\.50.*1 left.*Green tea.*\$4\.00.*3 left/s)
    const [pieces, cups] = [`piece-${tea.id}`, `piece-${cup.id}`]
    const { location: sale } = await who.send(`${TILL}/products`, { act: 'charge', [pieces]: '2', [cups]: '1' })
    t.regex((await who.open(sale)).text, /\$17\.50.*2 × Green tea.*1 × Cup.*Waiting/s)
    const gone = await who.send(`${TILL}/products`, { act: 'charge', [cups]: '1' })
    t.is(gone.status, 422)
    t.regex(gone.text, /no piece left of &quot;Cup&quot;.*sold out/s)
    for (const wrong of ['-1', '1.5', '100', 'x', ''])
      t.is((await who.send(`${TILL}/products`, { act: 'charge', [pieces]: wrong })).status, 422, wrong)
    await cancel(who, sale)
    await eventually('the piece to be back', async () => !/sold out/.test((await who.open(`${TILL}/products`)).text))
    const { location: again } = await who.send(sale, { act: 'again' })
    await payPage(app, await choose(app, buyersPage(again), 'eth'))
    await app.anvil.mine(6)
    await becomes(who, again, 'paid')
    const today = await who.open(`${TILL}/sales`)
    t.regex(today.text, /1 sale paid.*\$17\.50.*Of it in ETH.*0\.007\d* ETH/s)
    t.deepEqual(
      [...today.text.matchAll(/sales\/(pr_\w+)"/g)].map(([, id]) => id),
      [again, sale].map((each) => each.split('/').at(-1)),
    )
    t.regex((await who.open(`${TILL}/products?search=cup`)).text, /sold out/)
    const body = { items: [{ id: tea.slug, quantity: 1 }], expiry: '1h' }
    const asked = (await ok(app.call('POST', '/v1/payment-requests', { key, body }))).json
    t.like(asked, { amount: 4, currency: 'USD', expiry: '1h' })
    const both = await app.call('POST', '/v1/payment-requests', { key, body: { ...body, amount: 1 } })
    t.is(both.status, 400)
    t.regex(both.text, /amount: the items say it/)
    const none = await app.call('POST', '/v1/payment-requests', {
      key,
      body: { items: [{ id: cup.slug, quantity: 1 }] },
    })
    t.is(none.status, 409)
  },
)
