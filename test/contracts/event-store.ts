/** What every event store must do, whatever stands behind it. The log may hold events of others, so a test looks only at streams of its own. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext, TestFn } from 'ava'
import { type EventStore, type NewEvent, type Recorded, WrongRevision } from '../../domain/ports.ts'

/** Opens a store for one test; what it needs to be undone it registers with `t.teardown`. */
export type OpenStore = (t: ExecutionContext) => Promise<EventStore>

/** An event as a command would make it. */
export const newEvent = (type: string, data: object = {}, id: string = randomUUID()): NewEvent => ({
  id,
  type,
  data,
  meta: { v: 1, at: '2026-01-02T03:04:05.678Z', cause: { actor: 'tester', correlationId: 'c-1', causationId: 'e-0' } },
})

/** A stream name that no other test uses. */
export const newStream = (category = 'thing'): string => `${category}-${randomUUID()}`

export const all = async (pages: AsyncIterable<readonly Recorded[]>): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for await (const page of pages) events.push(...page)
  return events
}

/** The first events of a stream's kind that a subscription delivers, until there are `count`; then it ends the subscription. */
export const firstOf = async (
  store: EventStore,
  after: bigint,
  count: number,
  wanted: (event: Recorded) => boolean,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  const limit = AbortSignal.timeout(SUBSCRIBE_LIMIT_MS)
  const enough = new AbortController()
  for await (const page of store.subscribe(after, AbortSignal.any([limit, enough.signal]))) {
    events.push(...page.filter(wanted))
    if (events.length >= count) enough.abort()
  }
  return events
}

/** Declares the whole contract for one kind of store. */
export const eventStoreContract = (test: TestFn, name: string, open: OpenStore): void => {
  reading(test, name, open)
  appending(test, name, open)
  repeating(test, name, open)
  following(test, name, open)
}

/** Longer than any healthy store needs, shorter than the patience of the test runner. */
const SUBSCRIBE_LIMIT_MS = 30_000
const WRITERS = 64
const APPENDS_EACH = 5

const reading = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: an unknown stream is empty`, async (t) => {
    const store = await open(t)
    t.deepEqual(await all(store.read(newStream())), [])
  })

  test(`${name}: an event comes back as it was appended, with its place, its time and its cause`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const [first, second] = [
      newEvent('Opened', { name: 'first' }),
      newEvent('Closed', { deep: { list: [1, 'two', null] } }),
    ]
    const done = await store.append(stream, -1n, [first, second])
    const events = await all(store.read(stream))
    t.deepEqual(
      events.map((e) => [e.id, e.type, e.data, e.revision, e.stream]),
      [
        [first.id, 'Opened', first.data, 0n, stream],
        [second.id, 'Closed', second.data, 1n, stream],
      ],
    )
    t.deepEqual(
      events.map((e) => [e.at, e.cause]),
      [first, second].map((e) => [e.meta.at, e.meta.cause]),
    )
    t.deepEqual(done, { revision: 1n, position: events[1]?.position ?? 0n })
    t.deepEqual(await all(store.read(stream, 1n)), events.slice(1))
    t.deepEqual(await all(store.read(stream, 2n)), [])
  })

  test(`${name}: text survives to the last character`, async (t) => {
    const store = await open(t)
    const stream = newStream('straße-日本')
    const data = { 'ключ "\\': 'Zürich 😀 \u0000 \u2028 \ud800 é é', empty: '', big: '9'.repeat(10_000) }
    await store.append(stream, -1n, [newEvent('Ünïcode', data)])
    const [event] = await all(store.read(stream))
    t.deepEqual(event?.data, data)
    t.is(JSON.stringify(event?.data), JSON.stringify(data))
    t.is(event?.type, 'Ünïcode')
    t.is(event?.stream, stream)
  })

  test(`${name}: a stream longer than a page is read to its end`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    for (let i = 0; i < 3; i++)
      await store.append(
        stream,
        BigInt(i * 400 - 1),
        Array.from({ length: 400 }, (_, n) => newEvent('Counted', { n: i * 400 + n })),
      )
    const pages: number[] = []
    const events: Recorded[] = []
    for await (const page of store.read(stream)) {
      pages.push(page.length)
      events.push(...page)
    }
    t.deepEqual(
      events.map((e) => e.revision),
      Array.from({ length: 1_200 }, (_, i) => BigInt(i)),
    )
    t.true(pages.length > 1 && pages.every((length) => length <= 500))
  })

  test(`${name}: the whole log after a position leaves that event out, rises, and hides the store's own events`, async (t) => {
    const store = await open(t)
    const [a, b] = [newStream(), newStream()]
    const first = await store.append(a, -1n, [newEvent('One')])
    const second = await store.append(b, -1n, [newEvent('Two'), newEvent('Three')])
    const mine = (await all(store.readAll(first.position))).filter((e) => e.stream === a || e.stream === b)
    t.deepEqual(
      mine.map((e) => e.type),
      ['Two', 'Three'],
    )
    t.is(mine[1]?.position, second.position)
    const everything = await all(store.readAll(-1n))
    t.true(everything.every((e, i) => i === 0 || e.position > (everything[i - 1]?.position ?? 0n)))
    t.false(everything.some((e) => e.type.startsWith('$') || e.stream.startsWith('$')))
    t.true((await store.head()) >= second.position)
    t.deepEqual(await all(store.readAll(await store.head())).then((rest) => rest.filter((e) => e.stream === a)), [])
  })
}

