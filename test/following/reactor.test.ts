import test from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import {
  type Checkpoints,
  type Reactor,
  type ReactorBounds,
  type ReactorRules,
  runReactor,
} from '../../adapters/following/reactor.ts'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { eventually } from '../../src/demo/stage.ts'
import { everything, gate, newStore } from '../support/ledger.ts'
import { testDatabase } from '../support/postgres.ts'

test('events that share a key keep the order of the log, and the checkpoint ends at its head', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  const seen: bigint[] = []
  await write(store, 200)
  const keysOf = () => ['all']
  const running = run({ concurrency: 8, keysOf, react: async ({ position }) => void seen.push(position) })
  const expected = (await everything(store)).map(({ position }) => position)
  t.true(await running.progress.reached(expected.at(-1) ?? 0n, 5_000))
  await running.stop()
  t.deepEqual(seen, expected)
  t.is(await checkpoints.load('reactor'), expected.at(-1) ?? 0n)
})

test('what a reactor does not handle moves it and its checkpoint on, but not beyond a reaction under way', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  const begun = gate()
  const free = gate()
  const react = () => {
    begun.open()
    return free.opened
  }
  const running = run({ concurrency: 1, handles: (type) => type === 'Handled', react })
  await write(store, 3, 'other-1', 'Other')
  const before = await store.head()
  t.true(await running.progress.reached(before, 5_000))
  await eventually('the checkpoint', async () => (await checkpoints.load('reactor')) === before)
  await write(store, 1, 'handled-1', 'Handled')
  await begun.opened
  await write(store, 3, 'other-2', 'Other')
  await write(store, 3, 'other-3', 'Other')
  t.false(await running.progress.reached(await store.head(), 100))
  t.is(running.progress.at(), before)
  free.open()
  t.true(await running.progress.reached(await store.head(), 5_000))
  await running.stop()
  t.is(await checkpoints.load('reactor'), await store.head())
})

test('a checkpoint never stands beyond a reaction that is not at its end, in whatever order they end', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  const finished = new Set<bigint>()
  const started: RecordedEvent[] = []
  await write(store, 300)
  const all = (await everything(store)).map(({ position }) => position)
  const saved: bigint[] = []
  const checked: Checkpoints = {
    load: checkpoints.load,
    async save(name, position) {
      for (const each of all) if (each <= position) t.true(finished.has(each), `${each} is open, ${position} is saved`)
      saved.push(position)
      await checkpoints.save(name, position)
    },
  }
  let most = 0
  const running = run(
    {
      concurrency: 8,
      react: async (event) => {
        started.push(event)
        most = Math.max(most, started.length - finished.size)
        await new Promise((resolve) => setTimeout(resolve, Number(event.position % 7n) * 9))
        finished.add(event.position)
      },
    },
    checked,
  )
  for (let n = 0; n < 12; n++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    const at = running.progress.at()
    for (const each of all) if (each <= at) t.true(finished.has(each))
    await write(store, 1, `more-${n}`)
    all.push((await everything(store, all.at(-1))).at(-1)?.position as bigint)
  }
  t.true(await running.progress.reached(all.at(-1) ?? 0n, 10_000))
  await running.stop()
  t.true(saved.length > 0 && most <= 8 && most > 1)
  t.is(started.length, all.length)
  // A place between two events is none that every store can read on from.
  const places = (await everything(store)).map(({ position }) => position)
  t.deepEqual(
    saved.filter((position) => position !== -1n && !places.includes(position)),
    [],
  )
})

test('a reaction that fails is tried again until it succeeds; one that is refused has come to its end', async (t) => {
  const { store, run } = await setUp(t)
  await write(store, 3)
  const [first, second, third] = (await everything(store)).map(({ position }) => position)
  const calls: bigint[] = []
  const running = run({
    concurrency: 8,
    keysOf: () => ['all'],
    react: async ({ position }) => {
      calls.push(position)
      const times = calls.filter((p) => p === position).length
      if (position === first && times === 1) throw new Error('no connection')
      if (position === first && times === 2) throw new Refusal('busy')
      if (position === second) throw new Refusal('resource-not-found')
    },
  })
  t.true(await running.progress.reached(third as bigint, 5_000))
  await running.stop()
  t.deepEqual(calls, [first, first, first, second, third])
})

test('a reactor takes events of one key together in the order of the log, one by one where that fails, and passes none over', async (t) => {
  const { store, run } = await setUp(t)
  await write(store, 7)
  const positions = (await everything(store)).map(({ position }) => position)
  const calls: (bigint | readonly bigint[])[] = []
  const together = async (events: readonly RecordedEvent[]) => {
    calls.push(events.map(({ position }) => position))
    if (calls.length === 2) throw new Refusal('resource-not-found')
  }
  const react = async ({ position }: RecordedEvent) => {
    calls.push(position)
    if (calls.length === 4) throw new Refusal('resource-not-found')
  }
  const running = run({ concurrency: 1, keysOf: () => ['all'], react, together: { max: 3, react: together } })
  t.true(await running.progress.reached(positions.at(-1) as bigint, 5_000))
  await running.stop()
  const [first, second, last] = [positions.slice(0, 3), positions.slice(3, 6), positions.at(-1) as bigint]
  const [fourth, fifth, sixth] = second as [bigint, bigint, bigint]
  t.deepEqual(calls, [first, second, fourth, fifth, fifth, sixth, last])
})

