/** Reading without some types of events, which the server then keeps back. */
import test from 'ava'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { eventually } from '../../src/demo/stage.ts'
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
