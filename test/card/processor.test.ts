import test from 'ava'
import Stripe from 'stripe'
import { createCardProcessor, signedNotice } from '../../adapters/card/stripe.ts'
import type { CheckoutWish } from '../../domain/card/ports.ts'
import { type CardProcessor, startCardProcessor } from '../support/card/processor.ts'

/** The processor that other tests stand up, driven by its maker's own SDK; and our adapter on it. */

let processor: CardProcessor
test.before(async () => {
  processor = await startCardProcessor()
})
test.after.always(() => processor?.stop())

const clientOf = (key: string) => {
  const { hostname: host, port } = new URL(processor.url)
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}
const HOUR_S = 3_600
const params = (product: string) => ({
  mode: 'payment' as const,
  line_items: [{ quantity: 1, price_data: { currency: 'usd', product, unit_amount: 4_800 } }],
  metadata: { tx: 'cp_1' },
  payment_intent_data: { metadata: { tx: 'cp_1' } },
  client_reference_id: 'cp_1',
  expires_at: Math.floor(Date.now() / 1_000) + HOUR_S,
  success_url: 'https://shop.example/paid',
})

test('the SDK takes it for the real one: account, product, sessions, refunds, and what it refuses', async (t) => {
  const { keys } = processor.account()
  const stripe = clientOf(keys.secret_key)
  t.is((await stripe.accounts.retrieveCurrent()).object, 'account')
  const product = await stripe.products.retrieve(keys.product_id, { expand: ['default_price'] })
  t.is((product.default_price as Stripe.Price).type, 'one_time')
  await t.throwsAsync(clientOf('sk_test_x').accounts.retrieveCurrent(), {
    instanceOf: Stripe.errors.StripeAuthenticationError,
  })
  const narrow = clientOf(processor.account({ restricted: true }).keys.secret_key)
  await t.throwsAsync(narrow.accounts.retrieveCurrent(), { instanceOf: Stripe.errors.StripePermissionError })
  await t.throwsAsync(stripe.products.retrieve('prod_0'), { code: 'resource_missing' })

  const idempotencyKey = 'once'
  const wish = params(keys.product_id)
  const session = await stripe.checkout.sessions.create(wish, { idempotencyKey })
  t.is((await stripe.checkout.sessions.create(wish, { idempotencyKey })).id, session.id)
  const other = { ...wish, success_url: 'https://other.example' }
  await t.throwsAsync(stripe.checkout.sessions.create(other, { idempotencyKey }), {
    instanceOf: Stripe.errors.StripeIdempotencyError,
  })
  t.is(session.status, 'open')
  processor.pay(session.id)
  const paid = await stripe.checkout.sessions.retrieve(session.id)
  t.like(paid, { status: 'complete', payment_status: 'paid', amount_total: 4_800 })
  const payment_intent = paid.payment_intent as string
  t.is((await stripe.refunds.create({ payment_intent, amount: 800 })).status, 'succeeded')
  await t.throwsAsync(stripe.refunds.create({ payment_intent, amount: 4_800 }), { code: 'amount_too_large' })
  t.is((await stripe.refunds.create({ payment_intent })).amount, 4_000)
  await t.throwsAsync(stripe.refunds.create({ payment_intent, amount: 4_800 }), { code: 'charge_already_refunded' })
  t.is((await stripe.refunds.list({ payment_intent })).data.length, 2)
  t.is((await stripe.checkout.sessions.list({ payment_intent })).data[0]?.id, session.id)
})

const wishFor = (productId: string, minutes = 60): CheckoutWish => ({
  reference: `cp_${'a'.repeat(26)}`,
  productId,
  currency: 'JPY',
  charged: '4800',
  idempotencyKey: `k-${productId}-${minutes}`,
  expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
  successUrl: 'https://shop.example/paid',
  cancelUrl: 'https://shop.example/',
})

test('J-CARD-01 a call is repeated under its key, and what the processor refuses is told from one that is not there', async (t) => {
  const { keys } = processor.account()
  const cards = createCardProcessor({ url: processor.url, alarm: () => {} })
  const wish = wishFor(keys.product_id)
  processor.losesNext((call) => call === 'POST /v1/checkout/sessions')
  const session = await cards.openCheckout(keys.secret_key, wish)
  t.like(session, { reference: wish.reference, charged: '4800', currency: 'JPY', live: false, isPaid: false })
  t.is([...processor.state.sessions.values()].filter((each) => each.client_reference_id === wish.reference).length, 1)
  const sent = processor.state.sessions.get(session.sessionId)
  t.like(sent, { allowed_payment_method_types: ['card'], adaptive_pricing: { enabled: false } })
  t.is(await cards.readCheckout(keys.secret_key, 'cs_test_unknown'), undefined)
  t.is((await cards.readCheckout(keys.secret_key, session.sessionId))?.sessionId, session.sessionId)
  await t.throwsAsync(cards.openCheckout(keys.secret_key, wishFor(keys.product_id, 5)), { code: 'state-forbids' })
  await t.throwsAsync(cards.openCheckout('sk_test_gone', wish), { code: 'unavailable' })
  const nobodys = { reference: 'cp_1', paymentId: 'pi_0', charged: '1', idempotencyKey: 'r' }
  await t.throwsAsync(cards.refund(keys.secret_key, nobodys), { code: 'state-forbids' })
})

