import test from 'ava'
import { deciders } from '../../domain/write-side/deciders.ts'
import { eventually } from '../../src/demo/stage.ts'
import { HOT_READ_MODELS } from '../../src/engine/hot-rows.ts'
import { isKept, LEFT_OUT, PASSING } from '../../src/engine/passing.ts'
import { startApp } from '../support/app.ts'
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

test('N-118 whatever changes a stream or a row that a process keeps is heard', (t) => {
  for (const { category, evolve } of Object.values(deciders))
    if (isKept(`${category}-1`)) for (const type of Object.keys(evolve)) t.false(LEFT_OUT.has(type), type)
  for (const { on } of HOT_READ_MODELS) for (const type of Object.keys(on)) t.false(LEFT_OUT.has(type), type)
  t.true(LEFT_OUT.size > 50)
})
