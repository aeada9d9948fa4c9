import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
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

test('a follower is not woken for what it passes, and knows how far it has come all the same', async (t) => {
  const store = newStore(t)
  await write(store, 'old-1', 1_200, 400, 'Passed')
  const feed = await startFeed(store)
  const { seen, places, stop } = passing(feed, -1n, ['Written'])
  await eventually('the old ones', () => places.at(-1) === feed.head())
  for (let n = 0; n < 5; n++) await write(store, `passed-${n}`, 3, 3, 'Passed')
  await eventually('the new ones', async () => places.at(-1) === (await store.head()))
  t.deepEqual(seen, [])
  await write(store, 'written-1', 1, 1)
  const { position } = (await everything(store)).at(-1) as RecordedEvent
  await eventually('what it wants', () => seen.at(-1) === position)
  await write(store, 'passed-9', 1, 1, 'Passed')
  await eventually('the last one', async () => places.at(-1) === (await store.head()))
  t.deepEqual(seen, [position])
  t.deepEqual(places, places.toSorted(inOrder))
  await stop()
  await feed.stop()
})

test('a follower that begins beyond the newest event is told of none before its place', async (t) => {
  const store = newStore(t)
  await write(store, 'old-1', 1, 1)
  const feed = await startFeed(store)
  const beyond = (await store.head()) * 1_000n + 1_000n
  const { seen, places, stop } = passing(feed, beyond, ['Written'])
  await write(store, 'passed-1', 3, 1, 'Passed')
  await write(store, 'written-1', 3, 1)
  await eventually('the new ones', async () => feed.head() === (await store.head()))
  t.true(feed.head() < beyond)
  t.deepEqual([seen, places], [[], []])
  await stop()
  await feed.stop()
})

