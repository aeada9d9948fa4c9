/** How an append goes out, and how long, how often and how many at once. */

import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
import { HANG_MS } from '../support/depth.ts'
import { denied, later, lost, never } from './answers.ts'
import { newEvent, newStream } from './events.ts'
import { type AppendCall, faultyServer } from './faulty-server.ts'
import { newClient } from './open.ts'
import { wireProxy } from './wire-proxy.ts'

test('a server is never asked what it can do, which one that is starting would refuse', async (t) => {
  const { url, asked } = await faultyServer(t, { features: status.INTERNAL })
  const store = newClient(t, url)
  t.is((await store.append(newStream(), -1n, [newEvent('One')])).revision, 0n)
  t.is(asked.features, 0)
})

test('a connection that breaks leaves the appends of another store in the process alone', async (t) => {
  const { address, asked } = await faultyServer(t, { append: (_, answer) => later(400, answer) })
  const [ours, theirs] = [await wireProxy(t, address), await wireProxy(t, address)]
  const retries: string[] = []
  const store = newClient(t, `esdb://${ours.address}?tls=false`, { log: (message) => retries.push(message) })
  const other = newClient(t, `esdb://${theirs.address}?tls=false`)
  const appends = [store, other].map((each) => each.append(newStream(), -1n, [newEvent('One')]))
  await eventually('both appends under way', () => asked.appends === 2)
  theirs.cut()
  t.deepEqual(
    (await Promise.all(appends)).map(({ revision }) => revision),
    [0n, 0n],
  )
  t.deepEqual(retries, [])
})

test('an append that is never answered is tried until its time is up, and its outcome is unknown', async (t) => {
  const { url, asked } = await faultyServer(t, { append: (attempt, answer) => (attempt === 1 ? answer : never) })
  await newClient(t, url).append(newStream(), -1n, [newEvent('One')])
  const store = newClient(t, url, { limits: { appendTryMs: 200, appendMs: 2_000 } })
  const start = performance.now()
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('One')]), { instanceOf: OutcomeUnknown })
  t.true(asked.appends >= 3)
  t.true(performance.now() - start < 8_000)
})

test('an append has its time limit also while the server is still looked for', async (t) => {
  t.timeout(HANG_MS)
  const seed = await wireProxy(t)
  const store = newClient(t, `esdb+discover://${seed.address}?tls=false`, {
    limits: { appendTryMs: 100, appendMs: 300 },
  })
  const start = performance.now()
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('One')]), { instanceOf: OutcomeUnknown })
  t.true(performance.now() - start < 8_000)
})

test('a try that is given up is ended at the server too, so that it does not come late', async (t) => {
  const calls: AppendCall[] = []
  const { url } = await faultyServer(t, {
    append: (attempt, answer, _, call) => {
      calls.push(call)
      return attempt === 1 ? never : answer
    },
  })
  await newClient(t, url, { limits: { appendTryMs: 300 } }).append(newStream(), -1n, [newEvent('One')])
  t.true(await eventually('the end of the first try', () => calls[0]?.cancelled, 5_000))
})

test('the tries of an append are spaced, and further apart each time', async (t) => {
  const times: number[] = []
  const { url } = await faultyServer(t, {
    append: (attempt, answer) => {
      times.push(performance.now())
      return attempt <= 5 ? lost(status.ABORTED, answer) : answer
    },
  })
  await newClient(t, url).append(newStream(), -1n, [newEvent('One')])
  // At least 25, 50, 100, 200 and 400 ms.
  t.true((times[5] ?? 0) - (times[0] ?? 0) > 700)
})

test('an append that is too large or holds what JSON cannot say is refused with a clear error, before anything is sent', async (t) => {
  const { url, asked } = await faultyServer(t)
  const store = newClient(t, url)
  const append = (...events: object[]) =>
    store.append(
      newStream(),
      -1n,
      events.map((data) => newEvent('Large', data)),
    )
  const text = 'x'.repeat(260_000)
  await t.throwsAsync(append({ text: text + text }), { message: /has 520\d{3} bytes, the most is 262144/ })
  await t.throwsAsync(append({ text }, { text }, { text }, { text }, { text }), { message: /the most is 1048576/ })
  await t.throwsAsync(append({ amount: 1n }), { message: /BigInt/ })
  t.is(asked.appends, 0)
})

test('at most 64 appends are on the wire; more wait for their turn', async (t) => {
  const waiting: (() => void)[] = []
  const { url, asked } = await faultyServer(t, {
    append:
      (attempt, answer) =>
      (...rest) =>
        attempt > 64 ? answer(...rest) : waiting.push(() => answer(...rest)),
  })
  const store = newClient(t, url)
  const appends = Array.from({ length: 150 }, () => store.append(newStream(), -1n, [newEvent('One')]))
  await eventually('64 appends on the wire', () => waiting.length === 64)
  await sleep(100)
  t.is(asked.appends, 64)
  for (const answer of waiting) answer()
  await Promise.all(appends)
  t.is(asked.appends, 150)
})

test.serial('more appends than may wait are refused at once', async (t) => {
  const { url } = await faultyServer(t, { append: () => never })
  const store = newClient(t, url, { limits: { appendTryMs: 500, appendMs: 500 } })
  const [hot, append] = [newStream(), (stream: string) => store.append(stream, -1n, [newEvent('One')])]
  const tries = Array.from({ length: 10_064 }, (_, i) => append(i < 5_000 ? hot : newStream()))
  const settled = Promise.allSettled(tries)
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('One')]), { message: /more than 10000 appends wait/ })
  t.true((await settled).every((each) => each.status === 'rejected' && each.reason instanceof OutcomeUnknown))
})

test('an append that fails lets the next one of its stream through', async (t) => {
  const { url } = await faultyServer(t, {
    append: (attempt, answer) =>
      attempt === 1 ? denied(status.PERMISSION_DENIED, 'no', answer, 'AccessDenied') : answer,
  })
  const store = newClient(t, url)
  const stream = newStream()
  const [first, second] = await Promise.allSettled([
    store.append(stream, -1n, [newEvent('First')]),
    store.append(stream, 0n, [newEvent('Second')]),
  ])
  t.deepEqual([first.status, second.status], ['rejected', 'fulfilled'])
})
