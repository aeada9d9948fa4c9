import test from 'ava'
import type { SaleItem } from '../../../adapters/http/buyer/doors.ts'
import { cardState, unsettledCardPage } from '../../../adapters/http/buyer/watch-card.ts'
import { buyerLocale } from '../../../adapters/http/pages/buyer/messages/buyer-locale.ts'
import type { CardPayment } from '../../../domain/card/payment.ts'
import { cardPaymentQueries } from '../../../projections/card/card-payments.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { look, requestOf, saidIn } from '../../support/buyer.ts'
import { backOf, goToCard, PATH, takesCards } from '../../support/card/paying.ts'
import { buyerOf, cart, commerceShop } from '../../support/commerce.ts'
import { deepTest } from '../../support/deep-test.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { saidOf, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import type { CardScene } from './card-payments.ts'

/** Pages of a processor: whose they are, and how they end. */
export const cardPages = (scene: CardScene): void => {
  test('N-31 J-DOOR-08 a payment by card shows at its own door alone', async (t) => {
    const { app, processor } = scene()
    const [one, two] = [await shop(app), await shop(app)]
    await takesCards(app, processor, one.key)
    const session = await goToCard(app, processor, await requestOf(app, one, { amount: 1 }))
    processor.pay(session.id)
    t.regex(saidIn(await look(app, backOf(session))), /^Paid/)
    const id = String(session.client_reference_id)
    const other = await requestOf(app, two, { amount: 900 })
    for (const query of [`challenge=${id}`, `card=${id}`])
      t.is((await look(app, `${other}?${query}`)).status, 404, query)
  })

  deepTest('N-31 of a page whose time is up nothing is said before the processor has said it', (t) => {
    const open = { status: 'open', expiresAt: '2000-01-01T00:00:00.000Z' } as CardPayment
    t.is(cardState(open), 'open')
    t.is(cardState({ ...open, status: 'failed' }), 'failed')
    const odd = { ...open, status: 'failed', mismatches: ['evt_1'], amount: '1', currency: 'USD' } as const
    const sold = { reference: '1' } as SaleItem
    const parts = { sold, path: '/', locale: buyerLocale('') }
    t.is(unsettledCardPage(parts, 'cp_1', odd as unknown as CardPayment).title, 'This payment does not count')
  })

  deepTest('N-40 N-31 whoever may say how much is led to one page for each amount', async (t) => {
    const { app, processor } = scene()
    const s = await shop(app)
    await takesCards(app, processor, s.key)
    const path = await requestOf(app, s, { title: 'Tip' })
    const first = await goToCard(app, processor, `${path}?amount=5`)
    const other = await goToCard(app, processor, `${path}?amount=6`)
    t.not(other.id, first.id)
    t.is((await goToCard(app, processor, `${path}?amount=5.00`)).id, first.id, 'others use up none of its pages')
    const sql = connectBeside(app.databaseUrl)
    t.teardown(() => sql.end({ timeout: 1 }))
    const { cardPagesOfRequest, cardPagesDue } = cardPaymentQueries(sql)
    const known = [first, other].map((each) => String(each.client_reference_id)).sort()
    await eventually('its request to wait for both', async () => {
      const open = await cardPagesOfRequest(path.split('/').at(-1) ?? '')
      return open.toSorted().join() === known.join()
    })
    const due = async (before: string, after = '') => (await cardPagesDue(before, after, 1_000)).map(({ id }) => id)
    t.false((await due('2000-01-01T00:00:00.000Z')).some((id) => known.includes(id)))
    t.deepEqual(
      (await due('3000-01-01T00:00:00.000Z', known[0])).filter((id) => known.includes(id)),
      known.slice(1),
    )
    processor.pay(first.id)
    t.regex(saidIn(await look(app, backOf(first))), /^Paid/)
    const id = String(other.client_reference_id)
    await eventually('the end of the other page', async () => {
      const isClosed = processor.state.sessions.get(other.id)?.status === 'expired'
      return isClosed || (await due('2000-01-01T00:00:00.000Z')).includes(id)
    })
  })

  deepTest('N-31 whatever a visit is called, it is led to a page', async (t) => {
    const { app, processor } = scene()
    const s = await shop(app, { amount: 3 })
    await takesCards(app, processor, s.key)
    const { json } = await ok(app.call('GET', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
    const path = `${new URL(json.checkout_url).pathname}?${new URLSearchParams({ pay: 'card', visit: 'визит' })}`
    const visits = [await look(app, path), await look(app, path)].map(({ headers }) => headers.get('location'))
    t.regex(visits[0] ?? '', /\/pay\/cs_live_/)
    t.is(visits[1], visits[0], 'the same visit, the same page')
  })

  deepTest(
    'N-05 C-SES-13 canceling a session closes its page, and one that was paid there is not canceled',
    async (t) => {
      const { app, processor } = scene()
      const s = await commerceShop(app)
      await takesCards(app, processor, s.key)
      const buyer = buyerOf(app, s)
      const readied = async () => {
        const { id } = await buyer.create(cart([s.widget]))
        const { json } = await buyer.complete(id)
        const paid = json.payment_methods ?? json
        const path = /\/id\/pr_[a-z2-7]{26}/.exec(JSON.stringify(paid))?.[0] ?? ''
        return { id, session: await goToCard(app, processor, path) }
      }
      const unpaid = await readied()
      t.is((await buyer.cancel(unpaid.id)).json.status, 'canceled')
      t.is(processor.state.sessions.get(unpaid.session.id)?.status, 'expired')
      const paid = await readied()
      processor.pay(paid.session.id)
      const refused = await buyer.cancel(paid.id)
      t.is(refused.status, 409)
      await eventually('the order', async () => (await buyer.read(paid.id)).json.status === 'completed')
    },
  )

  deepTest(
    'J-CARD-07 what was paid at a processor is taken before it is forgotten, and its open pages are closed',
    async (t) => {
      const { app, processor } = scene()
      const s = await shop(app)
      await takesCards(app, processor, s.key)
      const [paid, unpaid] = [
        await goToCard(app, processor, await requestOf(app, s, { amount: 1 })),
        await goToCard(app, processor, await requestOf(app, s, { amount: 2 })),
      ]
      processor.pay(paid.id)
      await ok(app.call('DELETE', PATH, { key: s.key }))
      t.is(processor.state.sessions.get(unpaid.id)?.status, 'expired')
      t.is((await saidOf(app, 'CardPaymentSettled', paid.payment_intent as string)).length, 1)
      t.regex(saidIn(await look(app, backOf(unpaid))), /^Nothing was paid/)
      t.false(processor.calls.includes(`GET /v1/checkout/sessions/${unpaid.id}`), 'of what is over nobody is asked')
      await takesCards(app, processor, s.key)
      const replaced = await goToCard(app, processor, await requestOf(app, s, { amount: 3 }))
      await takesCards(app, processor, s.key)
      t.is(processor.state.sessions.get(replaced.id)?.status, 'expired')
    },
  )
}
