import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import type { TestApp } from '../../support/app.ts'
import { choose, look, payPage, requestOf, saidIn } from '../../support/buyer.ts'
import { backOf, goToCard, paidUntold, takesCards, told, transactionWith } from '../../support/card/paying.ts'
import type { CardProcessor } from '../../support/card/processor.ts'
import { buyerOf, cart, commerceShop } from '../../support/commerce.ts'
import { deepTest } from '../../support/deep-test.ts'
import { me, saidOf, shop, transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'

export type CardScene = () => { readonly app: TestApp; readonly processor: CardProcessor }

/** What a processor tells, and what is believed of it. */
export const cardPayments = (scene: CardScene): void => {
  test('X-CLOSED-01 J-CARD-01 only what the processor has signed just now is believed, and nobody learns who sells', async (t) => {
    const { app, processor } = scene()
    const { rail, session } = await paidUntold(app, processor, { amount: 5, title: 'Tea' })
    const { hook, secret } = rail
    const event = processor.event('checkout.session.completed', session)
    const minutes = (n: number) => Date.now() + n * 60_000
    const refusals = [
      await processor.tell(hook, 'whsec_of_another', event),
      await processor.tell(hook, secret, event, minutes(-6)),
      await processor.tell(hook, secret, event, minutes(6)),
      await processor.tell(`${hook}x`, secret, event),
      await fetch(hook, { method: 'POST', body: 'not even JSON' }).then(async (r) => ({
        status: r.status,
        text: await r.text(),
      })),
    ]
    const [first] = refusals
    for (const refusal of refusals) t.deepEqual(refusal, first, 'the same answer')
    t.is(first?.status, 400)
    t.deepEqual(await saidOf(app, 'CardPaymentReported', session.payment_intent as string), [])
    const both = await processor.tell(hook, secret, event, minutes(4), ['0'.repeat(64)])
    t.is(both.status, 200, 'one of several signatures is enough')
    t.is((await saidOf(app, 'CardPaymentSettled', session.payment_intent as string)).length, 1)
    await processor.tell(hook, secret, processor.event('payout.paid', { id: 'po_1' }))
    const foreign = { ...session, client_reference_id: null, metadata: {} }
    t.is((await processor.tell(hook, secret, processor.event('checkout.session.completed', foreign))).status, 200)
  })

  test('J-CARD-01 what was paid otherwise than asked is recorded as a mismatch, once, and settles nothing', async (t) => {
    const { app, processor } = scene()
    const s = await shop(app)
    const rail = await takesCards(app, processor, s.key)
    const path = await requestOf(app, s, { amount: 7, title: 'Tea', external_reference: 'lied-to' })
    const session = await goToCard(app, processor, path)
    processor.pay(session.id)
    const lies = [{ amount_total: 699 }, { currency: 'eur' }, { livemode: false }, { id: 'cs_live_another' }]
    const honest = { ...session }
    for (const lie of lies) {
      // The processor says so again when it is asked.
      Object.assign(session, lie)
      const event = processor.event('checkout.session.completed', session)
      for (const _ of [1, 2]) t.is((await processor.tell(rail.hook, rail.secret, event)).status, 200)
      Object.assign(session, honest)
    }
    const id = String(session.client_reference_id)
    const wrong = (await saidOf(app, 'CardPaymentMismatched', id)).map(({ what }) => what)
    t.deepEqual(wrong, ['amount', 'currency', 'mode', 'session'])
    t.deepEqual(await saidOf(app, 'CardPaymentReported', id), [])
    await told(processor, rail, 'checkout.session.completed', { ...session, payment_status: 'unpaid' })
    t.deepEqual(await saidOf(app, 'CardPaymentReported', id), [], 'money that is on its way')
    t.is((await told(processor, rail, 'checkout.session.async_payment_succeeded', session)).status, 200)
    t.truthy(await transactionWith(app, s.key, (each) => each.external_reference === 'lied-to' && each.status === 'C'))
  })

  deepTest(
    'J-CARD-01 a notice in another shape than ours is asked after before it counts, and one that cannot be read is told again',
    async (t) => {
      const { app, processor } = scene()
      const { rail, session } = await paidUntold(app, processor, { amount: 6 })
      const id = String(session.client_reference_id)
      const unread = [
        ['charge.refunded', { object: 'charge' }],
        ['charge.dispute.created', { ...processor.dispute(session.payment_intent as string), payment_intent: '\0' }],
      ] as const
      for (const [type, thing] of unread) t.is((await told(processor, rail, type, thing)).status, 503, type)
      const old = { ...session, currency: 'chf', amount_total: 531 }
      t.is((await told(processor, rail, 'checkout.session.completed', old)).status, 200)
      t.deepEqual(await saidOf(app, 'CardPaymentMismatched', id), [])
      t.is((await saidOf(app, 'CardPaymentSettled', id)).length, 1)
    },
  )

  test('X-IDEM-04 the buyer who comes back and two notices at once are one settlement', async (t) => {
    const { app, processor } = scene()
    const { rail, session } = await paidUntold(app, processor, { amount: 9 })
    const tells = () => told(processor, rail, 'checkout.session.completed', session)
    const [page] = await Promise.all([look(app, backOf(session)), tells(), tells(), look(app, backOf(session))])
    t.regex(saidIn(page), /^Paid/)
    for (const type of ['CardPaymentReported', 'CardPaymentSettled', 'PaymentRequestPaid'] as const)
      t.is((await saidOf(app, type, String(session.client_reference_id))).length, 1, type)
  })

  deepTest(
    'J-CARD-01 J-PRQ-03 of a coin and a card for one request the second bought nothing, and its seller sees it',
    async (t) => {
      const { app, processor } = scene()
      const s = await shop(app)
      await takesCards(app, processor, s.key)
      const path = await requestOf(app, s, { amount: 11 })
      const session = await goToCard(app, processor, path)
      processor.pay(session.id)
      const page = await choose(app, path, 'eth')
      await payPage(app, page)
      await app.anvil.mine(12)
      await eventually('the coin', async () => /^Paid/.test(saidIn(await look(app, page))))
      t.regex(saidIn(await look(app, backOf(session))), /^This was paid before.*The seller has this money/)
      const { settlements } = (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json
      t.like(settlements[0], { status: 'doubled', asset: 'USD', asset_amount: '11', hash: session.payment_intent })
      t.is((await transactionsOf(app, s.key)).filter(({ status }) => status === 'C').length, 1)
      t.is((await me(app, s.key)).settlements_count, 1)
    },
  )

  deepTest(
    'J-CARD-01 a resource is sold by card again and again, and one that is closed leads to a new page',
    async (t) => {
      const { app, processor } = scene()
      const s = await shop(app, { amount: 3 })
      const rail = await takesCards(app, processor, s.key)
      const { json } = await ok(app.call('GET', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
      const door = new URL(json.checkout_url).pathname
      const [one, two] = [await goToCard(app, processor, door), await goToCard(app, processor, door)]
      t.not(one.id, two.id, 'two visits are two sales')
      for (const session of [one, two]) {
        processor.pay(session.id)
        t.is((await told(processor, rail, 'checkout.session.completed', session)).status, 200)
      }
      for (const { client_reference_id } of [one, two])
        await transactionWith(app, s.key, (each) => each.external_reference === `${s.resId}.${client_reference_id}`)
      t.is((await app.call('GET', `/r/${s.resId}`)).status, 200, 'it was sold')

      const path = await requestOf(app, s, { amount: 3 })
      const closed = await goToCard(app, processor, path)
      processor.expire(closed.id)
      await told(processor, rail, 'checkout.session.expired', closed)
      t.regex(saidIn(await look(app, backOf(closed))), /^Nothing was paid/)
      t.not((await goToCard(app, processor, path)).id, closed.id)
    },
  )

  test('J-CARD-01 keys of tests make test payments alone: they cost no fee and are no earnings', async (t) => {
    const { app, processor } = scene()
    const s = await shop(app)
    const rail = await takesCards(app, processor, s.key, { live: false })
    t.notRegex((await look(app, await requestOf(app, s, { amount: 4 }))).text, /pay=card/, 'not for money')
    const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 4, test: true } }))
    const session = await goToCard(app, processor, new URL(json.checkout_url).pathname)
    t.false(session.livemode)
    const before = await me(app, s.key)
    processor.pay(session.id)
    await told(processor, rail, 'checkout.session.completed', session)
    const id = String(session.client_reference_id)
    await eventually(
      'its transaction',
      async () => (await saidOf(app, 'TransactionCompleted', session.payment_intent as string)).length === 1,
    )
    t.deepEqual(await saidOf(app, 'CreditDebited', id), [])
    const after = await me(app, s.key)
    t.deepEqual([after.credit_balance, after.total_earned], [before.credit_balance, before.total_earned])
  })

  test('C-SES-06 N-31 an agent that chooses the card is led to where its person pays, and the session is complete when they have', async (t) => {
    const { app, processor } = scene()
    const s = await commerceShop(app)
    const rail = await takesCards(app, processor, s.key)
    const platform = buyerOf(app, s, true)
    const { id, json } = await platform.create(cart([s.widget, 2]))
    t.truthy(json.ucp.payment_handlers['io.daybook.card'])
    const { json: profile } = await platform.call('GET', '/.well-known/ucp')
    t.truthy(profile.ucp.payment_handlers['io.daybook.card'])
    const instruments = [{ id: 'i1', handler_id: 'card', type: 'card' }]
    const done = await platform.complete(id, { payment: { instruments } })
    t.like(done.json, { status: 'requires_escalation' })
    t.is(done.json.messages[0].severity, 'requires_buyer_input')
    const { pathname, search } = new URL(done.json.continue_url)
    const { status, headers } = await look(app, `${pathname}${search}`)
    t.is(status, 303)
    const session = processor.state.sessions.get(headers.get('location')?.split('/pay/')[1] ?? '')
    if (!session) return t.fail('no session')
    processor.pay(session.id)
    await told(processor, rail, 'checkout.session.completed', session)
    const paid = await eventually('the order', async () => {
      const now = await platform.read(id)
      return now.json.status === 'completed' && now.json
    })
    t.like((await platform.order(paid.order.id)).json, { checkout_id: id, adjustments: [] })
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    const placed = (await ok(app.call('GET', `/v1/orders?order_id=${paid.order.id}`, { key: s.key }))).json
    await ok(app.call('POST', `/v1/transactions?transaction_id=${placed.transaction_id}&action=refund`, { key: s.key }))
    const adjusted = (status: string) =>
      eventually(status, async () => (await platform.order(paid.order.id)).json.adjustments[0]?.status === status)
    await adjusted('completed')
    await told(processor, rail, 'refund.failed', processor.failRefund(session.payment_intent as string))
    await adjusted('failed')
    t.is((await platform.order(paid.order.id)).json.adjustments.length, 1)
    t.regex(saidIn(await look(app, new URL(paid.order.permalink_url).pathname)), /could not be given back/)
    const plain = buyerOf(app, s)
    const own = await plain.complete((await plain.create(cart([s.widget]))).id, { payment: { instruments } })
    t.is(own.json.status, 'ready_for_complete')
    t.regex(own.json.continue_url, /\?pay=card$/)
  })
}
