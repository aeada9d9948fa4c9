/** Copying byte for byte, between every two kinds of store, and finding what is not the same. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { type ByteLog, copyOf, type LogPlace, orderOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'
import { MAX_EVENT_BYTES } from '../../adapters/store/base/limits.ts'
import { bytesOf, encodedEvents } from '../../adapters/store/base/recorded.ts'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { compareLogs, LogDifference } from '../../src/migration/compare.ts'
import { copyEvents } from '../../src/migration/copy.ts'
import { placesOf } from '../../src/migration/places.ts'
import { newEvent } from '../store/events.ts'
import { newDirectory, newNode } from '../store/open.ts'

const BASE = 1_000n
const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'c' } }

test('a copy adds its place in the order to the metadata and leaves every other byte as it was', (t) => {
  const rest = fc.record({ v: fc.nat(), at: fc.string(), cause: fc.dictionary(fc.string(), fc.jsonValue()) })
  const bytes = fc.uint8Array()
  fc.assert(
    fc.property(rest, bytes, fc.bigInt(0n, 2n ** 62n), fc.bigInt(0n, 2n ** 61n), (stored, data, position, base) => {
      const metadata = Buffer.from(JSON.stringify(stored))
      const event = { ...place, position, data, metadata }
      const copy = copyOf(event, base)
      const text = Buffer.from(copy.metadata).toString()
      t.is(text.replace(`,"order":"${position + base}"}`, '}'), metadata.toString())
      t.deepEqual(JSON.parse(text), { ...JSON.parse(metadata.toString()), order: String(position + base) })
      t.deepEqual({ ...copy, metadata }, event)
      t.is(orderOf(copy, 7n), position + base)
      t.is(copyOf(copy, 99n), copy)
    }),
  )
})

const kinds = {
  file: async (t: ExecutionContext) => embeddedPlace(join(newDirectory(t), 'events.db')),
  EventStoreDB: async (t: ExecutionContext) => eventStoreDbPlace((await newNode(t)).url, 'esdb://there', () => {}),
}

for (const [from, openSource] of Object.entries(kinds))
  for (const [to, openTarget] of Object.entries(kinds))
    test(`a log is copied from ${from} to ${to} in its order and to the byte`, async (t) => {
      const [source, target] = [await opened(t, openSource), await opened(t, openTarget)]
      await written(source)
      const original = { bytes: source.bytes, base: BASE, head: await source.store.head() }
      await copyEvents(original, target.bytes, -1n, () => {})
      const copy = { bytes: target.bytes, head: await target.store.head() }
      const pairs: [bigint, bigint][] = []
      const compared = await compareLogs(original, copy, (...pair) => pairs.push(pair))
      t.like(compared, { events: EVENTS, shorter: false, next: undefined, order: original.head + BASE })
      t.is(pairs.length, EVENTS)
      t.true(pairs.every(([a, b], i) => i === 0 || (a > (pairs[i - 1]?.[0] ?? a) && b > (pairs[i - 1]?.[1] ?? b))))
      // The port says the same of both, but for the place in the store.
      const said = async ({ store }: LogPlace) =>
        (await Array.fromAsync(store.readAll(-1n))).flat().map(({ position: _, order: __, ...event }) => event)
      t.deepEqual(await said(target), await said(source))
    })

test('a copy that is cut off at any append is the beginning of the log, and goes on from there', async (t) => {
  const source = await opened(t, kinds.file)
  for (let n = 0; n < 15; n++)
    await source.store.append(`thing-${n % 4}`, BigInt(Math.floor(n / 4) - 1), [newEvent('A', { n })])
  const original = { bytes: source.bytes, base: BASE, head: await source.store.head() }
  for (let at = 0; at < 15; at++)
    for (const landed of [false, true]) {
      const target = await opened(t, kinds.file)
      const compared = async () =>
        compareLogs(original, { bytes: target.bytes, head: await target.store.head() }, () => {})
      await t.throwsAsync(
        copyEvents(original, dying(target, at, landed), -1n, () => {}),
        { message: 'killed' },
      )
      const part = await compared()
      t.is(part.events, landed ? at + 1 : at)
      await copyEvents(original, target.bytes, part.original, () => {})
      // What the run before had sent comes in late: it is our own, so it changes nothing.
      await copyEvents(original, target.bytes, -1n, () => {})
      t.like(await compared(), { events: 15, shorter: false, next: undefined })
    }
})

/** Dies at an append, before it is made or when it is; nothing that it does afterwards arrives. */
const dying = ({ bytes }: LogPlace, at: number, landed: boolean): ByteLog => {
  let left = at
  let newest: Promise<void> = Promise.resolve()
  return {
    ...bytes,
    append: async (...call) => {
      left--
      if (left >= 0 || (left === -1 && landed)) newest = bytes.append(...call)
      await newest
      if (left < 0) throw new Error('killed')
    },
  }
}

