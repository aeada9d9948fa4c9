/** Connections that go dead, servers that are not there yet or not the leader, and the end of a store. */
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { refusal } from '../../adapters/store/node/wire.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { denied, later, lost, notLeader } from './answers.ts'
import { all, firstOf, newEvent, newStream } from './events.ts'
import { faultyServer, subscribes } from './faulty-server.ts'
import { connectionString, newClient, newCore, newNode } from './open.ts'
import { wireProxy } from './wire-proxy.ts'

for (const subscribed of [false, true])
  test(`a connection that died without a sign ${subscribed ? 'under a subscription' : 'while idle'} is noticed and made anew`, async (t) => {
    const { served } = await newNode(t)
    const wire = await wireProxy(t, served.address)
    const store = newClient(t, `esdb://${wire.address}?tls=false&keepAliveInterval=300&keepAliveTimeout=800`)
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('Before')])
    const following = subscribed ? firstOf(store, -1n, 2, (e) => e.stream === stream) : undefined
    if (subscribed) await sleep(200)
    wire.silence()
    await store.append(stream, 0n, [newEvent('After')])
    t.deepEqual(
      (await (following ?? all(store.read(stream)))).map((e) => e.type),
      ['Before', 'After'],
    )
    t.true(wire.made() >= 2)
  })

for (const scheme of ['esdb', 'esdb+discover'])
  test(`${scheme}: a store that is not there yet is waited for by whoever appends, reads or subscribes`, async (t) => {
    const core = newCore(t)
    const address = `127.0.0.1:${await freePort()}`
    const url = `${scheme}://${address}?tls=false&maxDiscoverAttempts=2&discoveryInterval=50`
    const store = newClient(t, url)
    const stream = newStream()
    const appended = store.append(stream, -1n, [newEvent('Early')])
    const read = store.head()
    const following = firstOf(store, -1n, 1, (e) => e.stream === stream)
    await sleep(600)
    const served = await serveProtocol(core, address)
    t.teardown(() => served.stop())
    t.is((await appended).revision, 0n)
    t.true((await read) >= -1n)
    t.is((await following).length, 1)
  })

test('a call that breaks off while the cluster is looked for in vain ends like any other', async (t) => {
  let leader = ''
  let reads = 0
  const { address, asked } = await faultyServer(t, {
    leader: () => leader,
    append: (attempt, answer) => (attempt === 1 ? lost(status.UNAVAILABLE, answer) : answer),
    read: () => ++reads === 1,
  })
  const wire = await wireProxy(t, address)
  leader = wire.address
  const told: string[] = []
  const store = newClient(t, `esdb+discover://${address}?tls=false&maxDiscoverAttempts=5&discoveryInterval=100`, {
    log: (_, { error }) => told.push(String(error)),
  })
  const held = store.head()
  await eventually('the read under way', () => asked.reads.length === 1)
  leader = ''
  const refused = store.append(newStream(), -1n, [newEvent('Refused')])
  await eventually('the refusal', () => told.length === 1)
  await sleep(100)
  wire.cut()
  await eventually('a search in vain', () => told.some((error) => error.includes('Failed to discover')))
  leader = wire.address
  t.is((await refused).revision, 0n)
  t.true((await held) >= 0n)
})

test('a node that is not the leader sends us to the leader, where the call is made again', async (t) => {
  const leader = await faultyServer(t)
  const follower = await faultyServer(t, {
    core: leader.core,
    append: (_, answer) => () => answer(notLeader(leader.address)),
    read: (call) => call.emit('error', notLeader(leader.address)),
  })
  for (const [what, use] of Object.entries({
    append: (store: ReturnType<typeof newClient>) => store.append(newStream(), -1n, [newEvent('One')]),
    read: (store: ReturnType<typeof newClient>) => all(store.readAll(-1n)),
    subscription: (store: ReturnType<typeof newClient>) => firstOf(store, -1n, 1, () => true),
  })) {
    const store = newClient(t, follower.url)
    await t.notThrowsAsync(use(store), what)
    const before = follower.asked.reads.length
    await all(store.read('thing'))
    t.is(follower.asked.reads.length, before, `${what}: the next call goes to the leader at once`)
  }
  t.true(leader.asked.appends === 1 && leader.asked.reads.some(subscribes))
})

