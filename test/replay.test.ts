import test from 'ava'
import { compareWithReplay } from '../projections/engine/compare.ts'
import { rebuild, swap } from '../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../projections/engine/schema.ts'
import { projections } from '../projections/index.ts'
import { commerceHistory } from './projections/commerce-history.ts'
import { consoleHistory } from './projections/console-history.ts'
import { gameHistory } from './projections/game-history.ts'
import { signedPayments, wholeHistory } from './projections/history.ts'
import { sealHistory } from './projections/seal-history.ts'
import { business, contents, following } from './projections/setup.ts'
import { signInHistory } from './projections/sign-in-history.ts'
import { deepTest } from './support/deep-test.ts'
import { everything, ledgerOn, runPolicies } from './support/ledger.ts'
import { fixedWorld } from './support/world.ts'

test('read models that were dropped are the same to the byte after a replay, and a replay writes nothing', async (t) => {
  const { sql, store, ledger, start } = await following(t)
  const projectors = projections.map((projection) => start(projection))
  await wholeHistory(store)
  await signedPayments(store)
  await signInHistory(store)
  await consoleHistory(store)
  await commerceHistory(store)
  await gameHistory(store)
  await sealHistory(store)
  for (let n = 10; n < 40; n++) await business(ledger, n)
  const head = await store.head()
  for (const { progress } of projectors) t.true(await progress.reached(head, 60_000))
  for (const { stop } of projectors) await stop()
  const before = await contents(sql)
  for (const [table, rows] of Object.entries(before)) t.true(rows.length > 0, table)

  await sql`drop schema ${sql(SERVING)} cascade`
  await prepareSchema(sql, SERVING)
  for (const projection of projections) await createMissing(sql, projection)
  for (const projection of projections) {
    await rebuild(sql, store, projection)
    await swap(sql, store, projection)
  }
  t.deepEqual(await contents(sql), before)
  t.is(await store.head(), head)
  for (const projection of projections) {
    const comparison = await compareWithReplay(sql, store, projection)
    t.deepEqual(comparison.differences, [], projection.name)
    t.is(comparison.position, head)
  }
})

deepTest('projectors that find their tables gone build the same ones again by themselves', async (t) => {
  const { sql, store, start } = await following(t)
  await wholeHistory(store)
  await signedPayments(store)
  await signInHistory(store)
  await consoleHistory(store)
  await commerceHistory(store)
  await gameHistory(store)
  await sealHistory(store)
  const contentsAfter = async () => {
    const projectors = projections.map((projection) => start(projection))
    const head = await store.head()
    for (const { progress } of projectors) t.true(await progress.reached(head, 60_000))
    for (const { stop } of projectors) await stop()
    return contents(sql)
  }
  const before = await contentsAfter()
  await sql`drop schema ${sql(SERVING)} cascade`
  await prepareSchema(sql, SERVING)
  for (const projection of projections) await createMissing(sql, projection)
  t.deepEqual(await contentsAfter(), before)
})

test('every policy run over a whole history again leaves the log as it is', async (t) => {
  const { store } = await following(t)
  await wholeHistory(store)
  await signedPayments(store)
  await signInHistory(store)
  await consoleHistory(store)
  await commerceHistory(store)
  await gameHistory(store)
  await sealHistory(store)
  const before = await everything(store)
  const world = fixedWorld('again')
  await runPolicies(store, ledgerOn(store, world), world)
  t.deepEqual(await everything(store), before)
})