const appending = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: a stale append is refused and leaves nothing behind`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('Kept')])
    for (const expected of [-1n, 1n, 7n])
      await t.throwsAsync(store.append(stream, expected, [newEvent('Lost'), newEvent('Lost')]), {
        instanceOf: WrongRevision,
      })
    await t.throwsAsync(store.append(newStream(), 0n, [newEvent('Lost')]), { instanceOf: WrongRevision })
    t.deepEqual(
      (await all(store.read(stream))).map((e) => e.type),
      ['Kept'],
    )
  })

  test(`${name}: of two racing appends exactly one wins`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const tries = await Promise.allSettled(['A', 'B'].map((type) => store.append(stream, -1n, [newEvent(type)])))
    t.deepEqual(tries.map((result) => result.status).sort(), ['fulfilled', 'rejected'])
    const lost = tries.find((result) => result.status === 'rejected')
    t.true(lost?.reason instanceof WrongRevision)
    t.is((await all(store.read(stream))).length, 1)
  })

  test(`${name}: what breaks a rule is refused before anything is written`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const large = (bytes: number) => newEvent('Large', { text: 'x'.repeat(bytes) })
    await t.throwsAsync(store.append(stream, -1n, []), { message: /no event/ })
    await t.throwsAsync(store.append(stream, -1n, [large(300_000)]), { message: /the most is 262144/ })
    await t.throwsAsync(
      store.append(
        stream,
        -1n,
        Array.from({ length: 6 }, () => large(200_000)),
      ),
      { message: /the most is 1048576/ },
    )
    await t.throwsAsync(store.append(stream, -1n, [newEvent('Fine'), newEvent('$own')]), { message: /\$/ })
    await t.throwsAsync(store.append(`$${stream}`, -1n, [newEvent('Fine')]), { message: /\$/ })
    await t.throwsAsync(store.append(stream, -1n, [newEvent('Fine', {}, 'no-uuid')]), { message: /UUID/ })
    t.deepEqual(await all(store.read(stream)), [])
    await store.append(
      stream,
      -1n,
      Array.from({ length: 4 }, () => large(250_000)),
    )
    t.is((await all(store.read(stream))).length, 4)
  })

  test(`${name}: pipelined appends to one stream succeed in the order of the calls`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const calls = Array.from({ length: 50 }, (_, i) => store.append(stream, BigInt(i - 1), [newEvent('Step', { i })]))
    const done = await Promise.all(calls)
    t.deepEqual(
      done.map((d) => d.revision),
      done.map((_, i) => BigInt(i)),
    )
    t.true(done.every((d, i) => i === 0 || d.position > (done[i - 1]?.position ?? 0n)))
    t.deepEqual(
      (await all(store.read(stream))).map((e) => (e.data as { i: number }).i),
      done.map((_, i) => i),
    )
  })
}

const repeating = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: a repeat of the same ids at the same revision answers as the first time, also long after`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const events = [newEvent('One'), newEvent('Two')]
    const first = await store.append(stream, -1n, events)
    t.deepEqual(await store.append(stream, -1n, events), first)
    await store.append(stream, 1n, [newEvent('Later')])
    t.deepEqual(await store.append(stream, -1n, events), first)
    t.deepEqual(
      (await all(store.read(stream))).map((e) => e.type),
      ['One', 'Two', 'Later'],
    )
  })

  test(`${name}: a repeat that overtakes the first answer is still written once`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const events = [newEvent('One'), newEvent('Two')]
    const [first, again] = await Promise.all([store.append(stream, -1n, events), store.append(stream, -1n, events)])
    t.deepEqual(first, again)
    t.is((await all(store.read(stream))).length, 2)
  })

  test(`${name}: other ids at a revision that is taken are a conflict, also when the first of them is the same`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const [one, two] = [newEvent('One'), newEvent('Two')]
    await store.append(stream, -1n, [one, two])
    for (const events of [[newEvent('One')], [one, newEvent('Other')], [one, two, newEvent('More')]])
      await t.throwsAsync(store.append(stream, -1n, events), { instanceOf: WrongRevision })
    t.is((await all(store.read(stream))).length, 2)
  })
}