test('of events that are taken together the one that cannot be answered is told of, and the others go on without it', async (t) => {
  const { store, run } = await setUp(t)
  await write(store, 3)
  const [, faulty, last] = (await everything(store)) as [RecordedEvent, RecordedEvent, RecordedEvent]
  const [done, aside] = [new Set<bigint>(), new Set<string>()]
  const react = async (event: RecordedEvent) => {
    if (event.id === faulty.id) throw new TypeError('no such field')
    done.add(event.position)
  }
  const rules: ReactorRules = {
    isSetAside: (id) => aside.has(id),
    mayReact: () => true,
    stopped: (_, { id }) => void aside.add(id),
  }
  const together = { max: 3, react: (events: readonly RecordedEvent[]) => Promise.all(events.map(react)) }
  const running = run({ concurrency: 1, keysOf: () => ['all'], react, together }, undefined, {}, rules)
  t.true(await running.progress.reached(last.position, 5_000))
  await running.stop()
  t.deepEqual([...aside], [faulty.id])
  t.is(done.size, 2)
})

test('a stop in the middle, then a start, does only what was not finished again', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  await write(store, 6)
  const positions = (await everything(store)).map(({ position }) => position)
  const done: bigint[] = []
  const blocked = positions[2] as bigint
  const react = (fails: boolean) => async (event: RecordedEvent) => {
    if (fails && event.position === blocked) throw new Error('not yet')
    done.push(event.position)
  }
  const running = run({ concurrency: 4, react: react(true) })
  while (done.length < 5) await new Promise((resolve) => setTimeout(resolve, 5))
  await running.stop()
  t.is(await checkpoints.load('reactor'), positions[1] ?? -1n)
  t.false(done.includes(blocked))
  const again = run({ concurrency: 4, react: react(false) })
  t.true(await again.progress.reached(positions.at(-1) as bigint, 5_000))
  await again.stop()
  t.deepEqual(done.slice(5).sort(), positions.slice(2))
})

test('a checkpoint is written a little later also when the log has gone quiet, also for a reaction that took its time', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  const release = gate()
  const running = run({ concurrency: 4, react: () => release.opened })
  await write(store, 3)
  const [first, , last] = (await everything(store)).map(({ position }) => position) as [bigint, bigint, bigint]
  await new Promise((resolve) => setTimeout(resolve, 800))
  t.true((await checkpoints.load('reactor')) < first)
  release.open()
  t.true(await eventually('the checkpoint', async () => (await checkpoints.load('reactor')) === last))
  await running.stop()
})

test('a stop ends once the checkpoint is on the disk that was being written when it came', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  const [asked, answered] = [gate(), gate()]
  const slow: Checkpoints = {
    load: checkpoints.load,
    async save(...given) {
      asked.open()
      await answered.opened
      await checkpoints.save(...given)
    },
  }
  await write(store, 3)
  const last = (await everything(store)).at(-1)?.position ?? 0n
  const running = run({ concurrency: 1, react: async () => {} }, slow)
  await asked.opened
  let over = false
  const ended = running.stop().then(() => (over = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.false(over)
  answered.open()
  await ended
  t.is(await checkpoints.load('reactor'), last)
})

test('a checkpoint that cannot be written ends the reactor only once nothing is under way', async (t) => {
  const { store, run } = await setUp(t)
  const release = gate()
  const failing: Checkpoints = {
    load: async () => -1n,
    save: () => Promise.reject(new Error('Postgres is away')),
  }
  let underWay = 0
  await write(store, 1)
  const slow = (await everything(store))[0]?.position
  const running = run(
    {
      concurrency: 4,
      react: async ({ position }) => {
        underWay++
        if (position > (slow ?? 0n) + 2n) await release.opened
        underWay--
      },
    },
    failing,
  )
  await new Promise((resolve) => setTimeout(resolve, 600))
  await write(store, 6, 'later-1')
  setTimeout(release.open, 200)
  await t.throwsAsync(running.ended, { message: 'Postgres is away' })
  t.is(underWay, 0)
})

test('a stop waits a while for a reaction that hangs, no longer, and does it again at the next start', async (t) => {
  const { store, run, checkpoints } = await setUp(t)
  await write(store, 2)
  const begun = gate()
  const react = () => {
    begun.open()
    return new Promise(() => {})
  }
  const running = run({ concurrency: 1, react }, checkpoints, { stopMs: 300 })
  await begun.opened
  const before = performance.now()
  await running.stop()
  t.true(performance.now() - before >= 299)
  t.true((await checkpoints.load('reactor')) < ((await everything(store))[0]?.position ?? 0n))
})

const setUp = async (t: Parameters<typeof newStore>[0]) => {
  const store = newStore(t)
  const feed = await startFeed(store)
  t.teardown(() => feed.stop())
  const { sql } = await testDatabase(t)
  const checkpoints = await createCheckpoints(sql)
  const run = (
    what: Pick<Reactor, 'concurrency' | 'react' | 'together'> & Partial<Pick<Reactor, 'keysOf' | 'handles'>>,
    kept: Checkpoints = checkpoints,
    bounds: Partial<ReactorBounds> = {},
    rules?: ReactorRules,
  ) => {
    const stopping = new AbortController()
    const progress = createProgress()
    const reactor: Reactor = { name: 'reactor', handles: () => true, keysOf: () => [], ...what }
    const means = { feed, checkpoints: kept, progress, log: { warn() {} }, bounds, ...(rules && { rules }) }
    const ended = runReactor(reactor, means, stopping.signal)
    const stop = () => {
      stopping.abort()
      return ended
    }
    return { progress, ended, stop }
  }
  return { store, run, checkpoints }
}

const write = async (store: EventStore, count: number, stream = 'written-1', type = 'Written') => {
  const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } }
  const events = Array.from({ length: count }, () => ({ id: crypto.randomUUID(), type, data: {}, meta }))
  await store.append(stream, -1n, events)
}
