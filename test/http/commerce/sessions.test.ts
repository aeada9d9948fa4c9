import test from 'ava'
import canonicalize from 'canonicalize'
import { compactVerify } from 'jose'
import { eventually } from '../../../src/demo/eventually.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { buyerOf, type CommerceShop, cart, commerceShop } from '../../support/commerce.ts'
import { consoleOk } from '../../support/console.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../support/gasless.ts'
import { assertReplayEqual, send, transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { v2Payload } from '../../support/signed-sale.ts'
import { checkUcp } from '../../support/ucp-schemas.ts'

/** A cart that a program fills and pays, over real HTTP and on real chains. */

let app: TestApp
let chain: GaslessChain
let shop: CommerceShop
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
  shop = await commerceShop(app)
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

test('C-SES-01 T-SES-01 a session of one product is incomplete, has its sums in cents, and its merchant’s signature', async (t) => {
  const buyer = buyerOf(app, shop)
  const { status, json } = await buyer.create(cart([shop.widget]))
  t.is(status, 200)
  t.like(json, { status: 'incomplete', currency: 'USD' })
  const [line] = json.line_items
  t.like(line, { id: 'li_1', item: { id: shop.widget, title: 'Widget', price: 2500 }, quantity: 1 })
  t.deepEqual(
    json.totals.map(({ type, amount }: { type: string; amount: number }) => [type, amount]),
    [
      ['subtotal', 2500],
      ['total', 2500],
    ],
  )
  t.regex(json.ap2.nonce, /^[0-9a-f]{48}$/)
  t.deepEqual((await buyer.read(json.id)).json, json)
})

test('C-SES-06 C-SES-13 T-SES-02 T-SES-03 C-ORD-01 a session is completed, paid on its chain, and is an order that its seller is told of', async (t) => {
  const buyer = buyerOf(app, shop)
  const { id } = await buyer.create(cart([shop.widget, 2], [shop.resId]))
  const { json } = await buyer.complete(id)
  t.is(json.status, 'ready_for_complete')
  const onchain = json.payment_handlers.find((each: { id: string }) => each.id === 'onchain')
  const offer = onchain.accepts.find((each: { asset: string }) => each.asset === 'eth')
  t.is(offer.fiatAmount, '60')
  await send(app, offer)
  await app.anvil.mine(offer.requiredConfirmations)
  const paid = await eventually('the order', async () => {
    const now = await buyer.read(id)
    return now.json.status === 'completed' && now.json
  })
  t.is(paid.order.id, `ord_${id.slice(3)}`)
  const order = (await buyer.order(paid.order.id)).json
  t.like(order, { checkout_id: id, currency: 'USD' })
  t.deepEqual(
    order.line_items.map((line: { status: string }) => line.status),
    ['processing', 'fulfilled'],
  )
  const own = (await transactionsOf(app, shop.key)).find((each) => each.external_reference === paid.order.id)
  t.like(own, { status: 'C', amount_fiat: '60', title: 'Widget and 1 more' })
  const post = await eventually('the webhook', () =>
    app.receiver.posts.find(({ body }) => body.includes(paid.order.id)),
  )
  t.truthy(post)
  t.is((await buyer.complete(id)).status, 409)
  t.is((await buyer.cancel(id)).status, 409)
})

test('C-SES-06 J-DOOR-05 a signed payment in the completion pays the session at once', async (t) => {
  const buyer = buyerOf(app, shop)
  const { id } = await buyer.create(cart([shop.resId]))
  const { json } = await buyer.complete(id)
  const [accepted] = json.ucp.payment_handlers['io.daybook.x402_exact'][0].config.accepts
  const payer = await chain.payer(100_000_000n)
  const signed = await authorize(payer, { to: accepted.payTo, value: BigInt(accepted.amount) })
  const instrument = (payload: object) => ({
    payment: { instruments: [{ id: 'i1', handler_id: 'x402', type: 'x402', credential: { type: 'x402', payload } }] },
  })
  const body = instrument(v2Payload(signed, accepted))
  const done = await buyer.complete(id, body)
  t.is(done.json.status, 'completed', done.text)
  t.is((await buyer.order(done.json.order.id)).json.line_items[0].status, 'fulfilled')
})

test('C-SES-02 the token in the query names the merchant, and a key names nobody', async (t) => {
  const other = await commerceShop(app, { webhook: false })
  const body = cart([shop.widget])
  const mine = await app.call('POST', `/checkout-sessions?cloud=${shop.cloud}`, { key: other.key, body })
  t.is(mine.status, 200)
  t.is((await app.call('POST', '/checkout-sessions', { key: shop.key, body })).status, 404)
  t.is((await buyerOf(app, other).create(body)).status, 404)
  t.is((await buyerOf(app, { cloud: 'ct_nobody' }).create(body)).status, 404)
  const there = await buyerOf(app, other).read(mine.json.id)
  t.deepEqual([there.status, there.json.error], [404, 'svc_not_found'])
  t.is((await buyerOf(app, other).cancel(mine.json.id)).status, 404)
})

test('C-SES-03 C-SES-09 I-CUR-01 a cart of several currencies has its sums in one, at rates that stay', async (t) => {
  const buyer = buyerOf(app, shop)
  const euros = (await shop.product({ title: 'Livre', price: 19.99, currency: 'EUR' })).slug
  const yen = (await shop.product({ title: 'Hon', price: 1500, currency: 'JPY' })).slug
  const { json } = await buyer.create(cart([euros, 3], [shop.widget], [yen, 2]))
  t.is(json.currency, 'USD')
  const [book, , hon] = json.line_items
  t.is(book.item.price, Math.round(19.99 * Number(book.exchange_rate) * 100))
  t.is(hon.item.price, Math.round(1500 * Number(hon.exchange_rate) * 100))
  t.is(json.totals.at(-1).amount, 3 * book.item.price + 2500 + 2 * hon.item.price)
  t.deepEqual(
    json.messages.map(({ code, path }: { code: string; path: string }) => [code, path]),
    [
      ['currency_converted', '$.line_items[0]'],
      ['currency_converted', '$.line_items[2]'],
    ],
  )
  t.is((await buyer.create(cart([euros, 2]))).json.currency, 'EUR')
  const inYen = await buyer.create({ ...cart([shop.widget]), currency: 'JPY' })
  t.is(inYen.json.line_items[0].item.price, inYen.json.totals[0].amount)
})

test('C-SES-01 C-SES-04 L-JSN-06 what is no cart is refused in words of both protocols, and nothing is made', async (t) => {
  const buyer = buyerOf(app, shop)
  const item = { id: shop.widget }
  const bad: unknown[] = [
    {},
    { line_items: [] },
    ...[0, -1, 1.5, '2', 100_001].map((quantity) => ({ line_items: [{ item, quantity }] })),
    { line_items: Array(101).fill({ item }) },
    { ...cart([shop.widget]), currency: 'usd' },
    { ...cart([shop.widget]), currency: 'QQQ' },
    { ...cart([shop.widget]), buyer: 'me' },
    { ...cart([shop.widget]), buyer: { note: 'x'.repeat(9_000) } },
    { ...cart([shop.widget]), discounts: { codes: Array(11).fill('A') } },
    cart([shop.widget, 100_000], [shop.widget, 100_000], [(await shop.product({ price: 999_999_999 })).slug]),
    '[]',
    'nonsense',
  ]
  for (const body of bad) t.is((await buyer.create(body)).status, 400, JSON.stringify(body).slice(0, 80))
  const unknown = await buyer.create(cart([shop.widget], ['res_nothing']))
  t.deepEqual([unknown.status, unknown.json.error, unknown.json.messages[0].code], [404, 'svc_not_found', 'not_found'])
  t.is((await buyer.read('cs_nothing')).status, 404)
})

test('C-SES-05 E-404-05 E-404-06 X-IDEM-01 the same Idempotency-Key makes one session and answers it as it was made', async (t) => {
  const buyer = buyerOf(app, shop)
  const key = { 'idempotency-key': 'cart-1' }
  const body = cart([shop.widget])
  const both = await Promise.all([buyer.create(body, key), buyer.create(body, key)])
  t.is(both[0].text, both[1].text)
  const { id } = both[0]
  const twice = cart([shop.widget, 2])
  const changed = await buyer.update(id, twice, { 'idempotency-key': 'change-1' })
  t.is(changed.json.totals.at(-1).amount, 5000)
  t.is(changed.json.ap2.nonce, both[0].json.ap2.nonce)
  await buyer.update(id, cart([shop.widget, 3]))
  const again = await buyer.update(id, twice, { 'idempotency-key': 'change-1' })
  t.deepEqual([again.text, again.headers.get('idempotency-replayed')], [changed.text, 'true'])
  t.is((await buyer.update(id, body, { 'idempotency-key': 'change-1' })).status, 409)
  t.is((await buyer.create(body, key)).text, both[0].text)
  t.is((await buyer.create(twice, key)).status, 409)
  t.is((await buyer.read(id)).json.totals.at(-1).amount, 7500)
  const done = await buyer.complete(id, {}, key)
  const redone = await buyer.complete(id, {}, key)
  t.deepEqual(redone.json.payment_handlers, done.json.payment_handlers)
  t.is(redone.headers.get('idempotency-replayed'), 'true')
  t.is((await buyer.update(id, body)).status, 409)
  const over = await buyer.cancel(id, { 'idempotency-key': 'stop' })
  t.is((await buyer.cancel(id, { 'idempotency-key': 'stop' })).text, over.text)
  t.is((await buyer.cancel(id)).status, 409)
  t.is((await buyer.order(`ord_${id.slice(3)}`)).status, 404)
})

test('C-SES-08 the merchant signs the session’s content with a key that its profile publishes', async (t) => {
  const buyer = buyerOf(app, shop)
  const { json } = await buyer.create(cart([shop.widget]))
  const { ap2, ...content } = json
  const [header, , signature] = ap2.merchant_authorization.split('.')
  const { signing_keys } = (await buyer.call('GET', '/.well-known/ucp')).json
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = signing_keys.find((each: { kid: string }) => each.kid === kid)
  const payload = Buffer.from(canonicalize(content) as string).toString('base64url')
  const verified = (text: string) => compactVerify(`${header}.${text}.${signature}`, jwk)
  t.like((await verified(payload)).protectedHeader, { alg: 'ES256' })
  const other = Buffer.from(canonicalize({ ...content, currency: 'EUR' }) as string).toString('base64url')
  await t.throwsAsync(verified(other))
})

test('C-SES-14 T-SES-04 a canceled session has nothing left to pay, and is not completed', async (t) => {
  const buyer = buyerOf(app, shop)
  const { id } = await buyer.create(cart([shop.widget]))
  const ready = await buyer.complete(id)
  const { pathname } = new URL(ready.json.continue_url)
  t.is((await app.call('GET', pathname)).status, 402)
  const { json } = await buyer.cancel(id)
  t.deepEqual([json.status, json.payment_handlers], ['canceled', undefined])
  t.is((await app.call('GET', pathname)).status, 410)
  for (const answer of [await buyer.complete(id), await buyer.update(id, cart([shop.widget]))]) t.is(answer.status, 409)
})

test('A platform that speaks UCP is told 201, that nothing is missing, and of what is not there with a 200', async (t) => {
  const buyer = buyerOf(app, shop, true)
  const { status, id, json } = await buyer.create(cart([shop.resId]))
  t.deepEqual([status, json.status], [201, 'ready_for_complete'])
  const ready = await buyer.complete(id)
  t.is(ready.json.status, 'ready_for_complete')
  const gone = await buyer.call('GET', `/checkout-sessions/cs_${'a'.repeat(26)}`)
  t.is(gone.status, 200)
  checkUcp('envelope', gone.json)
  const [offer] = ready.json.payment_handlers[0].accepts
  await send(app, offer)
  await eventually('the payment to be seen', async () => (await buyer.read(id)).json.status === 'complete_in_progress')
  t.is((await buyer.cancel(id)).status, 409)
  await app.anvil.mine(offer.requiredConfirmations)
  await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
})

test('S-DSC-02 M-VAT-01 codes and VAT are in the sums, and on the seller’s record of the payment', async (t) => {
  const taxed = await commerceShop(app, { webhook: false })
  const vat = { enabled: true, country: 'DE', inclusive: false }
  await consoleOk(app, taxed.key, 'save-settings', { settings: JSON.stringify({ vat }) })
  await ok(app.call('POST', '/v1/discount-codes', { key: taxed.key, body: { code: 'Summer', multiplier: 0.8 } }))
  const buyer = buyerOf(app, taxed)
  const { id, json } = await buyer.create({
    ...cart([taxed.widget, 2]),
    ...{ discounts: { codes: ['SUMMER', 'winter'] }, context: { address_country: 'FR' } },
  })
  const amounts = Object.fromEntries(
    json.totals.map((each: { type: string; amount: number }) => [each.type, each.amount]),
  )
  t.deepEqual(amounts, { subtotal: 5000, items_discount: -1000, tax: 800, total: 4800 })
  t.is(json.discounts.applied[0].code, 'Summer')
  t.is(json.messages[0].code, 'discount_code_invalid')
  await buyer.complete(id)
  const [record] = await transactionsOf(app, taxed.key)
  t.like(record, { amount_fiat: '48', vat: '8', currency: 'USD' })
  t.like(JSON.parse(record?.vat_details ?? ''), { country: 'FR', rate: '20', base: '40', amount: '8' })
})

test('T-CHL-05 C-SES-13 a session of test items is played to its end', async (t) => {
  const { api_key } = (await ok(app.call('POST', '/v1/sandbox-keys', { key: shop.key, body: { kind: 'secret' } }))).json
  const { json } = await ok(app.call('POST', '/v1/resources', { key: api_key, body: { amount: 5, currency: 'USD' } }))
  const buyer = buyerOf(app, shop)
  t.is((await buyer.create(cart([json.res_id], [shop.resId]))).status, 400)
  const { id } = await buyer.create(cart([json.res_id]))
  const { payment_handlers } = (await buyer.complete(id)).json
  const [{ challengeId }] = payment_handlers[0].accepts
  await ok(app.call('POST', '/v1/simulate-payment', { body: { challengeId } }))
  await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
})

test('C-ORD-01 X-TEN-01 its seller says what was delivered and given back, and sees who bought; nobody else does', async (t) => {
  const buyer = buyerOf(app, shop)
  const { id } = await buyer.create({ ...cart([shop.widget, 2]), buyer: { email: 'ada@example.test' } })
  const [offer] = (await buyer.complete(id)).json.payment_handlers[0].accepts
  await send(app, offer)
  await app.anvil.mine(offer.requiredConfirmations)
  const { order } = await eventually('the order', async () => {
    const { json } = await buyer.read(id)
    return json.status === 'completed' && json
  })
  const path = `/v1/orders?order_id=${order.id}`
  const deliver = (quantity: number, key = shop.key) =>
    app.call('POST', path, { key, body: { type: 'delivered', line_items: [{ id: 'li_1', quantity }] } })
  t.is((await ok(deliver(1))).json.line_items[0].status, 'partial')
  t.is((await deliver(2)).status, 400)
  t.is((await ok(deliver(1))).json.line_items[0].status, 'fulfilled')
  const own = (await ok(app.call('GET', path, { key: shop.key }))).json
  t.like(own, { buyer: { email: 'ada@example.test' }, mandate: null })
  await ok(app.call('PUT', '/v1/settings', { key: shop.key, body: { payment: { refunds: true } } }))
  const refund = `/v1/transactions?transaction_id=${own.transaction_id}&action=refund`
  await ok(app.call('POST', refund, { key: shop.key }))
  const shown = await eventually('the refund', async () => {
    const { json, text } = await buyer.order(order.id)
    t.false(text.includes('ada@'))
    return json.adjustments.length > 0 && json
  })
  t.is(shown.adjustments[0].totals[0].amount, -5000)
  t.is(shown.fulfillment.events.length, 2)
  const { orders } = (await ok(app.call('GET', '/v1/orders', { key: shop.key }))).json
  t.true(orders.some((each: { id: string }) => each.id === order.id))
  const other = await commerceShop(app, { webhook: false })
  t.is((await app.call('GET', path, { key: other.key })).status, 404)
  t.is((await deliver(1, other.key)).status, 404)
})

test('of fifty completions and cancellations at once one wins, and there is one set of challenges', async (t) => {
  const buyer = buyerOf(app, shop)
  for (let round = 0; round < 3; round++) {
    const { id } = await buyer.create(cart([shop.widget]))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 5 === 4 && round > 0 ? buyer.cancel(id) : buyer.complete(id))),
    )
    const { json } = await buyer.read(id)
    const isCanceled = json.status === 'canceled'
    t.is(isCanceled, round > 0)
    t.is(answers.filter(({ json: said }) => said.status === 'canceled').length, isCanceled ? 1 : 0)
    for (const { status } of answers) t.true(status === 200 || status === 409)
    const handed = answers.flatMap(({ json: said }) => said.payment_handlers?.[0].accepts ?? [])
    t.is(new Set(handed.map(({ challengeId }: { challengeId: string }) => challengeId.split('.')[0])).size <= 1, true)
    t.is(
      new Set(handed.map(({ amount, code }: { amount: string; code: string }) => `${code} ${amount}`)).size <= 2,
      true,
    )
    if (json.continue_url.includes('/id/'))
      t.is((await app.call('GET', new URL(json.continue_url).pathname)).status, isCanceled ? 410 : 402)
  }
})

test.after('the rows of all this are what a replay makes of the log', async (t) => {
  await assertReplayEqual(t as never, app)
})
