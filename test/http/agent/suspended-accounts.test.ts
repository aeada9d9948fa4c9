import test from 'ava'
import { reinstate, suspend } from '../../../src/commands/accounts/accounts.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { look, requestOf } from '../../support/buyer.ts'
import { backOf, goToCard, takesCards } from '../../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../../support/card/processor.ts'
import { inProcess } from '../../support/commands.ts'
import { buyerOf, cart, commerceShop } from '../../support/commerce.ts'
import { consoleCall, consoleOk } from '../../support/console.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { assertReplayEqual, payInFull, postFor, saidOf, sell, shop, transactionOf, verify } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'
import { atHost, hostOf, inShop, priceOne, putOnSale } from '../../support/shops.ts'
import { ownerOf } from '../../support/stores.ts'

/** A suspended account is in no list, none of its credentials works, and what buyers have begun is paid and told. */

let app: TestApp
let processor: CardProcessor
test.before(async () => {
  processor = await startCardProcessor()
  app = await startApp({ env: { CARD_PROCESSOR_URL: processor.url, LANDER_FREE_SLOTS: '20' } })
})
test.after.always(async () => {
  await app?.stop()
  await processor?.stop()
})

const REASON = 'Buyers report that nothing is delivered'

test('N-78 every credential of a suspended account is refused, and the reason is for its keys alone', async (t) => {
  const s = await shop(app)
  const store = (await ok(app.call('POST', '/v1/stores', { key: s.key, body: { label: 'North' } }))).json
  const sandbox = (await ok(app.call('POST', '/v1/sandbox-keys', { key: s.key, body: {} }))).json.api_key
  const page = (await ok(app.call('POST', '/v1/sandbox-keys', { key: s.key, body: { kind: 'publishable' } }))).json
  const cloud = (await consoleOk(app, s.key, 'get-cloud-token')).cloud_token as string
  const played = { amount: 5, test: true }
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: played }))).json
  const open = await suspended(s)
  for (const [what, key] of [
    ['the store key', store.api_key],
    ['the secret sandbox key', sandbox],
    ['the publishable sandbox key', page.api_key],
  ] as const) {
    const answer = await app.call('GET', `/v1/resources?res_id=${res_id}`, { key })
    t.deepEqual([answer.status, answer.json.error_code], [403, 'svc_account_suspended'], what)
    t.regex(answer.json.message, new RegExp(REASON), what)
    const minted = await app.call('POST', '/v1/challenge', { key, body: { res_id } })
    t.deepEqual([minted.status, minted.json.error_code], [403, 'svc_account_suspended'], what)
  }
  for (const token of [cloud, store.cloud_token as string]) {
    const fields = { cloud: token, amount: '5', currency_code: 'USD' }
    const answer = await consoleCall(app, undefined, 'create-transaction', fields, '/payment/ajax.php')
    t.is(answer.status, 403, answer.text)
    t.regex(answer.json.message, /account of this store is suspended/)
    t.false(answer.text.includes(REASON), 'the token is in every page')
  }
  await open()
  t.is((await app.call('GET', `/v1/resources?res_id=${res_id}`, { key: sandbox })).status, 200)
})

