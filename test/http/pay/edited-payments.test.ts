import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, consoleOk, type Fields, type Made, offerAt, pageAt, recordOf } from '../../support/console.ts'
import { type ConsoleRecords, consoleRecords } from '../../support/console-records.ts'
import { deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, me, payInFull, postsFor, type Shop, saidOf, shop, verify } from '../../support/sale.ts'
import { type Offer, ok } from '../../support/seller.ts'

/** What a merchant writes on a payment that nobody has paid yet, and what its buyer is then asked for. */

let app: TestApp
let calls: ConsoleRecords
test.before(async () => {
  app = await startApp()
  calls = consoleRecords(app)
})
test.after.always(() => app?.stop())

const made = async (fields: Fields): Promise<{ s: Shop; asked: Made }> => {
  const s = await shop(app)
  return { s, asked: await consoleOk(app, s.key, 'create-transaction', fields) }
}
const USD = { currency_code: 'USD' }
const settlementsOf = async (key: string) => (await ok(app.call('GET', '/v1/settlements', { key }))).json.settlements
const refusedEdit = async (key: string, id: string, values: object) => {
  const { status, json } = await calls.edit(key, id, JSON.stringify(values))
  return `${status} ${json.error_code} ${json.message}`
}
/** Lets the chain's clock run past what is still taken for an old price. */
const later = (seconds: number) => app.anvil.client.increaseTime({ seconds })

test.serial(
  'M-TXN-10 another price, coin, title or way back is what the buyer is asked for from then on',
  async (t) => {
    const { s, asked } = await made({ amount: '20', ...USD, title: 'Tea' })
    const id = asked.transaction_id
    const first = await offerAt(app, asked)
    const redirect = 'https://shop.example/thanks'
    const shown = await calls.update(s.key, id, { amount_fiat: '25.5', redirect, title: 'Green tea' })
    t.like(shown, { amount_fiat: '25.5', redirect, title: 'Green tea', status: 'P' })
    const second = await offerAt(app, asked)
    t.not(second.challengeId, first.challengeId)
    t.is((second as Offer & { fiatAmount?: string }).fiatAmount, '25.5')
    t.regex(await pageAt(app, asked.payment_link), /Pay 25\.50 USD Green tea/)
    const listed = (await ok(app.call('GET', `/v1/payment-requests?id=${id}`, { key: s.key }))).json.payment_request
    t.like(listed, { amount: 25.5, redirect, title: 'Green tea', encrypted_id: asked.encrypted_id })
    // A coin is 2,500 dollars here.
    t.like(await calls.update(s.key, id, { cryptocurrency: 'eth' }), { cryptocurrency: 'eth', amount: '0.0102' })
    t.regex(await refusedEdit(s.key, id, { cryptocurrency: 'btc' }), /^400 svc_invalid_request|^4\d\d svc_/)
    t.regex(await refusedEdit(s.key, id, { amount: '1' }), /400 svc_invalid_request .*Write amount_fiat/)
    t.regex(await refusedEdit(s.key, id, { amount_fiat: '0' }), /more than nothing/)
    const third = await offerAt(app, asked)
    await ok(verify(app, third.challengeId, await payInFull(app, third)))
    t.like(await recordOf(app, s.key, asked), { status: 'C', amount_fiat: '25.5', redirect })
    const page = await app.call('GET', `${new URL(asked.payment_link).pathname}`, { headers: { accept: 'text/html' } })
    t.true(page.text.includes(redirect))
    for (const values of [{ amount_fiat: '1' }, { redirect: 'https://other.example' }])
      t.regex(await refusedEdit(s.key, id, values), /^400 svc_\w+ values\.\w+: a payment of it has come/)
    t.like(await calls.update(s.key, id, { amount_fiat: '25.5' }), { amount_fiat: '25.5' })
  },
)

deepTest.serial('M-TXN-10 a price in coin is changed in coin', async (t) => {
  const { s, asked } = await made({ amount: '0.02', cryptocurrency_code: 'eth' })
  t.regex((await offerAt(app, asked)).amount, /^0\.02/)
  t.like(await calls.update(s.key, asked.transaction_id, { amount: '0.03' }), { amount: '0.03', amount_fiat: '75' })
  t.regex((await offerAt(app, asked)).amount, /^0\.03/)
  t.regex(await refusedEdit(s.key, asked.transaction_id, { amount_fiat: '9' }), /400 .*Write amount\./)
})

