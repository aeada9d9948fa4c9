import test from 'ava'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { compareWithReplay } from '../../projections/engine/compare.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { checkpointOf, NEXT, SERVING } from '../../projections/engine/schema.ts'
import { resourcesProjection } from '../../projections/selling/resources.ts'
import { eventually } from '../../src/demo/stage.ts'
import { everything } from '../support/ledger.ts'
import { business, contents, following } from './setup.ts'

const both = [accountsProjection, resourcesProjection]
const raised = (projection: Projection): Projection => ({ ...projection, version: projection.version + 1 })

test('a first build over a log that is not empty counts every event once', async (t) => {
  const { sql, store, ledger, start } = await following(t, both)
  for (let n = 0; n < 30; n++) await business(ledger, n)
  const head = await store.head()
  const projector = start(accountsProjection)
  t.true(await projector.progress.reached(head, 60_000))
  const [row] = await sql`select sum(balance)::text as sum from credits`
  t.is(row?.sum, String((30 * 31) / 2))
  for (let n = 30; n < 40; n++) await business(ledger, n)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  await projector.stop()
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((40 * 41) / 2))
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('a new version is built while the old rows serve, then put in their place, and counts every event once', async (t) => {
  const { sql, store, ledger, start } = await following(t, both)
  for (let n = 0; n < 20; n++) await business(ledger, n)
  const old = start(accountsProjection)
  t.true(await old.progress.reached(await store.head(), 60_000))
  await old.stop()
  const before = await contents(sql, [accountsProjection])
  for (let n = 20; n < 40; n++) await business(ledger, n)

  const next = raised(accountsProjection)
  await rebuild(sql, store, next)
  t.deepEqual(await contents(sql, [accountsProjection]), before, 'the old rows still serve')
  t.is((await checkpointOf(sql, SERVING, 'accounts'))?.version, accountsProjection.version)
  const projector = start(next)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  await projector.stop()
  t.is((await checkpointOf(sql, SERVING, 'accounts'))?.version, accountsProjection.version + 1)
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((40 * 41) / 2))
  t.deepEqual((await compareWithReplay(sql, store, next)).differences, [])
})

test('a rebuild and swap under live writers loses no row and doubles none', async (t) => {
  const { sql, store, ledger, start } = await following(t, both)
  await business(ledger, 10_000)
  let stopping = false
  let written = 0
  const writers = Array.from({ length: 4 }, async (_, w) => {
    for (let n = w; !stopping; n += 4) {
      await business(ledger, n)
      written = Math.max(written, n)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  })
  t.teardown(() => {
    stopping = true
  })
  const projectors = new Map(both.map((projection) => [projection.name, start(projection)]))
  for (const { progress } of projectors.values()) t.true(await progress.reached(await store.head(), 60_000))
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 400))
    for (const projection of both) {
      await rebuild(sql, store, projection)
      await swap(sql, store, projection)
      // A projector that finds itself overtaken ends, and its keeper starts it again.
      const again = start(projection)
      await projectors
        .get(projection.name)
        ?.stop()
        .catch(() => {})
      projectors.set(projection.name, again)
    }
  }
  stopping = true
  await Promise.all(writers)
  for (const projection of both) {
    await projectors
      .get(projection.name)
      ?.stop()
      .catch(() => {})
    const last = start(projection)
    t.true(await last.progress.reached(await store.head(), 60_000))
    await last.stop()
    const comparison = await compareWithReplay(sql, store, projection)
    t.deepEqual(comparison.differences, [])
    t.true(comparison.rows > 0 && written > 50)
  }
  const granted = (await everything(store)).flatMap(({ type, data }) =>
    type === 'CreditGranted' ? [BigInt((data as { amount: string }).amount)] : [],
  )
  const sum = granted.reduce((a, b) => a + b, 0n)
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String(sum))
})

test('a swap that meets a step which has locked the tables, and waits for the checkpoint, is begun again', async (t) => {
  const { sql, store, ledger } = await following(t, both)
  for (let n = 0; n < 20; n++) await business(ledger, n)
  await rebuild(sql, store, accountsProjection)
  await swap(sql, store, accountsProjection)
  await rebuild(sql, store, raised(accountsProjection))
  const { swapping } = await sql.begin(async (step) => {
    // Whoever looks for a deadlock first is ended, and that is the swap.
    await step`set local deadlock_timeout = '60s'`
    await step`lock table ${step(SERVING)}.credits in row exclusive mode`
    const begun = swap(sql, store, raised(accountsProjection))
    await eventually('the swap to wait for the tables', async () => {
      const waiting = await sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length > 0
    })
    await step`select 1 from ${step(SERVING)}.checkpoints where name = ${accountsProjection.name} for update`
    return { swapping: begun }
  })
  await swapping
  t.is((await checkpointOf(sql, SERVING, 'accounts'))?.version, accountsProjection.version + 1)
  t.deepEqual((await compareWithReplay(sql, store, raised(accountsProjection))).differences, [])
})

