import test from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import type { EventStore, Feed } from '../../domain/kernel/ports.ts'
import { everything, newStore } from '../support/ledger.ts'

test('with 64 writers and consumers of every speed, each sees every event once and in order', async (t) => {
  const store = newStore(t)
  const feed = await startFeed(store)
  const total = 64 * 50
  const followers = [0, 0, 1, 7].map((slow) => follow(feed, -1n, total, slow))
  await Promise.all(Array.from({ length: 64 }, (_, w) => write(store, `w-${w}`, 50)))
  const expected = (await everything(store)).map(({ position }) => position)
  t.is(expected.length, total)
  for (const seen of await Promise.all(followers)) t.deepEqual(seen, expected)
  t.is(feed.head(), expected.at(-1) ?? 0n)
  await feed.stop()
})

test('who starts in the middle of the log gets all after that, from the store and from memory alike', async (t) => {
  const store = newStore(t)
  await write(store, 'before-1', 1_200)
  const feed = await startFeed(store)
  await write(store, 'after-1', 700)
  const positions = (await everything(store)).map(({ position }) => position)
  for (const from of [0, 1, 499, 1_199, 1_200, 1_500, 1_898]) {
    const rest = positions.slice(from + 1)
    t.deepEqual(await follow(feed, positions[from] as bigint, rest.length, 0), rest, `from ${from}`)
  }
  await feed.stop()
})

test('a follower further behind than the memory reaches reads the rest from the store, without a gap', async (t) => {
  const store = newStore(t)
  const feed = await startFeed(store)
  const total = 24_000
  const slow = follow(feed, -1n, total, 2)
  for (let n = 0; n < 8; n++) await write(store, `big-${n}`, total / 8, 500)
  const expected = (await everything(store)).map(({ position }) => position)
  t.deepEqual(await slow, expected)
  t.deepEqual(await follow(feed, -1n, total, 0), expected)
  await feed.stop()
})

test('one follower that ends does not disturb the others, which wait without turning', async (t) => {
  const store = newStore(t)
  const feed = await startFeed(store)
  const leaving = new AbortController()
  const left = drain(feed, leaving.signal)
  const staying = follow(feed, -1n, 3, 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  leaving.abort()
  t.is(await left, 0)
  // If a waiting follower turned without end, no timer would ever run again.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await write(store, 'late-1', 3)
  t.is((await staying).length, 3)
  await feed.stop()
})

test('an aborted follower ends, also between two pages of the store', async (t) => {
  const store = newStore(t)
  await write(store, 'old-1', 1_500)
  const feed = await startFeed(store)
  const stop = new AbortController()
  let seen = 0
  for await (const page of feed.after(-1n, stop.signal)) {
    seen += page.length
    stop.abort()
  }
  t.true(seen > 0 && seen < 1_500)
  t.is(await drain(feed, AbortSignal.abort()), 0)
  await feed.stop()
})

const drain = async (feed: Feed, signal: AbortSignal): Promise<number> => {
  let events = 0
  for await (const page of feed.after(-1n, signal)) events += page.length
  return events
}

/** Positions of the first `count` events after one; `slow` is a pause after each page, in milliseconds. */
const follow = async (feed: Feed, after: bigint, count: number, slow: number): Promise<bigint[]> => {
  const enough = new AbortController()
  const positions: bigint[] = []
  for await (const page of feed.after(after, enough.signal)) {
    positions.push(...page.map(({ position }) => position))
    if (positions.length >= count) enough.abort()
    else if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow))
  }
  return positions
}

const write = async (store: EventStore, stream: string, count: number, size = 50) => {
  const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } }
  const event = () => ({ id: crypto.randomUUID(), type: 'Written', data: {}, meta })
  for (let done = 0; done < count; done += size)
    await store.append(stream, BigInt(done - 1), Array.from({ length: Math.min(size, count - done) }, event))
}
