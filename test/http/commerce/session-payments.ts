import test from 'ava'
import { bookEntriesOf } from '../../../domain/reading/books/index.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { look } from '../../support/buyer.ts'
import { buyerOf, type CommerceScene, cart, commerceShop } from '../../support/commerce.ts'
import { consoleOk } from '../../support/console.ts'
import { deepTest } from '../../support/deep-test.ts'
import { runs } from '../../support/depth.ts'
import { authorize } from '../../support/gasless.ts'
import { logOf, send, sendBack, transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { v1Payload, v2Payload } from '../../support/signed-sale.ts'
import { checkUcp } from '../../support/ucp-schemas.ts'

/** A cart that is paid, and the order that it becomes. */
export const sessionPayments = (scene: CommerceScene): void => {
  test('C-SES-06 C-SES-13 T-SES-02 T-SES-03 C-ORD-01 a session is completed, paid on its chain, and is an order that its seller is told of', async (t) => {
    const { app, shop } = scene()
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
    const { app, chain, shop } = scene()
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
    const key = { 'idempotency-key': 'pay-1' }
    const done = await buyer.complete(id, body, key)
    t.is(done.json.status, 'completed', done.text)
    const again = await buyer.complete(id, body, key)
    t.deepEqual([again.text, again.headers.get('idempotency-replayed')], [done.text, 'true'])
    t.is((await buyer.complete(id, {}, key)).status, 409)
    t.is((await buyer.order(done.json.order.id)).json.line_items[0].status, 'fulfilled')
  })

  deepTest(
    'T-SES-04 C-SES-14 a canceled session takes no payment any more: money that comes is late, and shows as such',
    async (t) => {
      const { app } = scene()
      const own = await commerceShop(app, { webhook: false })
      const buyer = buyerOf(app, own)
      const { id } = await buyer.create(cart([own.widget]))
      const [offer] = (await buyer.complete(id)).json.payment_handlers[0].accepts
      t.is((await buyer.cancel(id)).json.status, 'canceled')
      // It may be mined in the very second of the cancellation, or seem to be.
      const hash = await send(app, offer)
      await app.anvil.mine(offer.requiredConfirmations)
      const { status } = await app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } })
      t.is(status, 410)
      const [row] = (await ok(app.call('GET', '/v1/settlements', { key: own.key }))).json.settlements
      t.like(row, { status: 'late', challenge_id: offer.challengeId, hash })
      const [record] = await transactionsOf(app, own.key)
      t.like(record, { status: 'X', hash: '' })
      t.is((await buyer.read(id)).json.status, 'canceled')
      t.is((await buyer.order(`ord_${id.slice(3)}`)).status, 404)
      t.deepEqual((await ok(app.call('GET', '/v1/orders', { key: own.key }))).json.orders, [])
    },
  )

  deepTest(
    'C-SES-09 prices of less than a cent are multiplied before they are rounded, and what is paid is the sum of it',
    async (t) => {
      const { app } = scene()
      const own = await commerceShop(app, { webhook: false })
      const body = { title: 'Screw', price: 0.001, currency: 'USD' }
      const { slug } = (await ok(app.call('POST', '/v1/checkouts', { key: own.key, body }))).json.checkout
      const buyer = buyerOf(app, own, true)
      const { id, json } = await buyer.create(cart([slug, 100], [own.widget]))
      t.is(json.totals.at(-1).amount, 2_510)
      t.is(json.line_items[0].totals.at(-1).amount, 10)
      t.true(json.messages.some(({ code }: { code: string }) => code === 'price_rounded'))
      const [offer] = (await buyer.complete(id)).json.payment_handlers[0].accepts
      t.is(offer.fiatAmount, '25.1')
    },
  )

  test('A platform that speaks UCP is told 201, that nothing is missing, and of what is not there with a 200', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop, true)
    const { status, id, json, headers } = await buyer.create(cart([shop.resId]), { 'request-id': 'call-0001' })
    t.deepEqual([status, json.status], [201, 'ready_for_complete'])
    t.is(headers.get('request-id'), 'call-0001')
    const newer = { 'ucp-agent': 'profile="https://p.example/.well-known/ucp", version="2099-01-01"' }
    const refused = await buyer.create(cart([shop.resId]), newer)
    t.deepEqual([refused.status, refused.json.code], [422, 'version_unsupported'])
    const ready = await buyer.complete(id)
    t.is(ready.json.status, 'ready_for_complete')
    const gone = await buyer.call('GET', `/checkout-sessions/cs_${'a'.repeat(26)}`)
    t.is(gone.status, 200)
    checkUcp('envelope', gone.json)
    const [offer] = ready.json.payment_handlers[0].accepts
    await send(app, offer)
    // Another test may mine the blocks that it waits for.
    const seen = ['complete_in_progress', 'completed']
    await eventually('the payment to be seen', async () => seen.includes((await buyer.read(id)).json.status))
    t.is((await buyer.cancel(id)).status, 409)
    await app.anvil.mine(offer.requiredConfirmations)
    await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
  })

  deepTest('S-DSC-02 M-VAT-01 codes and VAT are in the sums, and on the seller’s record of the payment', async (t) => {
    const { app } = scene()
    const taxed = await commerceShop(app, { webhook: false })
    const vat = { enabled: true, country: 'DE', inclusive: false }
    await consoleOk(app, taxed.key, 'save-settings', { settings: JSON.stringify({ vat }) })
    await ok(app.call('POST', '/v1/discount-codes', { key: taxed.key, body: { code: 'Summer', multiplier: 0.8 } }))
    const buyer = buyerOf(app, taxed)
    const { id, json } = await buyer.create({
      ...cart([taxed.widget, 2]),
      discounts: { codes: ['SUMMER', 'winter'] },
      context: { address_country: 'FR' },
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
    // The number of somebody who is a business alone is that of a person.
    const number = 'FR40303265045'
    const business = { buyer: { vat_number: number }, context: { address_country: 'FR' } }
    const free = await buyer.create({ ...cart([taxed.widget]), ...business })
    t.is(free.json.totals.at(-1).amount, 2500)
    await buyer.complete(free.id)
    const told = (await transactionsOf(app, taxed.key)).map(({ vat_details }) => JSON.parse(vat_details ?? '').number)
    t.deepEqual(told.toSorted(), [number, null])
    const csv = await app.call('GET', '/v1/transactions?download=1', { key: taxed.key })
    t.true(csv.text.includes(number))
    t.false((await logOf(app)).some(({ data }) => JSON.stringify(data).includes(number)))
  })

  deepTest('M-VAT-01 the VAT of a sale is told with its settlement: it is payable, and no income', async (t) => {
    const { app } = scene()
    const taxed = await commerceShop(app, { webhook: false })
    const vat = { enabled: true, country: 'DE', inclusive: false }
    await consoleOk(app, taxed.key, 'save-settings', { settings: JSON.stringify({ vat }) })
    const buyer = buyerOf(app, taxed)
    const { id } = await buyer.create({ ...cart([taxed.widget, 2]), context: { address_country: 'FR' } })
    const [offer] = (await buyer.complete(id)).json.payment_handlers[0].accepts
    await send(app, offer)
    await app.anvil.mine(offer.requiredConfirmations)
    await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
    const settled = (await logOf(app)).find(
      ({ type, data }) =>
        type === 'ChallengeSettled' && (data as { challengeId: string }).challengeId === offer.challengeId,
    )
    t.like(settled?.data, { amount: '60000000', vat: '10000000', currency: 'USD' })
    const [entry] = settled ? bookEntriesOf(settled) : []
    const of = (account: string) => BigInt(entry?.postings.find((each) => each.account === account)?.amount ?? 0)
    const asked = BigInt(offer.amountAtomic)
    t.is(of('liabilities:vat'), -(asked * 10n) / 60n)
    t.is(of('income:sales'), -(asked - (asked * 10n) / 60n))
    t.is(of('assets:receipts'), asked)
  })

  deepTest('T-CHL-05 C-SES-13 a session of test items is played to its end, and takes no money', async (t) => {
    const { app, chain, shop } = scene()
    const { api_key } = (await ok(app.call('POST', '/v1/sandbox-keys', { key: shop.key, body: { kind: 'secret' } })))
      .json
    const { json } = await ok(app.call('POST', '/v1/resources', { key: api_key, body: { amount: 5, currency: 'USD' } }))
    const buyer = buyerOf(app, shop)
    t.is((await buyer.create(cart([json.res_id], [shop.resId]))).status, 400)
    const { id } = await buyer.create(cart([json.res_id]))
    const { payment_handlers } = (await buyer.complete(id)).json
    const [{ challengeId }] = payment_handlers[0].accepts
    const signed = await authorize(await chain.payer(9_000_000n), { to: shop.address, value: 5_000_000n })
    const real = { handler_id: 'x402', credential: { type: 'x402', payload: v1Payload(signed) } }
    const taken = await buyer.complete(id, { payment: { instruments: [real] } })
    t.is(taken.json.messages[0].code, 'payment_failed')
    await ok(app.call('POST', '/v1/simulate-payment', { body: { challengeId } }))
    await eventually('the order', async () => (await buyer.read(id)).json.status === 'completed')
  })

  test('C-ORD-01 X-TEN-01 its seller says what was delivered and given back, and sees who bought; nobody else does', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { id } = await buyer.create({ ...cart([shop.widget, 2]), buyer: { email: 'ada@example.test' } })
    const [offer] = (await buyer.complete(id)).json.payment_handlers[0].accepts
    await send(app, offer)
    await app.anvil.mine(offer.requiredConfirmations)
    const { order } = await eventually('the order', async () => {
      const { json } = await buyer.read(id)
      return json.status === 'completed' && json
    })
    // The order's link may be passed on, and names the session.
    t.false((await buyer.read(id)).text.includes('ada@'))
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
    const page = async () => (await look(app, `/orders/${order.id}`)).text
    t.is(shown.adjustments[0].status, 'pending')
    t.regex(await page(), /recorded as given back by the seller, not sent/)
    await ok(
      app.call('POST', refund, { key: shop.key, body: { hash: await sendBack(app, BigInt(offer.amountAtomic)) } }),
    )
    t.is((await buyer.order(order.id)).json.adjustments[0].status, 'completed')
    t.notRegex(await page(), /not sent/)
    t.is(shown.fulfillment.events.length, 2)
    const { orders } = (await ok(app.call('GET', '/v1/orders', { key: shop.key }))).json
    t.true(orders.some((each: { id: string }) => each.id === order.id))
    const other = await commerceShop(app, { webhook: false })
    t.is((await app.call('GET', path, { key: other.key })).status, 404)
    t.is((await deliver(1, other.key)).status, 404)
  })

  test('of fifty completions and cancellations at once one wins, and there is one set of challenges', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    for (let round = 0; round < runs({ quick: 2, deep: 3 }); round++) {
      const { id } = await buyer.create(cart([shop.widget]))
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 5 === 4 && round > 0 ? buyer.cancel(id) : buyer.complete(id))),
      )
      const { json } = await buyer.read(id)
      const isCanceled = json.status === 'canceled'
      t.is(isCanceled, round > 0)
      t.is(answers.filter(({ json: said }) => said.status === 'canceled').length, isCanceled ? 1 : 0)
      for (const { status, text } of answers) t.true(status === 200 || status === 409, text)
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
}
