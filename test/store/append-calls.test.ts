/** The call that takes the appends of a connection: whose answer is whose, and what its end means. */
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { refusal } from '../../adapters/store/node/wire.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
import { later, never } from './answers.ts'
import { all, newEvent, newStream } from './events.ts'
import { type AppendCall, faultyServer } from './faulty-server.ts'
import { newClient } from './open.ts'

/** Milliseconds; what is left open ends by itself after ten seconds. */
const SOON_MS = 5_000

test('all appends of a connection go out on one call, which is opened by the first of them', async (t) => {
  const { url, asked } = await faultyServer(t)
  const store = newClient(t, url)
  const stream = newStream()
  await store.head()
  t.is(asked.appendCalls, 0)
  for (let i = 0; i < 3; i++) await store.append(stream, BigInt(i - 1), [newEvent('One')])
  await Promise.all(Array.from({ length: 30 }, () => store.append(newStream(), -1n, [newEvent('One')])))
  t.deepEqual([asked.appends, asked.appendCalls], [33, 1])
})

test('each append is told its own answer, whatever the order in which they come', async (t) => {
  const waiting: (() => void)[] = []
  const { url } = await faultyServer(t, {
    append:
      (_, answer) =>
      (...rest) =>
        waiting.push(() => answer(...rest)),
  })
  const store = newClient(t, url)
  const taken = newStream()
  const appends = [3, 1, 2].map((count) =>
    store.append(
      newStream(),
      -1n,
      Array.from({ length: count }, () => newEvent('One')),
    ),
  )
  const conflict = store.append(taken, 4n, [newEvent('Late')])
  await eventually('four answers', () => waiting.length === 4)
  for (const answer of waiting.reverse()) answer()
  t.deepEqual(
    (await Promise.all(appends)).map(({ revision }) => revision),
    [2n, 0n, 1n],
  )
  await t.throwsAsync(conflict, { message: `${taken} is at revision -1, not at 4` })
})

test('a call that ends while nothing is open on it is opened anew by the next append', async (t) => {
  const calls: AppendCall[] = []
  const { url, asked } = await faultyServer(t, {
    append: (_, answer, __, call) => {
      calls.push(call)
      return answer
    },
  })
  // The next one would wait for ever on a call that is over.
  const store = newClient(t, url, { limits: { appendTryMs: 20_000, appendMs: 20_000 } })
  const stream = newStream()
  await store.append(stream, -1n, [newEvent('One')])
  const over = new Promise((resolve) => calls[0]?.on('close', resolve))
  calls[0]?.end()
  await over
  await store.append(stream, 0n, [newEvent('Two')])
  t.is(asked.appendCalls, 2)
  t.deepEqual(
    (await all(store.read(stream))).map(({ type }) => type),
    ['One', 'Two'],
  )
})

test('when a call ends, all that is open on it is sent again and written once', async (t) => {
  const { url, asked } = await faultyServer(t, {
    append: (attempt, answer) =>
      attempt < 20 ? never : attempt === 20 ? (_, told) => answer(refusal(status.INTERNAL, 'reset'), told) : answer,
  })
  const store = newClient(t, url)
  const streams = Array.from({ length: 20 }, () => newStream())
  const done = await Promise.all(streams.map((stream) => store.append(stream, -1n, [newEvent('One')])))
  t.true(done.every(({ revision }) => revision === 0n))
  for (const stream of streams) t.is((await all(store.read(stream))).length, 1)
  t.deepEqual([asked.appends, asked.appendCalls], [40, 2])
})

test('a server that ends the call in order, as one that stops does, is looked for anew', async (t) => {
  let searches = 0
  const { address, asked } = await faultyServer(t, {
    append: (attempt, answer, _, call) => (attempt === 1 ? () => call.end() : answer),
    leader: () => {
      searches++
      return address
    },
  })
  const store = newClient(t, `esdb+discover://${address}?tls=false`)
  t.is((await store.append(newStream(), -1n, [newEvent('One')])).revision, 0n)
  t.deepEqual([searches, asked.appendCalls], [2, 2])
})

test('an append that is given up leaves those beside it to be answered, and the next ones a call that is not silent', async (t) => {
  const calls: AppendCall[] = []
  const { url, asked } = await faultyServer(t, {
    append: (attempt, answer, _, call) => {
      calls.push(call)
      return attempt === 2 ? never : attempt === 3 ? later(1_000, answer) : answer
    },
  })
  const retries: unknown[] = []
  const store = newClient(t, url, { log: (_, { stream }) => retries.push(stream), limits: { appendTryMs: 2_000 } })
  const [first, silent, slow] = [newStream(), newStream(), newStream()]
  await store.append(first, -1n, [newEvent('One')])
  const given = store.append(silent, -1n, [newEvent('One')])
  await sleep(1_500)
  const beside = store.append(slow, -1n, [newEvent('One')])
  await eventually('the append beside it', () => asked.appends === 3)
  await given
  t.is(asked.appendCalls, 2)
  await store.append(first, 0n, [newEvent('Two')])
  t.false(calls[0]?.cancelled)
  t.is((await beside).revision, 0n)
  t.true(await eventually('the end of the silent call', () => calls[0]?.cancelled, SOON_MS))
  t.is(retries.filter((stream) => stream === silent).length, 1)
  for (const stream of [silent, slow]) t.is((await all(store.read(stream))).length, 1)
})

test('an answer that comes after its append was given up is nobody’s', async (t) => {
  const { url, asked } = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 1 ? later(450, answer) : attempt === 2 ? later(400, answer) : answer),
  })
  const store = newClient(t, url, { limits: { appendTryMs: 300 } })
  const [late, beside] = [newStream(), newStream()]
  const first = store.append(late, -1n, [newEvent('One')])
  await sleep(200)
  // It keeps the first call open until the late answer has come.
  const second = store.append(beside, -1n, [newEvent('Two'), newEvent('Three')])
  t.is((await first).revision, 0n)
  t.is((await second).revision, 1n)
  t.true(asked.appends >= 3)
})

test('an append whose time was up before its server was found is not sent when it is', async (t) => {
  let leader = ''
  const { core, address } = await faultyServer(t, { leader: () => leader })
  const url = `esdb+discover://${address}?tls=false&maxDiscoverAttempts=1000&discoveryInterval=20`
  const store = newClient(t, url, { limits: { appendTryMs: 100, appendMs: 300 } })
  const [late, next] = [newStream(), newStream()]
  await t.throwsAsync(store.append(late, -1n, [newEvent('Late')]), { instanceOf: OutcomeUnknown })
  leader = address
  const event = newEvent('Next')
  const sent = () =>
    store.append(next, -1n, [event]).then(
      () => true,
      () => false,
    )
  await eventually('an append that is sent', sent)
  t.deepEqual([core.head(late), core.head(next)], [-1, 0])
})

test('when the client turns to another connection, the call on the one before is ended', async (t) => {
  const calls: AppendCall[] = []
  let reads = 0
  const { url, asked } = await faultyServer(t, {
    append: (_, answer, __, call) => {
      calls.push(call)
      return answer
    },
    read: (call) => ++reads === 1 && call.emit('error', refusal(status.UNAVAILABLE, 'Server Is Too Busy')),
  })
  const store = newClient(t, url)
  const stream = newStream()
  await store.append(stream, -1n, [newEvent('One')])
  await store.head()
  await store.append(stream, 0n, [newEvent('Two')])
  t.is(asked.appendCalls, 2)
  t.true(await eventually('the end of the first call', () => calls[0]?.cancelled, SOON_MS))
})
