/** Reads that hang, break off, meet the end of their store, or ask a node that lags behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { notFound, refusal, streamName } from '../../adapters/store/node/wire.ts'
import { LOG_STREAM } from '../../domain/audit/log.ts'
import { eventually } from '../../src/demo/stage.ts'
import { HANG_MS } from '../support/depth.ts'
import { eventAt, lost, notLeader, wrongVersion } from './answers.ts'
import { all, newEvent, newStream } from './events.ts'
import { faultyServer, type ReadCall, subscribes } from './faulty-server.ts'
import { newClient } from './open.ts'
import { wireProxy } from './wire-proxy.ts'

const SHORT = { pageMs: 150, readMs: 500 }
const silent = () => true

test('a read that is never answered fails in time, and leaves no call open', async (t) => {
  const { url, asked, openReads } = await faultyServer(t, { read: silent })
  const store = newClient(t, url, { limits: { pageMs: 200, readMs: 1_500 } })
  await store.append('thing', -1n, [newEvent('One')])
  const start = performance.now()
  for (const read of [all(store.read('thing')), all(store.readAll(-1n)), store.head()])
    await t.throwsAsync(read, { message: /took longer/ })
  t.true(performance.now() - start < 8_000)
  t.true(asked.reads.length > 3)
  await eventually('the end of every read', () => openReads() === 0)
  t.pass()
})

test('a read has its time limit also while the server is still looked for', async (t) => {
  t.timeout(HANG_MS)
  const seed = await wireProxy(t)
  const store = newClient(t, `esdb+discover://${seed.address}?tls=false`, { limits: SHORT })
  const start = performance.now()
  await t.throwsAsync(store.head(), { message: /took longer/ })
  t.true(performance.now() - start < 8_000)
})

test('N-116: a read asks for no more than it takes, and the end of the log for one event', async (t) => {
  const { url, asked } = await faultyServer(t)
  const store = newClient(t, url)
  await store.append('thing', -1n, [newEvent('One')])
  await all(store.read('thing'))
  await all(store.readAll(-1n))
  // The pages themselves, the step in which the head is searched, and the two that tell where the order of this log
  // begins.
  const counts = asked.reads.map((call) => Number(call.request.getOptions()?.getCount()))
  t.deepEqual(counts, [500, 501, 500, 1, 501])
})

test('whoever leaves a read or a subscription early leaves no call open', async (t) => {
  const { url, asked, openReads } = await faultyServer(t)
  const store = newClient(t, url)
  const stream = newStream()
  for (let i = 0; i < 2; i++)
    await store.append(
      stream,
      BigInt(i * 400 - 1),
      Array.from({ length: 400 }, () => newEvent('One')),
    )
  const { signal } = new AbortController()
  for (const pages of [store.read(stream), store.readAll(-1n), store.subscribe(-1n, signal)])
    for await (const page of pages) {
      t.true(page.length > 0)
      break
    }
  t.true(asked.reads.some(subscribes))
  await eventually('the end of every read', () => openReads() === 0)
})

test('a read of an event without its position fails at once, and leaves no call open', async (t) => {
  const { url, asked, openReads } = await faultyServer(t, {
    read: (call) => {
      call.write(eventAt(0n, 2n ** 64n - 1n))
      call.end()
      return true
    },
  })
  const store = newClient(t, url)
  await t.throwsAsync(all(store.read('thing')), { message: /came without its position: EventStoreDB 22.10 or newer/ })
  t.is(asked.reads.length, 1)
  await eventually('the end of every read', () => openReads() === 0)
})

test('a read that breaks off half way is begun again and comes whole', async (t) => {
  let reads = 0
  const { url } = await faultyServer(t, {
    read: (call) => {
      if (++reads > 1) return false
      call.write(eventAt(0n, 7n), () => call.emit('error', refusal(status.INTERNAL, 'RST_STREAM')))
      return true
    },
  })
  const store = newClient(t, url)
  const events = Array.from({ length: 20 }, () => newEvent('One'))
  await store.append('thing', -1n, events)
  t.deepEqual(
    (await all(store.read('thing'))).map((e) => e.id),
    events.map((e) => e.id),
  )
})

test('a read that closing cuts off fails, and does not pass for a short stream', async (t) => {
  const { url, asked } = await faultyServer(t, {
    read: (call) => {
      for (let i = 0n; i < 3n; i++) call.write(eventAt(i, i))
      return true
    },
  })
  const told: string[] = []
  const store = eventStoreDb(url, { log: (message) => told.push(message) })
  const reading = [all(store.read('thing')), all(store.readAll(-1n))]
  await eventually('both reads under way', () => asked.reads.length === 2)
  await sleep(100)
  const start = performance.now()
  await store.close()
  for (const read of reading) await t.throwsAsync(read, { message: /the event store is closed/ })
  t.true(performance.now() - start < 5_000)
  t.deepEqual(told, [])
})

test('a read that is being tried again gives up when its store closes', async (t) => {
  const { url, asked } = await faultyServer(t, {
    read: (call) => call.emit('error', refusal(status.INTERNAL, 'RST_STREAM')),
  })
  const told: number[] = []
  const store = eventStoreDb(url, {
    log: () => {
      if (told.push(asked.reads.length) === 2) void store.close()
    },
  })
  await t.throwsAsync(store.head(), { message: 'the event store is closed' })
  t.deepEqual(told, [1, 2])
  t.is(asked.reads.length, 2)
})

test('a closed store refuses reads, and looks for no server', async (t) => {
  const seed = await wireProxy(t)
  const store = eventStoreDb(`esdb+discover://${seed.address}?tls=false`)
  await store.close()
  for (const read of [all(store.read('thing')), all(store.readAll(-1n)), store.head()])
    await t.throwsAsync(read, { message: /the event store is closed/ })
  t.deepEqual(await all(store.subscribe(-1n, new AbortController().signal)), [])
  t.is(seed.made(), 0)
})

test('reads that hang leave room for appends, and those that wait end with their store', async (t) => {
  const { url, asked } = await faultyServer(t, { callsAtOnce: 100, read: silent })
  const store = newClient(t, url, { limits: { pageMs: 8_000, readMs: 8_000 } })
  let failed = 0
  for (let i = 0; i < 150; i++) all(store.read('thing')).catch(() => failed++)
  await eventually('reads under way', () => asked.reads.length > 20)
  await store.append(newStream(), -1n, [newEvent('One')])
  t.is(failed, 0)
  await store.close()
  await eventually('the end of all reads', () => failed === 150)
  t.is(asked.reads.length, 24)
})

test.serial('more reads than may wait are refused at once', async (t) => {
  const { url } = await faultyServer(t, { read: silent })
  const store = newClient(t, url)
  for (let i = 0; i < 10_024; i++) store.head().catch(() => undefined)
  const start = performance.now()
  await t.throwsAsync(store.head(), { message: /more than 10000 reads wait/ })
  t.true(performance.now() - start < 5_000)
})

test('our own append is found on the leader when a follower lags behind', async (t) => {
  const leader = await faultyServer(t)
  const follower = await faultyServer(t, {
    core: leader.core,
    append: (attempt, answer) => (attempt === 1 ? lost(status.ABORTED, answer) : wrongVersion(answer)),
    read: (call) => {
      if (call.metadata.get('requires-leader')[0] === 'true') call.emit('error', notLeader(leader.address))
      else {
        call.write(notFound('thing'))
        call.end()
      }
      return true
    },
  })
  const store = newClient(t, follower.url)
  t.is((await store.append('thing', -1n, [newEvent('One'), newEvent('Two')])).revision, 1n)
  t.is((await all(store.read('thing'))).length, 2)
})

test('a node that has not come as far as the log is asked again, and its end does not pass for the end of the log', async (t) => {
  let lagging = 3
  const { url } = await faultyServer(t, {
    read: (call) => {
      const forwards = call.request.getOptions()?.getReadDirection() === 0
      if (!forwards || lagging-- <= 0) return false
      call.end()
      return true
    },
  })
  const store = newClient(t, url)
  await store.append('thing', -1n, [newEvent('One')])
  t.is((await all(store.readAll(-1n))).length, 1)
  lagging = Number.MAX_SAFE_INTEGER
  const hasty = newClient(t, url, { limits: { readMs: 700 } })
  await t.throwsAsync(all(hasty.readAll(-1n)), { message: /the log ends at -1, though it had come to/ })
})

test('revisions and positions above 2^53 keep every digit', async (t) => {
  const [revision, position] = [2n ** 62n + 1n, 2n ** 62n + 3n]
  const { url, asked } = await faultyServer(t, {
    append: (_, answer) => (error, response) => {
      response?.getSuccess()?.getPosition()?.setCommitPosition(String(position))
      answer(error, response)
    },
    read: (call) => {
      if (streamOf(call) === LOG_STREAM) return false
      call.write(eventAt(revision, position))
      call.end()
      return true
    },
  })
  const store = newClient(t, url)
  t.is((await store.append('thing', -1n, [newEvent('One')])).position, position)
  t.is(await store.head(), position)
  const [event] = await all(store.read('thing', revision))
  t.deepEqual([event?.revision, event?.position], [revision, position])
  t.is((await all(store.readAll(position - 1n))).at(-1)?.position, position)
  const froms = asked.reads.map((call) => call.request.getOptions())
  t.true(froms.some((from) => from?.getStream()?.getRevision() === String(revision)))
  t.true(froms.some((from) => from?.getAll()?.getPosition()?.getCommitPosition() === String(position - 1n)))
})

const streamOf = (call: ReadCall): string => streamName(call.request.getOptions()?.getStream()?.getStreamIdentifier())
