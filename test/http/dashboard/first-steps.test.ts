import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import { person } from '../../support/people.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { freshAddress, ok } from '../../support/seller.ts'

/** The first steps of a seller and the test sale, over real HTTP. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const STEPS = '/dashboard/first-steps'
const SALE = '/dashboard/test-sale'
/** The steps of a page that are done. */
const doneIn = (text: string) =>
  text
    .split('<li class="card" id="step-')
    .slice(1)
    .filter((step) => step.includes('class="chip good"'))
    .map((step) => /^\w+/.exec(step)?.[0])

test('N-82 the list of first steps ticks itself', async (t) => {
  const { who, key } = await signedInMember(app)
  t.deepEqual(doneIn((await who.open(STEPS)).text), ['email'])
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  t.deepEqual(doneIn((await who.open(STEPS)).text), ['email', 'wallet'])
  t.is((await who.send(STEPS, { act: 'price', title: 'Tea', amount: '12.50', currency: 'usd' })).location, STEPS)
  const { json } = await ok(app.call('GET', '/v1/resources', { key }))
  t.like(json.resources[0], { title: 'Tea', amount: 12.5, currency: 'USD' })
  const saved = await who.send(STEPS, { act: 'webhook', url: app.receiver.url })
  t.regex(saved.text, /whsec_\w+/)
  const page = (await who.open(STEPS)).text
  t.deepEqual(doneIn(page), ['email', 'wallet', 'price', 'webhook'])
  t.true(page.includes(`/r/${json.resources[0].res_id}`))
  t.notRegex(page, /whsec_\w+/)
})

deepTest(
  'N-82 what is wrong with a first price or a webhook stands beside its field, and what was typed stays',
  async (t) => {
    const { who, key } = await signedInMember(app)
    const unpayable = await who.send(STEPS, { act: 'price', title: 'Tea', amount: '5', currency: 'USD' })
    t.is(unpayable.status, 422)
    t.regex(unpayable.text, /id="row-amount-error"[^>]*>[^<]*no wallet/i)
    const bad = await who.send(STEPS, { act: 'price', title: 'Tea', amount: 'much', currency: 'dollars' })
    t.regex(bad.text, /id="row-amount-error"/)
    t.regex(bad.text, /id="row-currency-error"/)
    t.regex(bad.text, /name="amount"[^>]*value="much"/)
    t.deepEqual((await ok(app.call('GET', '/v1/resources', { key }))).json.resources, [])
    const hook = await who.send(STEPS, { act: 'webhook', url: 'https://127.0.0.1/' })
    t.is(hook.status, 422)
    t.regex(hook.text, /id="row-url-error"/)
    t.is((await ok(app.call('GET', '/v1/webhook', { key }))).json.url, '')
  },
)

test('N-82 J-SIM-01 a test sale is paid by buttons: half of it, the rest of it, or all at once', async (t) => {
  const { who, key } = await signedInMember(app)
  const begin = async () => {
    const { location } = await who.send(STEPS, { act: 'test-sale' })
    return { at: location, challenge: new URLSearchParams(location.split('?')[1]).get('challenge') ?? '' }
  }
  const one = await begin()
  t.regex((await who.open(one.at)).text, /class="chip plain">Open/)
  t.is((await who.send(SALE, { act: 'pay-half', challenge: one.challenge }, one.at)).location, one.at)
  const half = (await who.open(one.at)).text
  t.regex(half, /class="chip warn">Underpaid/)
  t.regex(half, /Still missing/)
  await who.send(SALE, { act: 'pay-exactly', challenge: one.challenge }, one.at)
  const paid = (await who.open(one.at)).text
  t.regex(paid, /class="chip good">Settled/)
  t.notRegex(paid, /value="pay-exactly"/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(paid)?.[1] ?? ''
  t.is((await who.post(SALE, { act: 'pay-exactly', challenge: one.challenge, csrf })).status, 422)
  const two = await begin()
  await who.send(SALE, { act: 'pay-exactly', challenge: two.challenge }, two.at)
  t.regex((await who.open(two.at)).text, /class="chip good">Settled/)
  t.true(doneIn((await who.open(STEPS)).text).includes('test'))
  t.is((await ok(app.call('GET', '/v1/account', { key }))).json.settlements_count, 0)
})

test('N-82 nobody sees or plays the test sale of another account, and nobody plays a live one', async (t) => {
  const [ours, theirs] = [await signedInMember(app), await signedInMember(app)]
  const { location } = await theirs.who.send(STEPS, { act: 'test-sale' })
  const challenge = new URLSearchParams(location.split('?')[1]).get('challenge') ?? ''
  t.is((await ours.who.open(location)).status, 404)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await ours.who.open(STEPS)).text)?.[1] ?? ''
  t.is((await ours.who.post(SALE, { act: 'pay-exactly', challenge, csrf })).status, 404)
  t.regex((await theirs.who.open(location)).text, /class="chip plain">Open/)
  const { key } = ours
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5 } }))
  const offer = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: json.res_id } }))
  const live = offer.json.accepts[0].challengeId
  t.is((await ours.who.post(SALE, { act: 'pay-exactly', challenge: live, csrf })).status, 404)
  t.is((await ours.who.open(`${SALE}?challenge=${live}`)).status, 404)
})

deepTest(
  'N-82 T-CHL-05 a test sale is paid late by a button that its seller alone is shown: it settles nothing',
  async (t) => {
    const { who, key } = await signedInMember(app)
    const { location } = await who.send(STEPS, { act: 'test-sale' })
    const challenge = new URLSearchParams(location.split('?')[1]).get('challenge') ?? ''
    const before = (await who.open(location)).text
    t.regex(before, /value="pay-late"/)
    const buyerAt = /href="(\/r\/[^"]+)"/.exec(before)?.[1] ?? ''
    const buyer = person(app)
    t.notRegex((await buyer.open(buyerAt)).text, /pay-late|Pay late/)
    t.is((await who.send(SALE, { act: 'pay-late', challenge }, location)).location, location)
    const after = (await who.open(location)).text
    t.regex(after, /class="chip bad">Too late/)
    t.notRegex(after, /value="pay-(exactly|half|late)"/)
    t.regex((await buyer.open(buyerAt)).text, /Your payment came too late/)
    const csrf = /name="csrf" value="([^"]+)"/.exec(after)?.[1] ?? ''
    t.is((await who.post(SALE, { act: 'pay-exactly', challenge, csrf })).status, 422)
    const { json } = await ok(app.call('GET', '/v1/settlements?is_test=1', { key }))
    t.like(json.settlements[0], { status: 'late', challenge_id: challenge })
    t.deepEqual((await ok(app.call('GET', '/v1/settlements', { key }))).json.settlements, [])
    t.is((await ok(app.call('GET', '/v1/account', { key }))).json.settlements_count, 0)
    if (DEEP) await assertReplayEqual(t, app)
  },
)
