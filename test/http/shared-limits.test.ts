import test from 'ava'
import { createCallLimitRows } from '../../adapters/postgres/call-limits.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { deepTest } from '../support/deep-test.ts'
import { LIMIT, PATIENT_MS, setUp, slow } from './limits-of-several.ts'

/** Limits that several processes count together. */

type Buckets = { take(caller: string): Promise<void> | undefined }

/** Takes a token; answers the seconds to wait, 0 when there was one. */
const waitOf = async (buckets: Buckets, caller = 'a'): Promise<number> => {
  try {
    await buckets.take(caller)
    return 0
  } catch (error) {
    if (error instanceof Refusal && error.code === 'rate-limited') return error.retryAfterS ?? -1
    throw error
  }
}

/** Calls of both processes in turn until both refuse; answers how many have passed. */
const spent = async (all: readonly Buckets[], caller = 'a'): Promise<number> => {
  let passed = 0
  for (let refusals = 0; refusals < all.length; ) {
    refusals = 0
    for (const buckets of all) {
      if ((await waitOf(buckets, caller)) === 0) passed++
      else refusals++
    }
  }
  return passed
}

for (const burst of [1, 3, 10, 250])
  test(`N-113 N-09 a limit of ${burst} is ${burst} over two processes, neither more nor less`, async (t) => {
    const { start } = await setUp(t)
    const both = [await start(), await start()].map(({ buckets }) => buckets(slow(burst)))
    t.is(await spent(both), burst)
    t.is(await spent(both), 0)
    t.is(await spent(both, 'b'), burst, 'another caller has a bucket of its own')
  })

test('N-113 calls that three processes take at once are as many as the limit lets through', async (t) => {
  const { start } = await setUp(t)
  const all = [await start(), await start(), await start()].map(({ buckets }) => buckets(slow(40)))
  const waits = await Promise.all(all.flatMap((buckets) => Array.from({ length: 30 }, () => waitOf(buckets))))
  t.is(waits.filter((wait) => wait === 0).length + (await spent(all)), 40)
  t.is(await spent(all), 0)
})

test('N-113 what a process holds and does not use comes to the others a second later', async (t) => {
  const { start } = await setUp(t)
  const clock = { ms: 0 }
  const idle = (await start({ nowMs: () => clock.ms })).buckets(slow(100))
  const busy = (await start()).buckets(slow(100))
  // With the fifth call the process gets three for more of them, which never come.
  for (let n = 0; n < 5; n++) t.is(await waitOf(idle), 0)
  t.is(await spent([busy]), 92)
  clock.ms = 1_000
  let passed = 0
  const until = performance.now() + 20_000
  while (passed < 3 && performance.now() < until) passed += await spent([busy])
  t.is(passed, 3)
  t.is(await spent([idle, busy]), 0)
})

test('N-113 a limit that is used up still is after a stop, and a stop gives back what was not used', async (t) => {
  const { start } = await setUp(t)
  const first = await start()
  const buckets = first.buckets(slow(100))
  for (let n = 0; n < 10; n++) t.is(await waitOf(buckets), 0)
  await first.stop()
  const next = await start({ isNew: true })
  const second = next.buckets(slow(100))
  t.is(await spent([second]), 90)
  await next.stop()
  const third = (await start({ isNew: true })).buckets(slow(100))
  t.true((await waitOf(third)) > 0)
})

test('N-113 a process that is killed takes what it held with it, at most a quarter, and nobody gets more', async (t) => {
  const { start } = await setUp(t)
  const killed = await start()
  const buckets = killed.buckets(slow(100))
  for (let n = 0; n < 10; n++) t.is(await waitOf(buckets), 0)
  await killed.kill()
  const passed = await spent([(await start({ isNew: true })).buckets(slow(100))])
  t.true(passed <= 90 && passed >= 65, String(passed))
})