test('a rebuild that was cut off goes on where it was', async (t) => {
  const { sql, store, ledger } = await following(t, both)
  for (let n = 0; n < 400; n++) await business(ledger, n)
  const half = (await everything(store))[500]?.position as bigint
  let pages = 0
  const breaking = {
    ...store,
    async *readAll(after: bigint) {
      for await (const page of store.readAll(after)) {
        if (++pages > 1) throw new Error('the process dies')
        yield page
      }
    },
  }
  await t.throwsAsync(rebuild(sql, breaking, accountsProjection), { message: 'the process dies' })
  const begun = (await checkpointOf(sql, NEXT, 'accounts'))?.position ?? -1n
  t.true(begun > 0n && begun <= half)
  const rest = await rebuild(sql, store, accountsProjection)
  t.true(rest < (await everything(store)).length)
  await swap(sql, store, accountsProjection)
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((400 * 401) / 2))
})

test('tables that were built and swapped in have the keys and indexes of those before, also after a build that was cut off', async (t) => {
  const { sql, store, ledger } = await following(t, both)
  for (let n = 0; n < 20; n++) await business(ledger, n)
  const indexes = async () =>
    (await sql`select indexdef from pg_indexes where schemaname = ${SERVING} order by 1`).map(
      ({ indexdef }) => indexdef,
    )
  const before = await indexes()
  t.true(before.some((definition) => /\(account_id\)/.test(definition)))
  for (const projection of both) {
    await rebuild(sql, store, projection, { until: () => false })
    await rebuild(sql, store, projection)
    await swap(sql, store, projection)
  }
  t.deepEqual(await indexes(), before)
})

test('two rebuilds of one read model at once count nothing twice', async (t) => {
  const { sql, store, ledger } = await following(t, both)
  for (let n = 0; n < 400; n++) await business(ledger, n)
  await rebuild(sql, store, accountsProjection, { until: () => false })
  await Promise.allSettled([rebuild(sql, store, accountsProjection), rebuild(sql, store, accountsProjection)])
  await rebuild(sql, store, accountsProjection)
  await swap(sql, store, accountsProjection)
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((400 * 401) / 2))
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('a comparison with a replay finds a changed row, a missing one and one too many', async (t) => {
  const { sql, store, ledger, start } = await following(t, both)
  for (let n = 0; n < 10; n++) await business(ledger, n)
  const projector = start(accountsProjection)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  await projector.stop()
  const compare = () => compareWithReplay(sql, store, accountsProjection)
  t.deepEqual((await compare()).differences, [])
  await sql`update credits set balance = balance + 1 where account_id = 'acc_0'`
  t.deepEqual(
    (await compare()).differences.map(({ table, side }) => `${table} ${side}`),
    ['credits serving', 'credits replayed'],
  )
  await sql`delete from credits where account_id = 'acc_0'`
  t.deepEqual(
    (await compare()).differences.map(({ side }) => side),
    ['replayed'],
  )
  await rebuild(sql, store, accountsProjection)
  await swap(sql, store, accountsProjection)
  t.deepEqual((await compare()).differences, [])
  await sql`insert into api_keys values ('k', 'acc_0', 'owner', 'h', 'hint', 'now')`
  t.deepEqual(
    (await compare()).differences.map(({ table, side }) => `${table} ${side}`),
    ['api_keys serving'],
  )
})

test('a projector of an older version moves neither rows nor checkpoint of the newer one', async (t) => {
  const { sql, store, ledger, start } = await following(t, both)
  await business(ledger, 0)
  const old = start(accountsProjection)
  t.true(await old.progress.reached(await store.head(), 60_000))
  await rebuild(sql, store, raised(accountsProjection))
  await swap(sql, store, raised(accountsProjection))
  const at = (await checkpointOf(sql, SERVING, 'accounts'))?.position
  // Nothing in these concerns the older version, so it would only write down its place.
  for (let n = 0; n < 5; n++) await ledger.letter.sent(`l${n}`, { accountId: 'acc_1', attempts: 1 })
  await new Promise((resolve) => setTimeout(resolve, 400))
  await t.throwsAsync(old.stop(), { message: /accounts has moved to/ })
  t.is((await checkpointOf(sql, SERVING, 'accounts'))?.position, at)
  await business(ledger, 1)
  const next = start(raised(accountsProjection))
  t.true(await next.progress.reached(await store.head(), 60_000))
  await next.stop()
  t.deepEqual((await compareWithReplay(sql, store, raised(accountsProjection))).differences, [])
})