const following = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: a subscription starts right after its position and then shows what comes, in order`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const { position } = await store.append(stream, -1n, [newEvent('Before')])
    await store.append(stream, 0n, [newEvent('After'), newEvent('After')])
    const following = firstOf(store, position, 4, (e) => e.stream === stream)
    await sleep(50)
    await store.append(stream, 2n, [newEvent('Live')])
    await store.append(stream, 3n, [newEvent('Live')])
    const events = await following
    t.deepEqual(
      events.map((e) => [e.type, e.revision]),
      [
        ['After', 1n],
        ['After', 2n],
        ['Live', 3n],
        ['Live', 4n],
      ],
    )
  })

  test(`${name}: an abort ends a subscription, also one that waits`, async (t) => {
    const store = await open(t)
    const stop = new AbortController()
    const running = all(store.subscribe(await store.head(), stop.signal))
    await sleep(100)
    stop.abort()
    await running
    t.deepEqual(await all(store.subscribe(-1n, AbortSignal.abort())), [])
  })

  test(`${name}: a subscriber that leaves early leaves nothing running`, async (t) => {
    const store = await open(t)
    await store.append(newStream(), -1n, [newEvent('Seen')])
    const stop = new AbortController()
    for await (const page of store.subscribe(-1n, stop.signal)) {
      t.true(page.length > 0)
      break
    }
    await t.notThrowsAsync(store.append(newStream(), -1n, [newEvent('Next')]))
  })

  test(`${name}: with ${WRITERS} writers and a live subscriber every acknowledged event is seen once and in order`, async (t) => {
    const store = await open(t)
    const streams = new Set(Array.from({ length: WRITERS }, () => newStream()))
    const following = firstOf(store, await store.head(), WRITERS * APPENDS_EACH, (e) => streams.has(e.stream))
    const write = async (stream: string) => {
      const positions: bigint[] = []
      for (let i = 0; i < APPENDS_EACH; i++)
        positions.push((await store.append(stream, BigInt(i - 1), [newEvent('Wrote', { i })])).position)
      return positions
    }
    const acknowledged = (await Promise.all([...streams].map(write))).flat()
    const seen = await following
    const rising = (a: bigint, b: bigint) => (a < b ? -1 : 1)
    t.deepEqual(
      seen.map((e) => e.position),
      acknowledged.toSorted(rising),
    )
    for (const own of Map.groupBy(seen, (e) => e.stream).values())
      t.deepEqual(
        own.map((e) => e.revision),
        Array.from({ length: APPENDS_EACH }, (_, i) => BigInt(i)),
      )
  })
}
