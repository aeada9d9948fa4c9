import { status } from '@grpc/grpc-js'
import test from 'ava'
import { confirmation, refusal } from '../../adapters/store/node/wire.ts'
import { OutcomeUnknown, WrongRevision } from '../../domain/kernel/ports.ts'
import { type Answer, denied, lost, never, wrongVersion } from './answers.ts'
import { all, firstOf, newEvent, newStream } from './events.ts'
import { faultyServer, subscribes } from './faulty-server.ts'
import { newClient } from './open.ts'

for (const code of [status.UNAVAILABLE, status.CANCELLED, status.DEADLINE_EXCEEDED, status.INTERNAL, status.ABORTED])
  test(`an append whose answer is lost (${status[code]}) is sent again and written once`, async (t) => {
    const { url } = await faultyServer(t, {
      append: (attempt, answer) => (attempt === 1 ? lost(code, answer) : answer),
    })
    const store = newClient(t, url)
    const stream = newStream()
    const done = await store.append(stream, -1n, [newEvent('One'), newEvent('Two')])
    const events = await all(store.read(stream))
    t.deepEqual(
      events.map((e) => e.type),
      ['One', 'Two'],
    )
    t.deepEqual(done, { revision: 1n, position: events[1]?.position ?? 0n })
  })

for (const [code, words, type] of [
  [status.DEADLINE_EXCEEDED, 'Timeout', 'Timeout'],
  [status.UNKNOWN, 'Unknown', 'Unknown'],
  [status.INTERNAL, 'Envelope callback expected', 'Empty'],
] as const)
  test(`an append that the server answers with “${words}” is sent again and written once`, async (t) => {
    const { url, asked } = await faultyServer(t, {
      append: (attempt, answer) => (attempt === 1 ? denied(code, words, answer, type) : answer),
    })
    const stream = newStream()
    const store = newClient(t, url)
    t.is((await store.append(stream, -1n, [newEvent('One')])).revision, 0n)
    t.is((await all(store.read(stream))).length, 1)
    // The call is none the worse for it.
    t.deepEqual([asked.appends, asked.appendCalls], [2, 1])
  })

test('a call that ends with a refusal after it has answered says nothing of what is open on it', async (t) => {
  for (const code of [status.PERMISSION_DENIED, status.INVALID_ARGUMENT, status.NOT_FOUND, status.UNIMPLEMENTED]) {
    const { url } = await faultyServer(t, {
      append: (attempt, answer) => (attempt === 2 ? lost(code, answer) : answer),
    })
    const store = newClient(t, url)
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('One')])
    t.is((await store.append(stream, 0n, [newEvent('Two')])).revision, 1n, status[code])
    t.is((await all(store.read(stream))).length, 2)
  }
})

test('a conflict after a lost answer is our own append when its ids sit in the stream', async (t) => {
  const { url } = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 1 ? lost(status.UNAVAILABLE, answer) : wrongVersion(answer)),
  })
  const store = newClient(t, url)
  const stream = newStream()
  const done = await store.append(stream, -1n, [newEvent('One'), newEvent('Two')])
  t.deepEqual(done, { revision: 1n, position: (await all(store.read(stream)))[1]?.position ?? 0n })
})

test('a conflict after a lost answer is a conflict when others sit in the stream', async (t) => {
  const stream = newStream()
  const { core, url } = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 1 ? lost(status.UNAVAILABLE, answer) : answer),
  })
  const theirs = new TextEncoder().encode('{}')
  await core.append(stream, -1, [
    { id: crypto.randomUUID(), type: 'Theirs', contentType: 'application/json', data: theirs, metadata: theirs },
  ])
  await t.throwsAsync(newClient(t, url).append(stream, -1n, [newEvent('Ours')]), { instanceOf: WrongRevision })
})

test('a refusal after a lost answer leaves the outcome unknown, a refusal at once does not', async (t) => {
  const no = (answer: Answer) => denied(status.PERMISSION_DENIED, 'AccessDenied', answer, 'AccessDenied')
  const first = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 1 ? lost(status.UNAVAILABLE, answer) : no(answer)),
  })
  await t.throwsAsync(newClient(t, first.url).append(newStream(), -1n, [newEvent('One')]), {
    instanceOf: OutcomeUnknown,
  })
  for (const refused of [no, (answer: Answer) => lost(status.UNAUTHENTICATED, answer)]) {
    const { url, asked } = await faultyServer(t, { append: (_, answer) => refused(answer) })
    const error = await t.throwsAsync(newClient(t, url).append(newStream(), -1n, [newEvent('One')]))
    t.false(error instanceof OutcomeUnknown)
    t.is(asked.appends, 1)
  }
})

test('an answer without its position gets it from the event', async (t) => {
  const { url } = await faultyServer(t, {
    append: (_, answer) => (error, response) => {
      response?.getSuccess()?.clearPosition()
      answer(error, response)
    },
  })
  const store = newClient(t, url)
  const stream = newStream()
  const done = await store.append(stream, -1n, [newEvent('One'), newEvent('Two')])
  t.is(done.position, (await all(store.read(stream)))[1]?.position ?? 0n)
})

test('a silent server is given up on in time and the append sent again', async (t) => {
  const { url } = await faultyServer(t, { append: (attempt, answer) => (attempt === 1 ? never : answer) })
  const store = newClient(t, url, { limits: { appendTryMs: 300 } })
  const stream = newStream()
  t.is((await store.append(stream, -1n, [newEvent('One')])).revision, 0n)
  t.is((await all(store.read(stream))).length, 1)
})

test('a subscription that falls silent while the log grows is reported and opened again', async (t) => {
  let subscriptions = 0
  const { url } = await faultyServer(t, {
    read: (call) => {
      if (!subscribes(call) || ++subscriptions > 1) return false
      call.write(confirmation())
      return true
    },
  })
  let stalls = 0
  const store = newClient(t, url, { limits: { quietMs: 200 }, onStall: () => stalls++ })
  const stream = newStream()
  const following = firstOf(store, -1n, 1, (e) => e.stream === stream)
  await store.append(stream, -1n, [newEvent('Missed')])
  t.is((await following).length, 1)
  t.is(stalls, 1)
})

test('a read that breaks off is tried again', async (t) => {
  let reads = 0
  const { url } = await faultyServer(t, {
    read: (call) => {
      if (++reads > 2) return false
      call.emit('error', refusal(status.INTERNAL, 'reset'))
      return true
    },
  })
  const store = newClient(t, url)
  const stream = newStream()
  await store.append(stream, -1n, [newEvent('One')])
  t.is((await all(store.read(stream))).length, 1)
  // Two that broke off, the read itself, and the two that tell where the order of this log begins.
  t.is(reads, 5)
})