test('N-78 J-CAT-01 J-CAT-02 a suspended account is in no public list, and in all of them again when it is open', async (t) => {
  const s = await commerceShop(app)
  const shopOf = { key: s.key, storeId: 1, token: s.cloud }
  const slug = await putOnSale(app, shopOf, { title: 'Assam', price: 5 })
  await ok(app.call('POST', '/v1/landers', { key: s.key, body: { checkout_id: slug } }))
  const resId = await priceOne(app, shopOf, { amount: 2 })
  const host = await hostOf(app, resId)
  const handle = host.split('.')[0] as string
  const lists = async () => ({
    market: (await ok(app.call('GET', '/v1/market?limit=100'))).text.includes(slug),
    services: (await ok(app.call('GET', '/v1/services?limit=100'))).text.includes(resId),
    shop: (await app.call('GET', `/shop/${handle}`)).status,
    page: (await look(app, `/shop/${handle}`)).status,
    profile: (await atHost(app, host, '/.well-known/ucp')).status,
    search: (await inShop(app, shopOf, '/catalog/search', {})).status,
    atHost: (await atHost(app, host, '/catalog/search', {})).status,
    lookup: (await inShop(app, shopOf, '/catalog/lookup', { ids: [slug] })).status,
    product: (await inShop(app, shopOf, '/catalog/product', { id: slug })).status,
    sessions: (await inShop(app, shopOf, '/checkout-sessions', cart([slug]))).status,
    buy: (await app.call('POST', `/buy/${slug}`, { body: {} })).status,
  })
  const there = await lists()
  t.deepEqual(there, {
    market: true,
    services: true,
    shop: 200,
    page: 200,
    profile: 200,
    search: 200,
    atHost: 200,
    lookup: 200,
    product: 200,
    sessions: 200,
    buy: 303,
  })
  const open = await suspended({ key: s.key, resId })
  t.deepEqual(await lists(), {
    market: false,
    services: false,
    shop: 404,
    page: 404,
    profile: 404,
    search: 404,
    atHost: 404,
    lookup: 404,
    product: 404,
    sessions: 404,
    buy: 503,
  })
  await open()
  t.deepEqual(await lists(), there)
})

test('N-78 C-SES-13 a checkout session that was begun is read and canceled while its seller is suspended', async (t) => {
  const s = await commerceShop(app)
  const buyer = buyerOf(app, s)
  const { id } = await buyer.create(cart([s.widget]))
  const open = await suspended(s)
  t.is((await buyer.read(id)).status, 200)
  t.is((await buyer.complete(id)).status, 503, 'it mints no challenge')
  t.is((await buyer.cancel(id)).json.status, 'canceled')
  await open()
})

test('N-78 money for an open challenge of a suspended account is settled and told by webhook, and no other is asked for', async (t) => {
  const s = await shop(app, { amount: 40 })
  const offer = await offerOf(app, s.key, s.resId)
  const open = await suspended(s)
  const door = await app.call('GET', `/r/${s.resId}`)
  t.is(door.status, 503)
  const hash = await payInFull(app, offer)
  const { json } = await ok(verify(app, offer.challengeId, hash))
  t.is(json.settled, true)
  const post = await postFor(app, offer.challengeId)
  t.true(post.body.includes(hash), 'the webhook tells of it')
  t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId.split('.')[0] as string)).length, 1)
  await open()
  t.like(await transactionOf(app, s.key, offer.challengeId), { status: 'C', hash })
  await sell(app, s)
})

test('N-78 N-31 no card page is opened for a suspended account, and one that is open is paid', async (t) => {
  const s = await shop(app)
  await takesCards(app, processor, s.key)
  const [begun, later] = [await requestOf(app, s, { amount: 7 }), await requestOf(app, s, { amount: 8 })]
  const session = await goToCard(app, processor, begun)
  const before = processor.state.sessions.size
  const open = await suspended(s)
  const refused = await look(app, `${later}?pay=card`)
  t.is(refused.status, 503, refused.text)
  t.is(processor.state.sessions.size, before)
  processor.pay(session.id)
  t.is((await look(app, backOf(session))).status, 200)
  t.is((await saidOf(app, 'CardPaymentSettled', session.payment_intent as string)).length, 1)
  await open()
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Suspends the account that has a resource, once the service shows it; answers what opens it again. */
const suspended = async (s: { key: string; resId: string }): Promise<() => Promise<void>> => {
  const { accountId: id } = await ownerOf(app, s)
  const decision = { id, by: 'Ada', reason: REASON }
  const status = async () => (await app.call('GET', '/v1/wallets', { key: s.key })).status
  await inProcess(app.env, (books, out) => suspend(books, out, decision))
  await eventually('the keys to be refused', async () => (await status()) === 403)
  return async () => {
    await inProcess(app.env, (books, out) => reinstate(books, out, { ...decision, reason: 'It was explained' }))
    await eventually('the keys to be good', async () => (await status()) === 200)
  }
}
