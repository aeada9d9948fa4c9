import test from 'ava'
import { eventually } from '../../../src/demo/eventually.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { buyerOf, type CommerceShop, cart, commerceShop } from '../../support/commerce.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../support/gasless.ts'
import { assertReplayEqual, saidOf, send, transactionsOf } from '../../support/sale.ts'
import { v2Payload } from '../../support/signed-sale.ts'

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
