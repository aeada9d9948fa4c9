import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { changedKeys } from '../../projections/engine/changed-keys.ts'
import { eventually } from '../../src/demo/stage.ts'
import { HOT_TABLES } from '../../src/engine/hot-rows.ts'
import { isKept, LEFT_OUT, PASSING } from '../../src/engine/passing.ts'
import { monthOf } from '../books/month.ts'
import { wholeHistory } from '../projections/history.ts'
import { startApp } from '../support/app.ts'
import { everything, newStore } from '../support/ledger.ts'
import { logOf } from '../support/sale.ts'
import { SIMULATE, testSale } from '../support/sandbox.ts'
import { ok } from '../support/seller.ts'

/** What a process that stands by need not hear of. */

test('N-109 whatever is passed over is a stream of the ledger', (t) => {
  const categories = new Set(Object.values(deciders).map(({ category }) => category as string))
  t.deepEqual(
    [...PASSING].filter((category) => !categories.has(category)),
    [],
  )
})

test('N-118 of a sale a process that stands by hears of the settlement alone', async (t) => {
  const app = await startApp()
  t.teardown(() => app.stop())
  const { key, resId, challengeId: first } = await testSale(app, {}, { webhook: true })
  const pays = (challengeId: string) => ok(app.call('POST', SIMULATE, { key, body: { challengeId } }))
  await pays(first)
  await eventually('the first webhook', () => app.receiver.posts.length > 0)
  const before = (await logOf(app)).length
  const minted = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
  await pays(minted.json.accepts[0].challengeId)
  const written = await eventually('its delivery', async () => {
    const all = (await logOf(app)).slice(before)
    return all.some(({ type }) => type === 'DeliveryAccepted') && all
  })
  t.true(written.length > 4)
  const heard = written.filter(({ type }) => !LEFT_OUT.has(type))
  t.deepEqual(
    heard.map(({ type }) => type),
    ['ChallengeSettled'],
  )
})

test('N-118 whatever changes a stream that a process keeps is heard', (t) => {
  for (const { category, evolve } of Object.values(deciders))
    if (isKept(`${category}-1`)) for (const type of Object.keys(evolve)) t.false(LEFT_OUT.has(type), type)
  t.true(LEFT_OUT.size > 50)
})

test('N-118 whatever changes a row that a process keeps is heard, and what changes other rows of its read model is not', async (t) => {
  const store = newStore(t)
  await wholeHistory(store)
  const events = [...(await everything(store)), ...monthOf(), ...OTHERS]
  const happened = new Set(events.map(({ type }) => type))
  for (const { projection, table } of Object.values(HOT_TABLES)) {
    const changed = changedKeys(projection, table)
    for (const event of events) if (changed(event).length > 0) t.false(LEFT_OUT.has(event.type), event.type)
    // What is left out has to have happened, or the line above would say nothing of it.
    for (const type of Object.keys(projection.on)) if (LEFT_OUT.has(type)) t.true(happened.has(type), type)
  }
  t.true(LEFT_OUT.has('CreditDebited'))
})

/** What happens in no history of the tests, and changes rows of an account. */
const OTHERS = [
  ['LanderPackBought', 'creditAccount', { amount: '1', slots: 1 }],
  ['PointsRedeemed', 'creditAccount', { amount: '1', points: 1 }],
  ['CardRefundFailed', 'cardPayment', { accountId: 'acc_1', usd: '1', test: false }],
].map(([type, category, data]) => ({ type, stream: `${category}-acc_1`, data }) as unknown as RecordedEvent)
