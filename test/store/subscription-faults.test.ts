/** Subscriptions that die, fall silent or meet a slow or failing consumer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { openCore } from '../../adapters/store/node/core.ts'
import { openLog } from '../../adapters/store/node/log.ts'
import { positionAfter, type StoredEvent } from '../../adapters/store/node/stored-event.ts'
import { confirmation, refusal } from '../../adapters/store/node/wire.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { eventually } from '../../src/demo/stage.ts'
import { eventAt, lost } from './answers.ts'
import { all, firstOf, newEvent, newStream } from './events.ts'
import { faultyServer, type ReadCall, subscribes } from './faulty-server.ts'
import { newClient, newDirectory } from './open.ts'

/** What a server does to a subscription, right after it has sent some events. */
const ends: Readonly<Record<string, readonly [reason: string, end: (call: ReadCall) => void]>> = {
  'is cut off': ['dropped', (call) => call.emit('error', refusal(status.UNAVAILABLE, 'dropped'))],
  'fails inside the server': ['RST_STREAM', (call) => call.emit('error', refusal(status.INTERNAL, 'RST_STREAM'))],
  'is called too slow': ['too slow', (call) => call.emit('error', refusal(status.ABORTED, 'Consumer too slow'))],
  'is cancelled by the server': ['stopping', (call) => call.emit('error', refusal(status.CANCELLED, 'stopping'))],
  'is refused for a moment': ['not you', (call) => call.emit('error', refusal(status.PERMISSION_DENIED, 'not you'))],
  'ends in order': ['the server ended the subscription', (call) => call.end()],
}

for (const [how, [reason, end]] of Object.entries(ends))
  test(`a subscription that ${how} goes on after the last event it brought, each time`, async (t) => {
    let opened = 0
    const { url } = await faultyServer(t, {
      read: (call) => {
        if (subscribes(call) && ++opened <= 3) afterEvents(call, 5, () => end(call))
        return false
      },
    })
    const told: string[] = []
    const store = newClient(t, url, { log: (message, { error }) => told.push(`${message}: ${error}`) })
    const stream = newStream()
    const ids = Array.from({ length: 30 }, () => newEvent('One'))
    await store.append(stream, -1n, ids)
    t.deepEqual(
      (await firstOf(store, -1n, 30, () => true)).map((e) => e.id),
      ids.map((e) => e.id),
    )
    t.is(opened, 4)
    t.is(told.filter((each) => /^a subscription was lost/.test(each) && each.includes(reason)).length, 3)
  })

test('a subscription that is never confirmed is given up and opened again', async (t) => {
  let opened = 0
  const { url, openReads } = await faultyServer(t, { read: (call) => subscribes(call) && ++opened === 1 })
  const store = newClient(t, url, { limits: { confirmMs: 800 } })
  await store.append(newStream(), -1n, [newEvent('One')])
  t.is((await firstOf(store, -1n, 1, () => true)).length, 1)
  await eventually('the end of both subscriptions', () => openReads() === 0)
})

test('a subscription that is refused over and over is asked for again, less and less often', async (t) => {
  const times: number[] = []
  const { url } = await faultyServer(t, {
    read: (call) =>
      subscribes(call) && times.push(performance.now()) <= 4 && call.emit('error', refusal(status.UNAVAILABLE, 'away')),
  })
  const store = newClient(t, url)
  await store.append(newStream(), -1n, [newEvent('One')])
  t.is((await firstOf(store, -1n, 1, () => true)).length, 1)
  // At least 50, 100, 200 and 400 ms.
  t.true((times[4] ?? 0) - (times[0] ?? 0) > 700)
  t.true((times[4] ?? 0) - (times[3] ?? 0) > 380)
})

test('a quiet log is no stall, nor is one that only the store itself writes to', async (t) => {
  let [stalls, head] = [0, -1n]
  const { url, asked } = await faultyServer(t, {
    read: (call) => {
      // The end of the log, as a server shows it that has written statistics since.
      const backwards = call.request.getOptions()?.getReadDirection() === 1
      if (!backwards) return false
      call.write(eventAt(9n, 1_000_000n, '$stats', '$stats-1'))
      call.write(eventAt(0n, head))
      call.end()
      return true
    },
  })
  const store = newClient(t, url, { limits: { quietMs: 150 }, onStall: () => stalls++ })
  head = (await store.append(newStream(), -1n, [newEvent('One')])).position
  const stop = new AbortController()
  const following = all(store.subscribe(-1n, stop.signal))
  await eventually('a few looks at the head', () => asked.reads.length > 3)
  stop.abort()
  t.is((await following).length, 1)
  t.is(stalls, 0)
  t.is(asked.reads.filter(subscribes).length, 1)
})

test("the store's own events are never shown, wherever they sit and however many they are", async (t) => {
  const core = openCore(mixedLog(newDirectory(t)))
  t.teardown(() => core.close())
  let sent = 0
  const { url } = await faultyServer(t, {
    core,
    read: (call) => {
      if (subscribes(call)) eachEvent(call, () => ++sent > 0)
      return false
    },
  })
  const store = newClient(t, url)
  const own = await all(store.readAll(-1n))
  t.deepEqual(
    own.map((e) => [e.type, e.stream]),
    [
      ['First', 'thing'],
      ['Last', 'thing'],
    ],
  )
  t.is(await store.head(), own[1]?.position ?? -1n)
  t.deepEqual(await firstOf(store, -1n, 2, () => true), own)
  // 702 of the 1,403 events sit in streams that are not the store's; only those need to travel.
  t.true(sent <= 702, `${sent} sent`)
  t.deepEqual(
    (await all(store.read('thing'))).map((e) => e.type),
    ['First', 'Last'],
  )
})

