import test from 'ava'
import type { Answer } from '../../../src/demo/client.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { look, requestOf, saidIn } from '../../support/buyer.ts'
import { backOf, goToCard, PATH, takesCards, told, transactionWith } from '../../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../../support/card/processor.ts'
import { assertReplayEqual, postFor, saidOf, shop } from '../../support/sale.ts'
import { activeSeller, ok, signUp } from '../../support/seller.ts'
import { teamCalls } from '../../support/team.ts'
import { causedBy, refused, strictly } from '../strict.ts'
import { cardPages } from './card-pages.ts'
import { cardPayments } from './card-payments.ts'
import { cardReturns } from './card-returns.ts'

let app: TestApp
let processor: CardProcessor
/** Begun first, because it takes as long as a processor is waited for. */
let slow: Promise<Answer>
const connectedSlowly = async () => {
  const { key } = await signUp(app)
  const { keys } = processor.account()
  processor.sleeps(keys.secret_key)
  return app.call('POST', PATH, { key, body: keys })
}
test.before(async () => {
  processor = await startCardProcessor()
  app = await startApp({ env: { CARD_PROCESSOR_URL: processor.url } })
  slow = connectedSlowly()
})
test.after.always(async () => {
  await app?.stop()
  await processor?.stop()
})
const scene = () => ({ app, processor })
cardPayments(scene)
cardPages(scene)
cardReturns(scene)
test.after('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))

const { make, statusOf } = teamCalls(() => app)

test.serial('J-CARD-02 J-CARD-03 J-CARD-07 a processor is connected, shown masked, and forgotten', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const before = (await call('GET', PATH, { key })).json
  t.like(before, { configured: false, active: false, mode: null, secret_key: null })
  t.regex(before.webhook_endpoint, /\/hooks\/card\/hook_[a-z2-7]{26}$/)
  t.true(before.webhook_events.includes('checkout.session.completed'), 'known before there are keys')

  const { keys, publishableKey } = processor.account({ live: true })
  processor.state.endpoints.push({ id: 'we_1', url: before.webhook_endpoint, enabled_events: ['*'], status: 'enabled' })
  const body = { ...keys, publishable_key: publishableKey }
  const connected = await call('POST', PATH, { key, body })
  const last4 = (secret: string) => secret.slice(-4)
  t.deepEqual(connected.json, {
    configured: true,
    active: true,
    mode: 'live',
    product_id: keys.product_id,
    secret_key: `sk_live_...${last4(keys.secret_key)}`,
    webhook_secret: `whsec_...${last4(keys.webhook_secret)}`,
    publishable_key: publishableKey,
    webhook_endpoint: before.webhook_endpoint,
    webhook_events: before.webhook_events,
  })
  t.deepEqual(Object.keys((await call('GET', PATH, { key })).json).length, 9)
  t.deepEqual(await causedBy(app, connected.requestId), ['CardProcessorConnected'])
  t.deepEqual(await causedBy(app, (await call('POST', PATH, { key, body })).requestId), [], 'the same again')
  const log = JSON.stringify(await saidOf(app, 'CardProcessorConnected', keys.product_id))
  t.false(log.includes(keys.secret_key) || log.includes(keys.webhook_secret), 'sealed in the log')

  t.deepEqual((await call('DELETE', PATH, { key })).json, { configured: false, cleared: true })
  t.false((await call('GET', PATH, { key })).json.configured)
  t.deepEqual((await call('DELETE', PATH, { key })).json.cleared, true)
})