for (const [code, words] of [
  [status.UNAVAILABLE, 'Server Is Too Busy'],
  [status.UNAVAILABLE, 'Server Is Not Ready'],
  [status.UNKNOWN, 'No leader info available in response'],
  [status.ABORTED, 'Operation timed out: Write timeout'],
] as const)
  test(`a server that says “${words}” is asked again`, async (t) => {
    let reads = 0
    const { url, core } = await faultyServer(t, {
      append: (attempt, answer) => {
        if (attempt > 2) return answer
        return attempt === 1 ? () => answer(refusal(code, words)) : denied(status.OK, words, answer, 'Empty')
      },
      read: (call) => ++reads <= 2 && call.emit('error', refusal(code, words)),
    })
    const store = newClient(t, url)
    await store.append('thing', -1n, [newEvent('One')])
    t.is((await all(store.read('thing'))).length, 1)
    t.is(core.head('thing'), 0)
  })

test('closing a store ends its connection, after the append that is under way', async (t) => {
  const { address, asked } = await faultyServer(t, {
    append: (attempt, answer) => (attempt === 2 ? later(300, answer) : answer),
  })
  const wire = await wireProxy(t, address)
  const store = eventStoreDb(connectionString(wire.address))
  await store.append('thing', -1n, [newEvent('One')])
  const following = all(store.subscribe(-1n, new AbortController().signal))
  const last = store.append('thing', 0n, [newEvent('Last')])
  await eventually('the append under way', () => asked.appends === 2)
  await store.close()
  t.is((await last).revision, 1n)
  await eventually('the end of the connection', () => wire.open() === 0, 5_000)
  t.true((await following).length <= 2)
  t.is(wire.made(), 1)
})

test('a store that is closed while its server is still looked for makes no connection', async (t) => {
  let searches = 0
  const seed = await faultyServer(t, {
    leader: () => {
      searches++
      return wire.address
    },
  })
  const wire = await wireProxy(t, seed.address)
  const store = eventStoreDb(`esdb+discover://${seed.address}?tls=false`)
  const read = store.head()
  const append = store.append(newStream(), -1n, [newEvent('One')])
  await store.close()
  await t.throwsAsync(read, { message: 'the event store is closed' })
  // Unlike the read it hears what the search came to, and would be sent if there were a channel.
  const error = await t.throwsAsync(append, { instanceOf: OutcomeUnknown })
  t.regex(String(error?.cause), /the event store is closed/)
  t.is(searches, 1)
  t.is(seed.asked.appends, 0)
  t.is(wire.made(), 0)
})

test('an append that is being tried again gives up when its store closes', async (t) => {
  const { url, asked } = await faultyServer(t, { append: (_, answer) => lost(status.INTERNAL, answer) })
  const told: number[] = []
  const store = eventStoreDb(url, {
    log: () => {
      if (told.push(asked.appends) === 2) void store.close()
    },
  })
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('One')]), { instanceOf: OutcomeUnknown })
  t.deepEqual(told, [1, 2])
  t.is(asked.appends, 2)
})

test('an append that begins while its store closes ends as one whose outcome is unknown, or is written', async (t) => {
  const { address, core } = await faultyServer(t)
  const wire = await wireProxy(t, address)
  for (let round = 0; round < 20; round++) {
    const store = eventStoreDb(connectionString(wire.address))
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('One')])
    const last = store.append(stream, 0n, [newEvent('Last')])
    for (let i = 0; i < round; i++) await undefined
    await store.close()
    const [{ status: how, ...rest }] = await Promise.allSettled([last])
    if (how === 'fulfilled') t.is(core.head(stream), 1)
    else t.true('reason' in rest && rest.reason instanceof OutcomeUnknown)
  }
  await eventually('the end of the connections', () => wire.open() === 0, 5_000)
})

test('many reads and appends share one connection', async (t) => {
  const { served } = await newNode(t)
  const wire = await wireProxy(t, served.address)
  const store = newClient(t, connectionString(wire.address))
  await Promise.all(Array.from({ length: 40 }, () => store.append(newStream(), -1n, [newEvent('One')])))
  await Promise.all(Array.from({ length: 40 }, () => store.head()))
  t.is(wire.made(), 1)
})
