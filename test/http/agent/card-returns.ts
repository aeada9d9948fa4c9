import test from 'ava'
import type { TestApp } from '../../support/app.ts'
import { requestOf } from '../../support/buyer.ts'
import { goToCard, paidUntold, takesCards, told, transactionWith } from '../../support/card/paying.ts'
import type { CardProcessor } from '../../support/card/processor.ts'
import { deepTest } from '../../support/deep-test.ts'
import { me, saidOf, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import type { CardScene } from './card-payments.ts'

let sales = 0
/** A payment of 10 dollars by card that has settled. */
const paidSale = async (app: TestApp, processor: CardProcessor) => {
  const reference = `returned-${++sales}`
  const { s, rail, session } = await paidUntold(app, processor, { amount: 10, external_reference: reference })
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
  await told(processor, rail, 'checkout.session.completed', session)
  const shows = (fits: (each: Record<string, string>) => boolean) =>
    transactionWith(app, s.key, (each) => each.external_reference === reference && fits(each))
  const { id } = await shows(({ status }) => status === 'C')
  const refund = () => app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key: s.key })
  return { s, rail, shows, refund, charge: session.payment_intent as string, id: String(session.client_reference_id) }
}

/** Money that goes back: by the seller's word, at the processor, or because a bank wants it. */
export const cardReturns = (scene: CardScene): void => {
  test('N-68 J-TXN-06 a refund of a payment by card is made by the processor, once, also when its answer was lost', async (t) => {
    const { app, processor } = scene()
    const sale = await paidSale(app, processor)
    processor.losesNext((call, text) => call === 'POST /v1/refunds' && text.includes(sale.charge), 2)
    const lost = await sale.refund()
    t.is(lost.status, 503, 'also the answer to the second attempt')
    t.regex(lost.json.message, /did not say whether.*Ask again/)
    t.deepEqual((await ok(sale.refund())).json, { refunded: true, recorded: true, sent: true })
    t.is(processor.state.charges.get(sale.charge)?.amount_refunded, 1_000)
    const own = [...processor.state.refunds.values()].filter((each) => each.payment_intent === sale.charge)
    t.is(own.length, 1)
    t.truthy((await sale.shows((each) => each.refunded_time !== undefined)).refunded_time)
    t.is((await sale.refund()).status, 400, 'a second one')
    await told(processor, sale.rail, 'charge.refunded', processor.state.charges.get(sale.charge) ?? {})
    t.is(
      (await saidOf(app, 'CardRefunded', sale.charge)).length + (await saidOf(app, 'CardRefunded', sale.id)).length,
      1,
    )
  })

  test('N-68 what is given back at the processor stands on the transaction: a part, then all of it', async (t) => {
    const { app, processor } = scene()
    const sale = await paidSale(app, processor)
    const given = async (amount: number) => {
      const charge = processor.giveBack(sale.charge, amount)
      for (const _ of [1, 2]) t.is((await told(processor, sale.rail, 'charge.refunded', charge)).status, 200)
    }
    await given(250)
    t.is((await sale.shows((each) => each.refunded_amount !== undefined)).refunded_amount, '2.5')
    await given(750)
    const whole = await sale.shows((each) => each.refunded_time !== undefined)
    t.like(whole, { refunded_amount: '10', refund_status: 'sent' })
    t.is((await me(app, sale.s.key)).total_earned, 0)
    const amounts = (await saidOf(app, 'CardRefunded', sale.id)).map(({ amount, whole }) => [amount, whole])
    t.deepEqual(amounts, [
      ['2500000', false],
      ['7500000', true],
    ])
    t.is((await sale.refund()).status, 400)
  })

  deepTest(
    'N-68 the rest of what was given back in part is refunded, and a processor that is down is told as such',
    async (t) => {
      const { app, processor } = scene()
      const sale = await paidSale(app, processor)
      await told(processor, sale.rail, 'charge.refunded', processor.giveBack(sale.charge, 400))
      await sale.shows((each) => each.refunded_amount === '4')
      processor.fail('down', sale.rail.secretKey)
      const down = await sale.refund()
      t.is(down.status, 503)
      t.regex(down.json.message, /did not say whether/)
      processor.fail(undefined, sale.rail.secretKey)
      t.is((await sale.refund()).status, 200)
      t.is(processor.state.charges.get(sale.charge)?.amount_refunded, 1_000)
      const amounts = (await saidOf(app, 'CardRefunded', sale.id)).map(({ amount, whole }) => [amount, whole])
      t.deepEqual(amounts, [
        ['4000000', false],
        ['6000000', true],
      ])
      const other = await paidSale(app, processor)
      await ok(app.call('DELETE', '/v1/card-processor', { key: other.s.key }))
      t.is((await other.refund()).status, 503, 'its keys are forgotten')
    },
  )

  deepTest(
    'N-68 a refund that the processor has made and never told is noted when its seller asks for it',
    async (t) => {
      const { app, processor } = scene()
      const sale = await paidSale(app, processor)
      processor.giveBack(sale.charge, 1_000)
      t.is((await sale.refund()).status, 200)
      const other = await paidSale(app, processor)
      processor.giveBack(other.charge, 300)
      t.is((await other.refund()).status, 200, 'the rest of what was given back in part')
      t.is(processor.state.charges.get(other.charge)?.amount_refunded, 1_000)
      const amounts = (await saidOf(app, 'CardRefunded', other.id)).map(({ amount, by }) => [amount, by])
      t.deepEqual(amounts, [
        ['3000000', 'processor'],
        ['7000000', 'owner'],
      ])
      t.truthy((await sale.shows((each) => each.refunded_time !== undefined)).refunded_time)
      t.is(processor.state.charges.get(sale.charge)?.amount_refunded, 1_000)
    },
  )

  deepTest(
    'N-68 a refund that the processor has refused is asked for anew once its seller has put that right',
    async (t) => {
      const { app, processor } = scene()
      const sale = await paidSale(app, processor)
      for (const fault of ['balance_insufficient', 'failed', 'balance_insufficient'] as const) {
        processor.refuses(sale.charge, fault)
        t.is((await sale.refund()).status, 400, fault)
      }
      processor.refuses(sale.charge, undefined)
      t.is((await sale.refund()).status, 200)
      t.is(processor.state.charges.get(sale.charge)?.amount_refunded, 1_000)
    },
  )

  deepTest(
    'N-68 a refund that fails after all is none any more, and is given back once more when its seller asks',
    async (t) => {
      const { app, processor } = scene()
      const sale = await paidSale(app, processor)
      t.is((await sale.refund()).status, 200)
      await sale.shows((each) => each.refunded_time !== undefined)
      const before = { ...processor.state.charges.get(sale.charge) }
      const failed = processor.failRefund(sale.charge)
      for (const _ of [1, 2]) t.is((await told(processor, sale.rail, 'refund.failed', failed)).status, 200)
      await sale.shows((each) => each.refunded_time === undefined)
      t.is((await me(app, sale.s.key)).total_earned, 10, 'earned again')
      const said = await saidOf(app, 'CardRefundFailed', sale.id)
      t.deepEqual(
        said.map(({ amount, total }) => [amount, total]),
        [['10000000', '0']],
      )
      await told(processor, sale.rail, 'charge.refunded', before)
      t.is((await saidOf(app, 'CardRefunded', sale.id)).length, 1, 'what was told before it failed, and comes late')
      t.is((await sale.refund()).status, 200)
      await sale.shows((each) => each.refunded_time !== undefined)
      t.is(processor.state.charges.get(sale.charge)?.amount_refunded, 1_000)
    },
  )

  test('J-CARD-01 a dispute and what was decided of it stand on the transaction and in the books', async (t) => {
    const { app, processor } = scene()
    const sale = await paidSale(app, processor)
    const dispute = { ...processor.dispute(sale.charge), reason: 'fraudulent\0' }
    for (const _ of [1, 2]) await told(processor, sale.rail, 'charge.dispute.created', dispute)
    t.is((await sale.shows((each) => each.dispute !== undefined)).dispute, 'open')
    await told(processor, sale.rail, 'charge.dispute.closed', { ...dispute, status: 'lost' })
    await sale.shows((each) => each.dispute === 'lost')
    t.is((await saidOf(app, 'CardPaymentDisputed', sale.id)).length, 1)
    const again = await told(processor, sale.rail, 'charge.dispute.created', {
      ...dispute,
      id: 'dp_2',
      currency: 'chf',
    })
    t.is(again.status, 200, 'of another currency: said aloud, and no dispute of this')
    t.is((await saidOf(app, 'CardPaymentDisputed', sale.id)).length, 1)
    const unknown = { ...dispute, id: 'dp_other', payment_intent: 'pi_of_another_shop' }
    t.is((await told(processor, sale.rail, 'charge.dispute.created', unknown)).status, 200, 'none of ours')
  })

  deepTest('J-CARD-01 a dispute that is told before its payment is books the sale first', async (t) => {
    const { app, processor } = scene()
    const s = await shop(app)
    const rail = await takesCards(app, processor, s.key)
    const page = await requestOf(app, s, { amount: 10, external_reference: 'early' })
    const { payment_intent: charge } = processor.pay((await goToCard(app, processor, page)).id)
    const early = () => told(processor, rail, 'charge.dispute.created', processor.dispute(charge as string))
    processor.fail('down', rail.secretKey)
    t.is((await early()).status, 503, 'told again')
    processor.fail(undefined, rail.secretKey)
    t.is((await early()).status, 200)
    await transactionWith(app, s.key, (each) => each.external_reference === 'early' && each.dispute === 'open')
  })
}
