import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Reactor, type ReactorBounds, type ReactorRules, runReactor } from '../../adapters/following/reactor.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { HANG_MS } from '../support/depth.ts'
import { turns } from '../support/ledger.ts'
import { type MemoryStore, memoryStore } from '../support/memory-store.ts'

/** How a reactor keeps the order of keys. The keys of an event are the letters of its stream's id. */

test('N-110 events of different keys are reacted to at once, those that share one in the order of the log', async (t) => {
  const { write, started, finish } = await following(t, { concurrency: 8 })
  await write('a', 'b', 'ab', 'c', 'a', 'b', 'bc')
  t.deepEqual(started(), ['a1', 'b2', 'c4'])
  await finish('a1')
  t.deepEqual(started(), ['a1', 'b2', 'c4'], 'ab waits for b too')
  await finish('c4')
  t.deepEqual(started(), ['a1', 'b2', 'c4'], 'bc waits for ab and b')
  await finish('b2')
  t.deepEqual(started(), ['a1', 'b2', 'c4', 'ab3'])
  await finish('ab3')
  t.deepEqual(started().slice(4), ['a5', 'b6'])
  await finish('b6')
  t.deepEqual(started().slice(6), ['bc7'])
})

test('N-110 no more reactions than the bound are under way, and the next begins as soon as one has ended', async (t) => {
  const { write, started, finish } = await following(t, { concurrency: 2 })
  await write('a', 'b', 'c', 'd', 'e', 'f')
  t.deepEqual(started(), ['a1', 'b2'])
  await finish('b2')
  t.deepEqual(started(), ['a1', 'b2', 'c3'])
  for (const each of ['a1', 'c3', 'd4', 'e5', 'f6']) await finish(each)
  t.deepEqual(started(), ['a1', 'b2', 'c3', 'd4', 'e5', 'f6'])
})

test('N-110 how far a reactor has come is the lowest that is not done, and a restart does the rest of each key', async (t) => {
  const first = await following(t, { concurrency: 8 })
  await first.write('a', 'b', 'a', 'c', 'b')
  await first.finish('b2')
  await first.finish('c4')
  t.is(first.progress.at(), -1n)
  await first.finish('a1')
  t.is(first.progress.at(), 2n)
  // The process is cut off here, and has noted how far it had come.
  const second = await following(t, { concurrency: 8 }, { store: first.store, saved: first.progress.at })
  await turns()
  t.deepEqual(second.started(), ['a3', 'c4', 'b5'])
})

test('N-110 events that wait for one of their keys are taken together, and others are not held up by them', async (t) => {
  const { write, started, finish, progress } = await following(t, { concurrency: 8, together: 3 })
  await write('a')
  await write('a', 'b', 'a', 'ab', 'a')
  t.deepEqual(started(), ['a1', 'b3'])
  await finish('a1')
  t.deepEqual(started(), ['a1', 'b3', 'a2+a4'])
  await write('a', 'b', 'a', 'a')
  t.is(progress.at(), 1n)
  await finish('b3')
  t.is(progress.at(), 1n)
  await finish('a2+a4')
  t.deepEqual(started().slice(3), ['ab5'], 'what has another key too is taken by itself')
  t.is(progress.at(), 4n)
  await finish('ab5')
  t.deepEqual(started().slice(4), ['a6+a7+a9', 'b8'], 'no more than the bound go together')
  await finish('a6+a7+a9')
  t.deepEqual(started().slice(6), ['a10'])
})

test('N-110 a start takes what was not done of each key together', async (t) => {
  const { store, write } = await following(t, { concurrency: 1 })
  await write('a', 'a', 'b', 'a', 'b')
  const first = await following(t, { concurrency: 8, together: 8 }, { store, saved: () => -1n })
  await turns()
  t.deepEqual(first.started(), ['a1+a2+a4', 'b3+b5'])
  await first.finish('b3+b5')
  t.is(first.progress.at(), -1n)
  // The process is cut off here. Its next one finds the second of the key a as it was.
  const second = await following(t, { concurrency: 8, together: 8 }, { store, saved: () => 1n })
  await turns()
  t.deepEqual(second.started(), ['a2+a4', 'b3+b5'])
  await second.finish('a2+a4')
  await second.finish('b3+b5')
  t.is(second.progress.at(), 5n)
})

test('N-110 what has keys that nobody can tell comes between those that would go together', async (t) => {
  const { write, started, finish } = await following(t, { concurrency: 8, together: 8 })
  await write('a')
  await write('a', '!', 'a')
  await finish('a1')
  t.deepEqual(started(), ['a1', 'a2'])
  await finish('a2')
  t.deepEqual(started(), ['a1', 'a2', '!3'])
})

test('N-110 those that wait to be taken together are counted one by one towards what a reactor has open', async (t) => {
  const { write, started, finish } = await following(t, { concurrency: 8, together: 8, bounds: { open: 3 } })
  await write('a')
  await write('a', 'a', 'b')
  t.deepEqual(started(), ['a1'], 'no more is taken upon it')
  await finish('a1')
  t.deepEqual(started(), ['a1', 'a2+a3', 'b4'])
})