test('N-68 what was given back is told by the processor, and giving it back once more is done', async (t) => {
  const { keys } = processor.account()
  const cards = createCardProcessor({ url: processor.url, alarm: () => {} })
  const { sessionId } = await cards.openCheckout(keys.secret_key, { ...wishFor(keys.product_id), reference: 'cp_1' })
  const paymentId = processor.pay(sessionId).payment_intent as string
  t.is((await cards.checkoutOfCharge(keys.secret_key, paymentId))?.sessionId, sessionId)
  t.is(await cards.checkoutOfCharge(keys.secret_key, 'pi_of_another_shop'), undefined)
  const wish = (charged: string) => ({
    reference: 'cp_1',
    paymentId,
    charged,
    idempotencyKey: `${paymentId} ${charged}`,
  })
  await cards.refund(keys.secret_key, wish('800'))
  t.is(await cards.refundedOf(keys.secret_key, paymentId), '800')
  await t.throwsAsync(cards.refund(keys.secret_key, wish('4800')), { code: 'state-forbids' })
  await cards.refund(keys.secret_key, wish('4000'))
  await t.notThrowsAsync(cards.refund(keys.secret_key, wish('1')), 'all of it was given back before')
  processor.failRefund(paymentId)
  t.is(await cards.refundedOf(keys.secret_key, paymentId), '800')
})

test('J-CARD-04 product and webhook are asked for at once, so that who connects is answered in time', async (t) => {
  const { keys } = processor.account()
  const cards = createCardProcessor({ url: processor.url, alarm: () => {} })
  processor.waits(`GET /v1/products/${keys.product_id}`, 'GET /v1/webhook_endpoints')
  const { secret_key: secretKey, product_id: productId, webhook_secret: webhookSecret } = keys
  const checked = await cards.verify(
    { secretKey, productId, webhookSecret, publishableKey: null },
    'https://hook.example',
  )
  t.is(checked.mode, 'test')
})

test('N-31 a page that is closed takes no payment, and one that was paid before is told as such', async (t) => {
  const { keys } = processor.account()
  const cards = createCardProcessor({ url: processor.url, alarm: () => {} })
  const [unpaid, paid] = [
    await cards.openCheckout(keys.secret_key, { ...wishFor(keys.product_id, 61), reference: 'cp_61' }),
    await cards.openCheckout(keys.secret_key, { ...wishFor(keys.product_id, 62), reference: 'cp_62' }),
  ]
  processor.pay(paid.sessionId)
  const close = (id: string) => cards.closeCheckout(keys.secret_key, id)
  for (const _ of ['first', 'again'])
    t.like(await close(unpaid.sessionId), { status: 'expired', isPaid: false, url: null })
  t.like(await close(paid.sessionId), { status: 'complete', isPaid: true })
  t.is(await close('cs_test_unknown'), undefined)
  await t.throwsAsync(cards.closeCheckout('sk_test_gone', paid.sessionId), { code: 'unavailable' })
})

test('J-CARD-01 a notice counts when any of its signatures is good and its time is near, before and after', (t) => {
  const secret = 'whsec_1'
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'payout.paid', data: { object: {} } })
  const now = new Date('2026-03-02T10:00:00.000Z')
  const signed = (seconds: number, own = secret) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret: own, timestamp: now.getTime() / 1_000 + seconds })
  const taken = (header: string, body = payload) => signedNotice(secret, body, header, now)?.eventId
  for (const near of [-300, -1, 0, 1, 300]) t.is(taken(signed(near)), 'evt_1', `${near} s`)
  for (const far of [-301, 301, 86_400]) t.is(taken(signed(far)), undefined, `${far} s`)
  t.is(taken(signed(0, 'whsec_2')), undefined)
  t.is(taken(signed(0), `${payload} `), undefined)
  t.is(taken(`${signed(0, 'whsec_2')},${signed(0).split(',')[1]}`), 'evt_1', 'while a secret is exchanged')
  // Of several times the SDK takes the last, and whoever replays a notice writes its header.
  const [late = '', itsMark = ''] = signed(86_400).split(',')
  t.is(taken(`${signed(0).split(',')[0]},${late},${itsMark}`), undefined, 'two times')
  for (const odd of ['', 't=', 'v1=x', 't=abc,v1=00', `t=${now.getTime() / 1_000}`]) t.is(taken(odd), undefined, odd)
})