test.serial(
  'J-CARD-04 J-CARD-05 E-400-04 X-CLOSED-01 what the processor does not know is not kept, and the field is named',
  async (t) => {
    const { key } = await signUp(app)
    const { keys, product, publishableKey } = processor.account()
    const live = processor.account({ live: true })
    const invalid = (what: string, change: object) => ({
      what,
      path: PATH,
      key,
      body: { ...keys, ...change },
      status: 400,
      code: 'svc_card_processor_invalid',
    })
    const without = (field: string) => Object.fromEntries(Object.entries(keys).filter(([name]) => name !== field))
    await refused(t, app, [
      invalid('another form of key', { secret_key: 'pk_live_1234' }),
      invalid('an unknown key', { secret_key: 'sk_test_nobody_knows_this_one' }),
      invalid('another form of product', { product_id: 'price_1' }),
      invalid('an unknown product', { product_id: 'prod_unknown' }),
      invalid('the product of another mode', { secret_key: live.keys.secret_key }),
      invalid('another form of secret', { webhook_secret: 'secret' }),
      invalid('a secret that its last four characters tell', { webhook_secret: 'whsec_1234' }),
      invalid('a key that its last four characters tell', { secret_key: 'sk_test_1234' }),
      invalid('a publishable key of another mode', { publishable_key: live.publishableKey }),
      ...Object.keys(keys).map((field) => ({
        what: `no ${field}`,
        path: PATH,
        key,
        body: without(field),
        status: 400,
        code: 'svc_invalid_request',
      })),
    ])
    const said = async (change: object) =>
      (await app.call('POST', PATH, { key, body: { ...keys, ...change } })).json.message as string
    product.active = false
    t.regex(await said({}), /^.*product_id: names a product that is not active/)
    Object.assign(product, { active: true, default_price: { id: 'price_1', type: 'recurring' } })
    t.regex(await said({}), /product_id: names a product that is sold by subscription/)
    t.regex(await said({ secret_key: 'sk_test_nobody_knows_this_one' }), /secret_key: is not known/)
    t.false((await ok(app.call('GET', PATH, { key }))).json.configured)

    const narrow = processor.account({ restricted: true })
    const { json } = await ok(
      app.call('POST', PATH, { key, body: { ...narrow.keys, publishable_key: publishableKey } }),
    )
    t.like(json, { configured: true, mode: 'test' }, 'a restricted key may not see its account, and sells all the same')
  },
)

test.serial(
  'X-CLOSED-01 a processor that is down, slow, busy or makes no sense leaves everything as it was',
  async (t) => {
    const { key } = await signUp(app)
    const { keys } = processor.account()
    for (const fault of ['down', 'error', 'busy', 'garbage'] as const) {
      processor.fail(fault)
      await refused(t, app, [{ what: fault, path: PATH, key, body: keys, status: 503, code: 'svc_unavailable' }])
    }
    processor.fail(undefined)
    t.like(await slow, { status: 503 })
    t.false((await ok(app.call('GET', PATH, { key }))).json.configured)
  },
)

test.serial('J-CARD-06 only who may edit processors connects or forgets one', async (t) => {
  const { key } = await activeSeller(app)
  const { api_key: may } = await make(key, { role: 'custom', permissions: ['payments.processors.edit'] })
  const { keys } = processor.account()
  t.is(await statusOf('POST', PATH, may, keys), 200)
  t.is(await statusOf('GET', PATH, may), 403)
  t.is(await statusOf('DELETE', PATH, may), 200)
})

test.serial(
  'J-CARD-01 a request is paid by card: the page of the processor, its notice, the books, the fee and the webhook',
  async (t) => {
    const s = await shop(app)
    const rail = await takesCards(app, processor, s.key)
    const path = await requestOf(app, s, { amount: 48, currency: 'EUR', title: 'Tea', external_reference: 'tea-1' })
    t.regex(saidIn(await look(app, path)), /Pay by card/)
    const session = await goToCard(app, processor, path)
    t.like(session, { amount_total: 4800, currency: 'eur', mode: 'payment', livemode: true })
    t.is((await goToCard(app, processor, path)).id, session.id, 'who asks twice is led to the same page')
    t.regex(saidIn(await look(app, backOf(session))), /Waiting for your payment/)

    processor.pay(session.id)
    t.is((await told(processor, rail, 'checkout.session.completed', session)).status, 200)
    t.is((await told(processor, rail, 'checkout.session.completed', session)).status, 200)
    t.regex(
      saidIn(await look(app, backOf(session))),
      /^Paid Seller Seller without a name For Tea Price 48\.00 EUR Paid By card/,
    )
    t.regex(
      saidIn(await look(app, path)),
      /^Paid Seller Seller without a name For Tea/,
      'also at the door of the request',
    )

    const transaction = await transactionWith(app, s.key, ({ external_reference }) => external_reference === 'tea-1')
    t.like(transaction, { status: 'C', amount_fiat: '48', currency: 'EUR', paid_by: 'card', cryptocurrency: '' })
    t.is(transaction.hash, session.payment_intent as string)
    t.regex((await postFor(app, 'tea-1')).body, /"status":"C"/)
    const [settled, ...others] = await saidOf(app, 'CardPaymentSettled', session.payment_intent as string)
    t.deepEqual(others, [])
    const [fee] = await saidOf(app, 'CreditDebited', String(session.client_reference_id))
    t.is(BigInt(fee?.amount ?? 0), BigInt(settled?.usd ?? 0) / 500n, 'one fifth of a percent')
    const { settlements } = (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json
    t.like(settlements[0], {
      status: 'settled',
      asset: 'EUR',
      asset_amount: '48',
      challenge_id: session.client_reference_id,
    })
    await assertReplayEqual(t, app)
  },
)