test('with 64 writers and followers that pass much, each sees what it wants once and in order', async (t) => {
  const { store, feed } = await leavingOut(t, 0)
  const following = [0, 1, 7].flatMap((slow) =>
    [['Written'], ['Passed'], ['Written', 'Other']].map((wanted) => ({
      wanted,
      ...passing(feed, -1n, wanted, slow),
    })),
  )
  const types = ['Written', 'Passed', 'Other']
  const writing = Array.from({ length: 64 }, async (_, w) => {
    for (let n = 0; n < 12; n++) await write(store, `w-${w}-${n}`, 1 + (n % 3), 3, types[(w + n) % 3])
  })
  // Others come and go meanwhile, after whom followers that are left find that some were left out.
  for (let n = 0; n < 20; n++) {
    const { stop } = passing(feed, feed.head(), ['Other'])
    await pause(3)
    await stop()
  }
  await Promise.all(writing)
  const all = await everything(store)
  for (const { wanted, seen, places, stop } of following) {
    await eventually('the head', () => places.at(-1) === all.at(-1)?.position)
    await stop()
    const expected = all.filter(({ type }) => wanted.includes(type)).map(({ position }) => position)
    t.deepEqual(seen, expected)
    t.deepEqual(places, [...new Set(places)].toSorted(inOrder))
  }
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

test('N-118 who has no follower hears of nothing that is left out, and each follower sees all the same every event once', async (t) => {
  const { store, heard, missed, feed } = await leavingOut(t, 30)
  await eventually('what is left out', () => !feed.hearsAll())
  await write(store, 'kept-1', 2)
  await write(store, 'passing-1', 1_200, 400, 'Passed')
  await write(store, 'kept-2', 3)
  await eventually('the kept ones', () => heard.length === 5)
  t.deepEqual(new Set(heard.map(({ type }) => type)), new Set(['Written']))
  t.is(missed(), 0)
  const expected = (await everything(store)).map(({ position }) => position)
  const middle = expected[700] as bigint
  const [whole, rest] = await Promise.all([
    follow(feed, -1n, expected.length, 0),
    follow(feed, middle, expected.length - 701, 1),
  ])
  t.deepEqual(whole, expected)
  t.deepEqual(rest, expected.slice(701))
  t.true(feed.hearsAll())
  t.is(missed(), 1)
  // What comes while somebody follows arrives whatever it is; afterwards some of it is left out again.
  const before = heard.length
  const following = follow(feed, feed.head(), 4, 0)
  await write(store, 'passing-2', 4, 4, 'Passed')
  t.is((await following).length, 4)
  t.deepEqual(
    heard.slice(before).map(({ type }) => type),
    Array(4).fill('Passed'),
  )
  await eventually('what is left out again', () => !feed.hearsAll())
  await feed.stop()
})

test('N-118 who follows after events were left out misses none of those that are written meanwhile', async (t) => {
  const { store, feed } = await leavingOut(t, 0)
  const total = 40 * 20
  const writing = Promise.all(
    Array.from({ length: 40 }, async (_, w) => {
      await pause(w * 5)
      await write(store, `w-${w}`, 20, 4, w % 2 === 0 ? 'Passed' : 'Written')
    }),
  )
  const seen: bigint[][] = []
  // Each comes, sees some and goes, so that what arrives changes again and again while others write.
  for (let n = 0; n < 30; n++) {
    seen.push(await follow(feed, -1n, 10 + n, 0))
    await pause(3)
  }
  await writing
  const expected = (await everything(store)).map(({ position }) => position)
  t.is(expected.length, total)
  for (const each of seen) t.deepEqual(each, expected.slice(0, each.length))
  t.deepEqual(await follow(feed, -1n, total, 0), expected)
  await feed.stop()
})

test('N-118 what was found to be left out alone moves the head, and is read by who follows then', async (t) => {
  const { store, feed } = await leavingOut(t, 0)
  await eventually('what is left out', () => !feed.hearsAll())
  await write(store, 'passing-1', 5, 5, 'Passed')
  const head = await store.head()
  t.true(feed.head() < head)
  feed.foundUpTo(head)
  t.is(feed.head(), head)
  t.is((await follow(feed, -1n, 5, 0)).at(-1), head)
  // While all is heard, only what arrives tells how far it has come.
  feed.foundUpTo(head + 100n)
  t.is(feed.head(), head)
  await feed.stop()
})

/** A feed over a store that leaves out what it may. */
const leavingOut = async (t: ExecutionContext, leaveOutAfterMs: number) => {
  const real = newStore(t)
  const store: EventStore = {
    ...real,
    async *subscribe(after, signal, leftOut = new Set()) {
      for await (const page of real.subscribe(after, signal)) yield page.filter(({ type }) => !leftOut.has(type))
    },
  }
  const heard: RecordedEvent[] = []
  let missed = 0
  const hearers = {
    arrived: (page: readonly RecordedEvent[]) => void heard.push(...page),
    missed: () => void missed++,
    leftOut: new Set(['Passed']),
  }
  return { store, heard, missed: () => missed, feed: await startFeed(store, hearers, leaveOutAfterMs) }
}

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

/** Follows what is wanted: the positions that it has seen, and all that it has come to by pages or without them. */
const passing = (feed: Feed, after: bigint, wanted: readonly string[], slow = 0) => {
  const stopping = new AbortController()
  const seen: bigint[] = []
  const places: bigint[] = []
  const come = (last: RecordedEvent | undefined) => void (last && places.push(last.position))
  const wants = (type: string) => wanted.includes(type)
  const ended = (async () => {
    for await (const page of feed.after(after, stopping.signal, { wants, passed: come })) {
      // A page begins after all that was passed.
      if (page.length > 1) come(page[0])
      seen.push(...page.filter(({ type }) => wants(type)).map(({ position }) => position))
      if (slow > 0) await pause(slow)
      come(page.at(-1))
    }
  })()
  const stop = () => {
    stopping.abort()
    return ended
  }
  return { seen, places, stop }
}

const inOrder = (a: bigint, b: bigint) => Number(a - b)

const write = async (store: EventStore, stream: string, count: number, size = 50, type = 'Written') => {
  const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } }
  const event = () => ({ id: crypto.randomUUID(), type, data: {}, meta })
  for (let done = 0; done < count; done += size)
    await store.append(stream, BigInt(done - 1), Array.from({ length: Math.min(size, count - done) }, event))
}