test('a slow consumer holds the server back, and misses nothing', async (t) => {
  let sent = 0
  const { url, core } = await faultyServer(t, {
    read: (call) => {
      if (subscribes(call)) eachEvent(call, () => ++sent > 0)
      return false
    },
  })
  const text = 'x'.repeat(1_000)
  const metadata = Buffer.from(JSON.stringify(newEvent('One').meta))
  const data = Buffer.from(JSON.stringify({ text }))
  for (let at = 0; at < 5_000; at += 500)
    await core.append(
      'thing',
      at - 1,
      Array.from({ length: 500 }, () => ({
        id: crypto.randomUUID(),
        type: 'One',
        contentType: 'application/json',
        data,
        metadata,
      })),
    )
  const store = newClient(t, url)
  const stop = new AbortController()
  let seen = 0n
  for await (const page of store.subscribe(-1n, stop.signal)) {
    if (seen === 0n) {
      for (let before = -1; before < sent; await sleep(300)) before = sent
      t.true(sent < 3_000, `${sent} events were sent to a consumer that has taken ${page.length}`)
    }
    t.true(page.length <= 500)
    for (const event of page) if (event.revision === seen) seen++
    if (seen >= 5_000n) stop.abort()
  }
  t.is(seen, 5_000n)
})

test('a consumer that throws ends its own subscription and no other', async (t) => {
  const { url, openReads } = await faultyServer(t)
  const store = newClient(t, url)
  const stream = newStream()
  const other = firstOf(store, -1n, 2, (e) => e.stream === stream)
  await store.append(stream, -1n, [newEvent('One')])
  const failing = async () => {
    for await (const page of store.subscribe(-1n, new AbortController().signal))
      throw new Error(`cannot handle ${page[0]?.type}`)
  }
  await t.throwsAsync(failing(), { message: 'cannot handle One' })
  await store.append(stream, 0n, [newEvent('Two')])
  t.is((await other).length, 2)
  await eventually('the end of both subscriptions', () => openReads() === 0)
})

test('a log that throws, and whoever is told of a stall, end neither retries nor subscriptions', async (t) => {
  let [opened, reads] = [0, 0]
  const { url } = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 1 ? lost(status.UNAVAILABLE, answer) : answer),
    read: (call) => {
      if (!subscribes(call)) return ++reads === 1 && call.emit('error', refusal(status.INTERNAL, 'RST_STREAM'))
      if (++opened > 2) return false
      call.write(confirmation())
      if (opened === 1) call.end()
      return true
    },
  })
  const failing = () => {
    throw new Error('the log is full')
  }
  const store = newClient(t, url, { log: failing, onStall: failing, limits: { quietMs: 100 } })
  const { revision } = await store.append('thing', -1n, [newEvent('One')])
  t.is(revision, 0n)
  t.is((await all(store.read('thing'))).length, 1)
  t.is((await firstOf(store, -1n, 1, () => true)).length, 1)
  t.true(opened >= 3)
})

test('an event that Daybook did not write ends no subscription: it is shown, and what comes after it', async (t) => {
  const { url, core } = await faultyServer(t)
  const [data, metadata] = [Buffer.from('{}'), Buffer.from('{}')]
  await core.append('foreign-1', -1, [
    { id: crypto.randomUUID(), type: 'Foreign', contentType: 'application/json', data, metadata },
  ])
  const store = newClient(t, url)
  await store.append('thing-1', -1n, [newEvent('Made')])
  const [foreign, made] = await firstOf(store, -1n, 2, () => true)
  t.throws(() => foreign?.data, { instanceOf: UnreadableEvent })
  t.is(made?.type, 'Made')
})

/** Says of each event that a call would send whether it is sent. */
const eachEvent = (call: ReadCall, passes: () => boolean): void => {
  const write = call.write.bind(call) as (message: unknown) => boolean
  call.write = ((message: { hasEvent(): boolean }) =>
    message.hasEvent() && !passes() ? true : write(message)) as typeof call.write
}

/** Lets so many events through and none after them, and then does something once. */
const afterEvents = (call: ReadCall, count: number, then: () => void): void => {
  let sent = 0
  eachEvent(call, () => {
    if (++sent === count) setImmediate(then)
    return sent <= count
  })
}

/**
 * A log with two events of ours and, before, between and after them, more of the store's own than a page or a step
 * holds.
 */
const mixedLog = (directory: string): string => {
  const file = `${directory}/mixed.db`
  const log = openLog(file)
  const meta = Buffer.from(JSON.stringify(newEvent('One').meta))
  let last = log.readAll(Number.MAX_SAFE_INTEGER, 1, 'backwards')[0] as StoredEvent
  const heads = new Map<string, number>()
  const next = (stream: string, type: string): StoredEvent => {
    const revision = (heads.get(stream) ?? -1) + 1
    heads.set(stream, revision)
    const event = { position: positionAfter(last), stream, revision, id: crypto.randomUUID(), type }
    last = { ...event, contentType: 'application/json', created: 0, metadata: meta, data: Buffer.from('{}') }
    return last
  }
  const own = (count: number) => Array.from({ length: count }, (_, i) => next(i % 2 ? '$stats' : 'links', '$>'))
  log.write([...own(600), next('thing', 'First'), ...own(600), next('thing', 'Last'), ...own(200)])
  log.close()
  return file
}