deepTest.serial(
  'M-TXN-10 who has paid the old price in time has paid, and an old price that is paid later is late',
  async (t) => {
    const { s, asked } = await made({ amount: '20', ...USD })
    const [old] = [await offerAt(app, asked)]
    await calls.update(s.key, asked.transaction_id, { amount_fiat: '30' })
    await eventually('the payment', async () => {
      await ok(verify(app, old.challengeId, await payInFull(app, old)))
      return true
    })
    t.like(await recordOf(app, s.key, asked), { status: 'C', amount_fiat: '20' })

    const next = await made({ amount: '20', ...USD })
    const stale = await offerAt(app, next.asked)
    await calls.update(next.s.key, next.asked.transaction_id, { amount_fiat: '30' })
    await later(600)
    const { status } = await verify(app, stale.challengeId, await payInFull(app, stale))
    t.is(status, 410)
    t.like(await recordOf(app, next.s.key, next.asked), { status: 'P', amount_fiat: '30' })
    const [row] = await settlementsOf(next.s.key)
    t.like(row, { status: 'late', challenge_id: stale.challengeId })
  },
)

deepTest.serial(
  'M-TXN-10 a status that ends a payment closes its link, and what comes afterwards is late',
  async (t) => {
    for (const status of ['C', 'X'] as const) {
      const { s, asked } = await made({ amount: '20', ...USD, external_reference: `by hand ${status}` })
      const id = asked.transaction_id
      const offer = await offerAt(app, asked)
      t.like(await calls.update(s.key, id, { status }), { status })
      t.like(await calls.update(s.key, id, { status }), { status })
      const door = await app.call('GET', `${new URL(asked.payment_link).pathname}?agent=1`)
      t.is(door.status, 410)
      await later(600)
      const paid = await verify(app, offer.challengeId, await payInFull(app, offer))
      t.is(paid.status, 410)
      const [row] = await settlementsOf(s.key)
      t.like(row, { status: 'late', challenge_id: offer.challengeId })
      const record = await recordOf(app, s.key, asked)
      t.like(record, status === 'C' ? { status, by: 'hand', hash: '', confirmed_time: '' } : { status, hash: '' })
      t.regex(await refusedEdit(s.key, id, { status: 'P' }), /^400 .*its link is closed/)
      t.regex(await refusedEdit(s.key, id, { amount_fiat: '2' }), /^400 .*its link is closed/)
      // No money came, so that nothing is earned.
      t.like(await me(app, s.key), { settlements_count: 0, total_earned: 0 })
    }
  },
)

test.serial(
  'M-TXN-10 W-DEL-01 a manual completion sends its one webhook, which says so, and what came in time sends no second',
  async (t) => {
    const { s, asked } = await made({ amount: '20', ...USD, external_reference: 'paid in cash' })
    const id = asked.transaction_id
    const offer = await offerAt(app, asked)
    await calls.update(s.key, id, { status: 'C' })
    const [post] = await eventually('the webhook', async () => {
      const posts = postsFor(app, 'paid in cash')
      return posts.length > 0 && posts
    })
    t.like(JSON.parse(post?.body ?? '{}'), { transaction: { id, status: 'C', by: 'hand' }, test: false })
    // The transfer is mined within the very second in which the link was closed, or it is late: both is a row.
    await verify(app, offer.challengeId, await payInFull(app, offer))
    for (const status of ['X', 'C']) await calls.update(s.key, id, { status })
    await eventually('the deliveries', async () => (await saidOf(app, 'TransactionEdited', id)).length === 3)
    t.is((await saidOf(app, 'DeliveryScheduled', id)).length, 1)
    t.is(postsFor(app, 'paid in cash').length, 1)
    const listed = (await consoleOk(app, s.key, 'get-transactions', { status: 'C' })).transactions
    t.like(listed[0], { id, status: 'C' })
  },
)

test.serial('X-TEN-01 nobody else changes or closes a payment', async (t) => {
  const { s, asked } = await made({ amount: '20', ...USD })
  const other = await shop(app)
  for (const key of [other.key, undefined])
    for (const values of [{ amount_fiat: '1' }, { status: 'C' }]) {
      const { status } = await consoleCall(app, key, 'update-transaction', {
        transaction_id: asked.transaction_id,
        values: JSON.stringify(values),
      })
      t.is(status, key ? 404 : 401)
    }
  t.like(await recordOf(app, s.key, asked), { status: 'P', amount_fiat: '20' })
  t.truthy(await offerAt(app, asked))
})

deepTest.serial('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))
