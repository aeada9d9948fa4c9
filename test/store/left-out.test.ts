/** Reading without some types of events, which the server then keeps back. */
import test from 'ava'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { eventually } from '../../src/demo/stage.ts'
import { cuttingServer } from './cutting-server.ts'
import { all, newEvent, newStream } from './events.ts'
import { faultyServer, subscribes } from './faulty-server.ts'
import { newClient } from './open.ts'

test('N-118 a log that grows by nothing but what is left out is no stall, and is looked through once', async (t) => {
  let stalls = 0
  const from: (string | undefined)[] = []
  const { url, asked } = await faultyServer(t, {
    read: (call) => {
      const options = call.request.getOptions()
      if (!subscribes(call) && options?.hasFilter()) from.push(options.getAll()?.getPosition()?.getCommitPosition())
      return false
    },
  })
  const store = newClient(t, url, { limits: { quietMs: 150 }, onStall: () => stalls++ })
  const first = await store.append(newStream(), -1n, [newEvent('One')])
  const stop = new AbortController()
  const following = all(store.subscribe(-1n, stop.signal, new Set(['Passed'])))
  const passed = await store.append(newStream(), -1n, [newEvent('Passed'), newEvent('Passed')])
  await eventually('a few looks', () => from.length > 3)
  await store.append(newStream(), -1n, [newEvent('Two')])
  await eventually('a look after that', () => from.at(-1) !== String(passed.position))
  stop.abort()
  t.deepEqual(
    (await following).map(({ type }) => type),
    ['One', 'Two'],
  )
  t.is(stalls, 0)
  t.is(asked.reads.filter(subscribes).length, 1)
  t.is(from[0], String(first.position))
  t.is(from[2], String(passed.position), 'what was looked through is not looked through again')
})

test('N-118 the newest event beside those that are left out is found, however many these are', async (t) => {
  const { url } = await faultyServer(t, {})
  const store = newClient(t, url)
  const leftOut = new Set(['Passed', 'Past'])
  const newest = async (after: bigint) => (store as LogStore).newestBeside?.(leftOut, after)
  t.is(await newest(-1n), -1n)
  const one = await store.append(newStream(), -1n, [newEvent('Passed'), newEvent('PassedOn')])
  t.is(await newest(-1n), one.position, 'a type that only begins like one is heard')
  const many = Array.from({ length: 1_200 }, (_, n) => newEvent(n % 2 === 0 ? 'Passed' : 'Past'))
  await store.append(newStream(), -1n, many)
  t.is(await newest(-1n), one.position)
  t.is(await newest(one.position), one.position)
  const heard = await store.append(
    newStream(),
    -1n,
    Array.from({ length: 1_100 }, () => newEvent('Heard')),
  )
  await store.append(newStream(), -1n, [newEvent('Past')])
  t.is(await newest(-1n), heard.position)
})

test('N-118 a look for what is newest hears of a stream that was cut, and counts no event of the server', async (t) => {
  const server = await cuttingServer(t)
  const store = newClient(t, server.url) as LogStore
  const stream = newStream()
  const { position } = await store.append(stream, -1n, [newEvent('Heard'), newEvent('Heard')])
  await store.append(newStream(), -1n, [newEvent('Passed')])
  await server.setMetadata(stream, { $maxCount: 1 })
  t.is(await store.newestBeside?.(new Set(['Passed']), position), position)
  t.deepEqual(store.cuts.all(), [{ stream, reason: 'truncated' }])
})

test('N-118 who leaves events out hears of a stream that is cut meanwhile', async (t) => {
  const server = await cuttingServer(t)
  const store = newClient(t, server.url) as LogStore
  const stream = newStream()
  await store.append(stream, -1n, [newEvent('Passed'), newEvent('Passed')])
  const stop = new AbortController()
  const following = all(store.subscribe(-1n, stop.signal, new Set(['Passed'])))
  await server.setMetadata(stream, { $maxCount: 1 })
  await eventually('the news', () => store.cuts.all().length > 0)
  t.deepEqual(store.cuts.all(), [{ stream, reason: 'truncated' }])
  stop.abort()
  t.deepEqual(await following, [])
})
