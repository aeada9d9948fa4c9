import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventStoreContract } from '../contracts/event-store.ts'
import { deepTest } from '../support/deep-test.ts'
import { DEEP } from '../support/depth.ts'
import { all, firstOf, newEvent, newStream } from './events.ts'
import { connectionString, newClient, newCore, newNode } from './open.ts'

eventStoreContract(test, 'EventStoreDB over TCP', async (t) => newClient(t, (await newNode(t)).url))

const overSocket = async (t: ExecutionContext) =>
  newClient(t, (await newNode(t, `unix:${join(tmpdir(), `daybook-${randomUUID()}.sock`)}`)).url)

// Node and client are the same; each command line beside a service goes this way, too.
if (DEEP) eventStoreContract(test, 'EventStoreDB over a unix socket', overSocket)
else
  test('what is appended over a unix socket is read and heard there', async (t) => {
    const store = await overSocket(t)
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('First'), newEvent('Second')])
    const types = ['First', 'Second']
    t.deepEqual(
      (await all(store.read(stream))).map(({ type }) => type),
      types,
    )
    t.deepEqual(
      (await firstOf(store, -1n, 2, (event) => event.stream === stream)).map(({ type }) => type),
      types,
    )
    await t.throwsAsync(store.append(stream, -1n, [newEvent('Other')]))
  })

const real = process.env.EVENTSTORE_URL
if (real) eventStoreContract(test, 'the EventStoreDB of EVENTSTORE_URL', async (t) => newClient(t, real))

test('a cluster is found by gossip', async (t) => {
  const { served } = await newNode(t)
  const store = newClient(t, `esdb+discover://${served.address}?tls=false`)
  await t.notThrowsAsync(store.append(newStream(), -1n, [newEvent('Found')]))
})

test('a subscription goes on where it was after the server went away and came back', async (t) => {
  const core = newCore(t)
  const first = await serveProtocol(core, `127.0.0.1:${await freePort()}`)
  const lost: string[] = []
  const store = newClient(t, connectionString(first.address), { log: (message) => lost.push(message) })
  const stream = newStream()
  const following = firstOf(store, -1n, 40, (e) => e.stream === stream)
  const append = (i: number) => store.append(stream, BigInt(i - 1), [newEvent('Counted', { i })])
  for (let i = 0; i < 20; i++) await append(i)
  await first.stop()
  const duringOutage = append(20)
  await sleep(300)
  const second = await serveProtocol(core, first.address)
  t.teardown(() => second.stop())
  await duringOutage
  for (let i = 21; i < 40; i++) await append(i)
  t.deepEqual(
    (await following).map((e) => e.revision),
    Array.from({ length: 40 }, (_, i) => BigInt(i)),
  )
  t.true(lost.some((message) => message.includes('subscription was lost')))
})

test('appends that a restart cuts off are written exactly once', async (t) => {
  const core = newCore(t)
  let served = await serveProtocol(core, `127.0.0.1:${await freePort()}`)
  t.teardown(() => served.stop())
  const store = newClient(t, connectionString(served.address))
  const streams = Array.from({ length: 16 }, () => newStream())
  let running = true
  const counts = streams.map(async (stream) => {
    let next = 0
    for (; running; next++) await store.append(stream, BigInt(next - 1), [newEvent('Counted', { next })])
    return next
  })
  for (let round = 0; round < 3; round++) {
    await sleep(150)
    await served.stop()
    await sleep(100)
    served = await serveProtocol(core, served.address)
  }
  await sleep(150)
  running = false
  const written = await Promise.all(counts)
  for (const [i, stream] of streams.entries()) {
    const events = await all(store.read(stream))
    t.deepEqual(
      events.map((e) => (e.data as { next: number }).next),
      Array.from({ length: written[i] ?? 0 }, (_, n) => n),
    )
  }
})

deepTest('a read across a restart comes whole', async (t) => {
  const core = newCore(t)
  let served = await serveProtocol(core, `127.0.0.1:${await freePort()}`)
  t.teardown(() => served.stop())
  const store = newClient(t, connectionString(served.address))
  const stream = newStream()
  const events = 2_000
  for (let at = 0; at < events; at += 500)
    await store.append(
      stream,
      BigInt(at - 1),
      Array.from({ length: 500 }, () => newEvent('Many', { text: 'x'.repeat(500) })),
    )
  for (let round = 0; round < 6; round++) {
    const reads = Promise.all([all(store.read(stream)), all(store.readAll(-1n))])
    await sleep(10 + round * 15)
    await served.stop()
    served = await serveProtocol(core, served.address)
    for (const read of await reads)
      t.deepEqual(
        read.map((e) => e.revision),
        Array.from({ length: events }, (_, i) => BigInt(i)),
      )
  }
})

deepTest('closing the store ends its subscriptions and refuses what comes after', async (t) => {
  const store = eventStoreDb((await newNode(t)).url)
  const running = all(store.subscribe(-1n, new AbortController().signal))
  await sleep(50)
  await store.close()
  t.deepEqual(await running, [])
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('Late')]), { message: /closed/ })
})