test('N-113 N-09 whoever is told to wait gets through after that time at any process, and not before', async (t) => {
  const { start, wait } = await setUp(t)
  const clock = { ms: 0 }
  const options = { nowMs: () => clock.ms }
  const rate = { perSecond: 1 / 700, burst: 2 }
  const [one, other] = [await start(options), await start(options)].map(({ buckets }) => buckets(rate))
  if (!one || !other) return t.fail()
  t.is(await spent([one, other]), 2)
  const told = await waitOf(other)
  t.true(told > 640 && told <= 700, String(told))
  const pass = async (seconds: number) => {
    await wait(seconds)
    clock.ms += seconds * 1_000
  }
  // A machine that is busy lets some time pass by itself.
  await pass(told - 60)
  for (const wait of [await waitOf(one), await waitOf(other)]) t.true(wait > 0 && wait <= 60, String(wait))
  await pass(60)
  t.is(await waitOf(one), 0)
  t.true((await waitOf(other)) > 640)
})

test('N-113 the clocks of the processes do not count, and that of PostgreSQL may be set back', async (t) => {
  const { sql, start } = await setUp(t)
  const ahead = await start({ nowMs: () => performance.now() + 86_400_000 })
  const both = [ahead, await start()].map(({ buckets }) => buckets(slow(4)))
  t.is(await spent(both), 4)
  await sql`update daybook_run.call_limits set idle_at = now() + interval '1 year'`
  const [told] = await Promise.all([waitOf((await start()).buckets({ perSecond: 1, burst: 4 }))])
  t.is(told, 5, 'it is full after twice its time')
})

deepTest(
  'N-113 a thousand calls of one key cost a few dozen statements, and a flood beyond the limit hardly more',
  async (t) => {
    const { start } = await setUp(t)
    const { buckets: made, statements } = await start()
    const buckets = made({ perSecond: 1 / 60, burst: 1_000 })
    for (let n = 0; n < 1_000; n++) t.is(await waitOf(buckets), 0)
    const spending = statements()
    t.true(spending <= 48, `${spending} statements`)
    for (let n = 0; n < 20_000; n++) t.true((await waitOf(buckets)) > 0)
    t.true(statements() - spending <= 20, `${statements() - spending} statements for the flood`)
  },
)

test('N-113 callers who come now and then cost no statement, and a thousand who come at once ten', async (t) => {
  const { start, sql } = await setUp(t)
  const { buckets: made, statements } = await start()
  const rare = made(slow(640), 'calls.visitor')
  await Promise.all(Array.from({ length: 10_000 }, (_, n) => rare.take(`c${n % 1_000}`)))
  t.is(statements(), 0, 'who keeps to the part of the process costs nothing')
  const buckets = made(slow(10))
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => buckets.take(`c${n}`)))
  t.is(statements(), 10)
  const [row] = await sql`select count(*)::integer as all, sum(granted) as taken from daybook_run.call_limits`
  t.deepEqual({ ...row }, { all: 1_000, taken: 1_000 })
})

test('N-113 rows of full buckets are deleted, and a row says nothing of the address', async (t) => {
  const { start, sql, wait } = await setUp(t)
  const { buckets } = await start()
  const rows = await createCallLimitRows(sql)
  const quick = buckets({ perSecond: 1, burst: 10 }, 'calls.visitor')
  await Promise.all(Array.from({ length: 300 }, (_, n) => quick.take(`n${n}`)))
  t.is(await waitOf(buckets(slow(10))), 0)
  await wait(2)
  await rows.sweep(new AbortController().signal)
  const left = await sql`select key_hash from daybook_run.call_limits`
  t.deepEqual(
    left.map(({ key_hash }) => key_hash),
    [`${LIMIT}|a`],
    'the one that is not full; its name is hashed by whoever gives it',
  )
})

test('N-113 while PostgreSQL does not answer, each process counts by itself, says so, and counts with the others again', async (t) => {
  const { start, sql } = await setUp(t)
  const { shared, buckets: made, warnings } = await start({ answerMs: 1_000 })
  const buckets = made(slow(5))
  t.is(await waitOf(buckets), 0)
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const blocking = sql.begin(async (tx) => {
    await tx`lock table daybook_run.call_limits in access exclusive mode`
    const since = performance.now()
    t.is(await spent([buckets]), 5, 'its own bucket is full')
    t.true(performance.now() - since < PATIENT_MS)
    t.true(shared.countsAlone())
    t.is(await spent([made(slow(5), 'calls.client')]), 5)
    letGo()
  })
  await Promise.all([blocking, held])
  // What is waited for: that PostgreSQL is tried again.
  const until = performance.now() + 20_000
  while (shared.countsAlone() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50))
  t.is(warnings.length, 2)
  t.true((await spent([buckets])) <= 4, 'what was counted before still is')
})