const changes: Readonly<Record<string, (event: StoredBytes) => Partial<StoredBytes>>> = {
  data: () => ({ data: Buffer.from('{"n": 1}') }),
  metadata: () => ({ metadata: Buffer.from(JSON.stringify({ ...meta, order: '3' })) }),
  type: () => ({ type: 'Other' }),
  id: () => ({ id: randomUUID() }),
  'content type': () => ({ contentType: 'application/octet-stream' }),
}

for (const [part, change] of Object.entries(changes))
  test(`an event whose ${part} is not that of the original is found and named`, async (t) => {
    const [source, target] = [await opened(t, kinds.file), await opened(t, kinds.file)]
    for (const n of [0, 1, 2]) await source.store.append(`thing-${n}`, -1n, [newEvent('Counted', { n })])
    const original = { bytes: source.bytes, base: 0n, head: await source.store.head() }
    for await (const page of source.bytes.readAll(-1n, original.head))
      for (const event of page) {
        const copy = copyOf(event, 0n)
        await target.bytes.append(event.stream, -1n, [{ ...copy, ...(event.stream === 'thing-1' ? change(copy) : {}) }])
      }
    const copy = { bytes: target.bytes, head: await target.store.head() }
    const error = await t.throwsAsync<LogDifference>(
      compareLogs(original, copy, () => {}),
      { instanceOf: LogDifference },
    )
    t.is(error?.expected.stream, 'thing-1')
    t.deepEqual(error?.parts, [part])
    t.regex(error?.message ?? '', new RegExp(`^event 0 of thing-1 \\(Counted, .*\\) differs in its ${part}$`))
  })

test('a follower stands in the copy behind the last event that it had seen', (t) => {
  const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), { minLength: 1 })
  fc.assert(
    fc.property(gaps, fc.array(fc.nat(100)), (steps, stands) => {
      const pairs = steps.map((_, i) => [sum(steps, i, 0), sum(steps, i, 1)] as const)
      const end = pairs.at(-1)?.[0] ?? 0n
      const wanted = [...new Set([-1, ...stands])].sort((a, b) => a - b).map(BigInt)
      const places = placesOf(wanted.filter((each) => each <= end))
      for (const pair of pairs) places.pair(...pair)
      for (const [stood, stands] of places.done())
        t.is(stands, pairs.findLast(([original]) => original <= stood)?.[1] ?? -1n)
      const beyond = placesOf([end + 1n])
      for (const pair of pairs) beyond.pair(...pair)
      t.throws(() => beyond.done(), { message: /beyond the end of the log/ })
    }),
  )
})

const sum = (steps: readonly (readonly number[])[], until: number, which: number) =>
  BigInt(steps.slice(0, until + 1).reduce((total, step) => total + (step[which] ?? 0), 0))

const place = { id: randomUUID(), stream: 'thing-1', revision: 0n, type: 'Thing', contentType: 'application/json' }

const opened = async (t: ExecutionContext, open: (t: ExecutionContext) => Promise<LogPlace>): Promise<LogPlace> => {
  const place = await open(t)
  t.teardown(() => place.close())
  return place
}

const RUNS = 60
const LONG_RUN = 602
const EVENTS = RUNS * 2 + LONG_RUN + 6 + 2

/**
 * Streams that take turns, one run longer than an append may be, one larger, the largest event there may be, and odd
 * text.
 */
const written = async ({ store }: LogPlace) => {
  for (let n = 0; n < RUNS; n++)
    await store.append(`thing-${n % 7}`, BigInt(Math.floor(n / 7) * 2 - 1), [
      newEvent('A', { n }),
      newEvent('B', { n }),
    ])
  for (let n = 0; n < LONG_RUN; n += 301)
    await store.append(
      'long-1',
      BigInt(n - 1),
      Array.from({ length: 301 }, (_, i) => newEvent('Long', { n: n + i })),
    )
  for (let n = 0; n < 6; n++) await store.append('large-1', BigInt(n - 1), [newEvent('Large', { x: 'x'.repeat(2e5) })])
  const [empty] = encodedEvents('full-1', [newEvent('Full', { x: '' })])
  const room = MAX_EVENT_BYTES - bytesOf(empty as NonNullable<typeof empty>)
  await store.append('full-1', -1n, [newEvent('Full', { x: 'x'.repeat(room) })])
  await store.append('straße-日本', -1n, [
    newEvent('Ünïcode', { 'ключ "\\': '😀 \u0000 \u2028 \ud800', '1': -0, a: 1e21 }),
  ])
}
