/**
 * What every event store must do, whatever stands behind it. The log may hold events of others, so a test looks only at
 * streams of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestFn } from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { appendContract } from '../store/append-contract.ts'
import { all, firstOf, newEvent, newStream, type OpenStore } from '../store/events.ts'

/** Declares the whole contract for one kind of store. */
export const eventStoreContract = (test: TestFn, name: string, open: OpenStore): void => {
  reading(test, name, open)
  paging(test, name, open)
  ordering(test, name, open)
  appendContract(test, name, open)
  following(test, name, open)
  keepingUp(test, name, open)
}

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

  test(`${name}: a read from beyond the end of a stream shows nothing, and hides nothing of what is read later`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    t.deepEqual(await all(store.read(stream, 7n)), [])
    t.deepEqual(await all(store.read(stream)), [])
    await store.append(stream, -1n, [newEvent('Opened', {})])
    t.deepEqual(await all(store.read(stream, 9n)), [])
    t.is((await all(store.read(stream))).length, 1)
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
}

const paging = (test: TestFn, name: string, open: OpenStore) => {
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
    const events: RecordedEvent[] = []
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

const ordering = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: the ledger's own order rises with the position, and every way to read says the same`, async (t) => {
    const store = await open(t)
    const [a, b] = [newStream(), newStream()]
    await store.append(a, -1n, [newEvent('One'), newEvent('Two')])
    await store.append(b, -1n, [newEvent('Three')])
    await store.append(a, 1n, [newEvent('Four')])
    const ours = (e: RecordedEvent) => e.stream === a || e.stream === b
    const read = (await all(store.readAll(-1n))).filter(ours)
    t.is(read.length, 4)
    t.true(read.every((e, i) => i === 0 || e.order > (read[i - 1]?.order ?? 0n)))
    t.deepEqual(await firstOf(store, -1n, 4, ours), read)
    for (const stream of [a, b])
      t.deepEqual(
        await all(store.read(stream)),
        read.filter((e) => e.stream === stream),
      )
  })

  test(`${name}: an event that carries its place in the ledger's order keeps it, wherever it is stored`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const copied = newEvent('Copied', { n: 1 })
    const order = '4611686018427387904'
    await store.append(stream, -1n, [{ ...copied, meta: { ...copied.meta, order } }])
    const [event] = await all(store.read(stream))
    t.is(event?.order, BigInt(order))
    t.true((event?.position ?? 0n) < BigInt(order))
    t.deepEqual([event?.data, event?.at, event?.cause], [copied.data, copied.meta.at, copied.meta.cause])
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
}

const keepingUp = (test: TestFn, name: string, open: OpenStore) => {
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