test('N-110 what keeps failing holds up its keys and the checkpoint, and no call waits for it', async (t) => {
  t.timeout(HANG_MS)
  const { write, started, finish, progress, saved, stop, fail } = await following(t, { concurrency: 1 })
  fail('a1')
  await write('a', 'a', 'b', 'c')
  t.false(await progress.reached(4n, 100), 'a failure that may pass is waited for')
  t.deepEqual(started(), ['a1'])
  while (!started().includes('b3')) await turns()
  await finish('b3')
  await finish('c4')
  t.true(await progress.reached(4n, 10_000))
  t.is(progress.at(), -1n)
  await write('d', 'e', 'a', 'f')
  await finish('d5')
  await finish('e6')
  await finish('f8')
  t.true(await progress.reached(8n, 1_000), 'who comes later does not wait for it either')
  t.false(started().includes('a2'))
  fail(undefined)
  while (!started().includes('a2')) await turns()
  await finish('a2')
  await finish('a7')
  t.true(await progress.reached(8n, 1_000))
  t.is(progress.at(), 8n)
  await stop()
  t.is(saved(), 8n)
  t.deepEqual(
    started().filter((name) => name.startsWith('a')),
    ['a1', 'a2', 'a7'],
  )
})

test('N-110 an event whose keys nobody can tell waits for all before it, and all after it wait', async (t) => {
  const { write, started, finish } = await following(t, { concurrency: 8 })
  await write('a', 'b', '!', 'c', 'a')
  t.deepEqual(started(), ['a1', 'b2'])
  await finish('a1')
  t.deepEqual(started(), ['a1', 'b2'])
  await finish('b2')
  t.deepEqual(started(), ['a1', 'b2', '!3'])
  await finish('!3')
  t.deepEqual(started(), ['a1', 'b2', '!3', 'c4', 'a5'])
})

test('N-110 events without a key wait for none', async (t) => {
  const { write, started } = await following(t, { concurrency: 8 })
  await write('', '', '')
  t.deepEqual(started(), ['1', '2', '3'])
})

test('N-110 beyond a checkpoint that stands no more than a bound is reacted to, and the log is read no further', async (t) => {
  const ahead = await following(t, { concurrency: 4, bounds: { ahead: 5 } })
  await ahead.write('a', ...Array.from({ length: 10 }, () => 'b'))
  for (const each of ['b2', 'b3', 'b4', 'b5']) await ahead.finish(each)
  t.deepEqual(ahead.started(), ['a1', 'b2', 'b3', 'b4', 'b5'])
  await ahead.finish('a1')
  t.is(ahead.started().at(-1), 'b6')
  const open = await following(t, { concurrency: 4, bounds: { open: 3 } })
  await open.write('a', 'a', 'a', 'b')
  t.deepEqual(open.started(), ['a1'])
  await open.finish('a1')
  t.deepEqual(open.started(), ['a1', 'a2', 'b4'])
})

test('N-110 a process that may not react any more begins nothing, and leaves the checkpoint where it is', async (t) => {
  let may = true
  const { write, started, finish, progress, stop, saved } = await following(t, { concurrency: 2, mayReact: () => may })
  await write('a', 'b', 'a', 'b', 'c')
  may = false
  await finish('b2')
  t.deepEqual(started(), ['a1', 'b2'])
  t.is(progress.at(), -1n)
  await finish('a1')
  t.deepEqual(started(), ['a1', 'b2'])
  await stop()
  t.is(saved(), 2n)
})

type Wish = {
  readonly concurrency: number
  /** The most events that are taken together. */
  readonly together?: number
  readonly bounds?: Partial<ReactorBounds>
  mayReact?(): boolean
}
/** What a process has left behind that was cut off. */
type Before = { readonly store: MemoryStore; saved(): bigint }

/** Follows a log in memory; a reaction ends when it is told to. An event is named by its keys and its position. */
const following = async (
  t: ExecutionContext,
  { concurrency, together = 1, bounds = {}, mayReact = () => true }: Wish,
  before?: Before,
) => {
  const store = before?.store ?? memoryStore()
  const feed = await startFeed(store)
  let saved = before?.saved() ?? -1n
  const checkpoints = {
    load: async () => saved,
    async save(_: string, position: bigint) {
      saved = position
    },
  }
  const started: string[] = []
  const underWay = new Map<string, () => void>()
  let failing: string | undefined
  const reactor: Reactor = {
    name: 'reactor',
    concurrency,
    handles: () => true,
    keysOf(event) {
      const keys = keysIn(event)
      if (keys === '!') throw new TypeError('this event has no keys')
      return [...keys]
    },
    react: (event) => react([event]),
    together: { max: together, react: (events) => react(events) },
  }
  const react = async (events: readonly RecordedEvent[]) => {
    const name = events.map((event) => `${keysIn(event)}${event.position}`).join('+')
    if (!started.includes(name)) started.push(name)
    if (failing === name) throw new Error('not yet')
    if (!ended.has(name)) await new Promise<void>((resolve) => underWay.set(name, resolve))
  }
  const ended = new Set<string>()
  const over = new AbortController()
  const progress = createProgress()
  const rules: ReactorRules = { isSetAside: () => false, mayReact, stopped() {} }
  const deps = { feed, checkpoints, progress, log: { warn() {} }, rules, bounds }
  const running = runReactor(reactor, deps, over.signal)
  const finish = async (name: string) => {
    ended.add(name)
    underWay.get(name)?.()
    await turns()
  }
  const stop = async () => {
    over.abort()
    for (const name of underWay.keys()) await finish(name)
    await running
    await feed.stop()
  }
  t.teardown(() => stop())
  return {
    store,
    progress,
    finish,
    stop,
    saved: () => saved,
    started: () => [...started],
    fail(name: string | undefined) {
      failing = name
      if (name) ended.add(name)
    },
    async write(...keys: readonly string[]) {
      const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } }
      for (const each of keys)
        await store.append(`written-${each}.${store.events().length}`, -1n, [
          { id: crypto.randomUUID(), type: 'Written', data: {}, meta },
        ])
      await turns()
    },
  }
}

const keysIn = ({ stream }: RecordedEvent): string => stream.slice('written-'.length, stream.lastIndexOf('.'))
