import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Feed } from '../../domain/kernel/following.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { compareWithReplay } from '../../projections/engine/compare.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { checkpointOf, SERVING } from '../../projections/engine/schema.ts'
import { eventually } from '../../src/demo/stage.ts'
import { everything } from '../support/ledger.ts'
import { business, contents, following } from './setup.ts'

const HOUR_MS = 3_600_000

test('events are counted once while one transaction in four fails half way', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  await business(ledger, 0)
  const first = start(accountsProjection)
  t.true(await first.progress.reached(await store.head(), 60_000))
  await first.stop()
  // The rows are written by then, the checkpoint is not. A count that nothing takes back says which fail, not chance.
  await sql.unsafe(`
    create sequence public.tries;
    create function fail_at_times() returns trigger language plpgsql as
      $$ begin if nextval('public.tries') % 4 = 1 then raise exception 'no room'; end if; return new; end $$;
    create trigger at_times before update on daybook.checkpoints for each row execute function fail_at_times();`)
  let running = true
  let failures = 0
  let current: ReturnType<typeof start> | undefined
  const keeper = (async () => {
    while (running) {
      current = start(accountsProjection)
      await current.ended.catch(() => failures++)
    }
  })()
  for (let n = 1; n < 150; n++) {
    await business(ledger, n)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  running = false
  await current?.stop().catch(() => {})
  await keeper
  await sql`drop trigger at_times on daybook.checkpoints`
  const last = start(accountsProjection)
  t.true(await last.progress.reached(await store.head(), 60_000))
  await last.stop()
  t.true(failures > 0)
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((150 * 151) / 2))
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('two projectors on one read model count each event once, and the one that is overtaken ends', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  await business(ledger, 0)
  const first = start(accountsProjection)
  t.true(await first.progress.reached(await store.head(), 60_000))
  const second = start(accountsProjection)
  for (let n = 1; n < 60; n++) {
    await business(ledger, n)
    if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 15))
  }
  const head = await store.head()
  t.true((await Promise.all([first, second].map((p) => p.progress.reached(head, 3_000)))).some(Boolean))
  const ends = await Promise.allSettled([first.stop(), second.stop()])
  for (const end of ends) if (end.status === 'rejected') t.regex(String(end.reason), /accounts has moved to/)
  t.is((await sql`select sum(balance)::text as sum from credits`)[0]?.sum, String((60 * 61) / 2))
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('rows and checkpoint move together: a batch that fails moves neither', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  await business(ledger, 0)
  const projector = start(accountsProjection)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  const before = await checkpointOf(sql, SERVING, 'accounts')
  // A cloud token of an account that never signed up: its row is missing.
  await store.append('account-acc_9', -1n, [
    {
      id: crypto.randomUUID(),
      type: 'AccountActivated',
      data: { emailFingerprint: 'f' },
      meta: { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } },
    },
  ])
  await t.throwsAsync(projector.ended, { message: /accounts has no row acc_9/ })
  t.deepEqual(await checkpointOf(sql, SERVING, 'accounts'), before)
})

test('what does not concern a read model still moves its place, a little later', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  const projector = start(accountsProjection)
  await ledger.letter.sent('l1', { accountId: 'acc_1', attempts: 1 })
  const head = await store.head()
  t.true(await projector.progress.reached(head, 60_000))
  const at = async () => (await checkpointOf(sql, SERVING, 'accounts'))?.position
  t.true(await eventually('the place', async () => (await at()) === head))
  await projector.stop()
})

test('a stop writes down how far the read model is', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  const projector = start(accountsProjection)
  for (let n = 0; n < 5; n++) await ledger.letter.sent(`l${n}`, { accountId: 'acc_1', attempts: 1 })
  const head = (await everything(store)).at(-1)?.position ?? 0n
  t.true(await projector.progress.reached(head, 60_000))
  await projector.stop()
  t.is((await checkpointOf(sql, SERVING, 'accounts'))?.position, head)
})

test('what a crash of the database took back is applied again, also when nothing new comes', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  await business(ledger, 0)
  const before = await contents(sql, [accountsProjection])
  const place = await checkpointOf(sql, SERVING, accountsProjection.name)
  const projector = start(accountsProjection)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  // The transactions that were not flushed are gone, rows and checkpoint together.
  t.deepEqual(Object.values(before).flat(), [])
  for (const { name } of accountsProjection.tables) await sql`delete from ${sql(name)}`
  await sql`update checkpoints set position = ${String(place?.position)} where name = ${accountsProjection.name}`
  await t.throwsAsync(projector.ended, { message: /accounts has moved to/ })
  const again = start(accountsProjection)
  t.true(await again.progress.reached(await store.head(), 60_000))
  await again.stop()
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('a read model that lost its last step does not take the next one', async (t) => {
  const { sql, store, ledger, start } = await following(t, [accountsProjection])
  const projector = start(accountsProjection)
  await business(ledger, 0)
  t.true(await projector.progress.reached(await store.head(), 60_000))
  for (const { name } of accountsProjection.tables) await sql`delete from ${sql(name)}`
  await sql`update checkpoints set position = -1 where name = ${accountsProjection.name}`
  await business(ledger, 1)
  await t.throwsAsync(projector.ended, { message: /accounts has moved to -1/ })
  const again = start(accountsProjection)
  t.true(await again.progress.reached(await store.head(), 60_000))
  await again.stop()
  t.deepEqual((await compareWithReplay(sql, store, accountsProjection)).differences, [])
})

test('N-173 a read model that nobody waits for takes what has come meanwhile by one step', async (t) => {
  const steps: number[] = []
  const counted: Projection = {
    ...accountsProjection,
    async written(_, page) {
      steps.push(page.length)
    },
  }
  const { store, ledger, start } = await following(t, [counted])
  const { progress, stop } = start(counted, store, HOUR_MS)
  await business(ledger, 1)
  t.true(await progress.reached(await store.head(), 60_000))
  const before = steps.length
  for (let n = 2; n < 12; n++) await business(ledger, n)
  t.true(await progress.reached(await store.head(), 60_000), 'who waits is not kept waiting by a rest')
  t.true(steps.length - before <= 3, steps.join())
  // While somebody waits for what has not come yet, it does not rest.
  const later = progress.reached((await store.head()) + 1n, 60_000)
  await business(ledger, 12)
  t.true(await later)
  await stop()
})

test('N-173 a read model that is behind does not rest', async (t) => {
  const { store, ledger, start } = await following(t, [accountsProjection])
  await business(ledger, 0)
  const built = start(accountsProjection)
  t.true(await built.progress.reached(await store.head(), 60_000))
  await built.stop()
  const begun = built.progress.at()
  for (let n = 1; n < 161; n += 20) await Promise.all(Array.from({ length: 20 }, (_, m) => business(ledger, n + m)))
  const all = (await everything(store)).filter(({ position }) => position > begun)
  const [first, rest] = [all.slice(0, 250), all.slice(250)]
  const isTaken = async () => {
    for (let tries = 0; tries < 2_000 && progress.at() < (first.at(-1)?.position ?? 0n); tries++) await sleep(10)
  }
  const feed = {
    async *after(_: bigint, signal: AbortSignal) {
      yield first
      await isTaken()
      yield rest
      if (!signal.aborted) await once(signal, 'abort')
    },
  } as unknown as Feed
  const { progress, stop } = start(accountsProjection, store, HOUR_MS, feed)
  const head = await store.head()
  for (let tries = 0; tries < 2_000 && progress.at() < head; tries++) await sleep(10)
  t.is(progress.at(), head)
  await stop()
})
