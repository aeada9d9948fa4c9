import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createLeases, type Leases } from '../../adapters/postgres/lease.ts'
import { testDatabase } from '../support/postgres.ts'

test('Of many holders, in one process and in several, one works at a time and each gets its turn', async (t) => {
  const { leases } = await setUp(t)
  const processes = [leases(), leases()]
  let working = 0
  let turns = 0
  const work = async () => {
    t.is(++working, 1)
    await sleep(30)
    working--
    turns++
  }
  const { signal } = new AbortController()
  await Promise.all([...processes, ...processes].map((each) => each.hold('projection', signal, work)))
  t.is(turns, 4)
})

test('Different names do not wait for each other', async (t) => {
  const { leases } = await setUp(t)
  const [one, other] = [leases(), leases()]
  const stop = new AbortController()
  const runs = [one.hold('a', stop.signal, untilAborted), one.hold('b', stop.signal, untilAborted)]
  runs.push(other.hold('c', stop.signal, untilAborted))
  await eventually(t, () => one.holds('a') && one.holds('b') && other.holds('c'))
  t.false(other.holds('a'))
  stop.abort()
  await Promise.all(runs)
})

test('Of many names that are wanted at the same moment each is given or refused by itself', async (t) => {
  const { leases } = await setUp(t)
  const [one, other] = [leases(), leases()]
  const stop = new AbortController()
  const names = Array.from({ length: 40 }, (_, n) => `name-${n}`)
  const held = names.filter((_, n) => n % 7 === 0)
  const runs = held.map((name) => one.hold(name, stop.signal, untilAborted))
  await eventually(t, () => held.every((name) => one.holds(name)))
  runs.push(...names.map((name) => other.hold(name, stop.signal, untilAborted)))
  const free = names.filter((name) => !held.includes(name))
  await eventually(t, () => free.every((name) => other.holds(name)))
  t.deepEqual(
    held.filter((name) => other.holds(name) || !one.holds(name)),
    [],
  )
  stop.abort()
  await Promise.all(runs)
})

test('An abort ends the work, lets the lock go and ends the waiting', async (t) => {
  const { leases } = await setUp(t)
  const [first, second] = [leases(), leases()]
  const stop = new AbortController()
  const running = first.hold('policy', stop.signal, untilAborted)
  await eventually(t, () => first.holds('policy'))
  const stopSecond = new AbortController()
  const waiting = second.hold('policy', stopSecond.signal, untilAborted)
  await sleep(50)
  t.false(second.holds('policy'))

  stop.abort()
  await running
  t.false(first.holds('policy'))
  await eventually(t, () => second.holds('policy'))
  stopSecond.abort()
  await waiting

  const never = new AbortController()
  never.abort()
  await first.hold('policy', never.signal, async () => void t.fail('an aborted holder must not work'))
})

test('When the connection of the holder is lost its work is aborted, another takes over, and it competes again', async (t) => {
  const { leases, sql } = await setUp(t)
  const log: string[] = []
  const worker = (name: string) => async (signal: AbortSignal) => {
    log.push(`${name} starts`)
    if (!signal.aborted) await once(signal, 'abort')
    log.push(`${name} stops`)
  }
  const [first, second] = [leases(), leases()]
  const [stop, stopSecond] = [new AbortController(), new AbortController()]
  const runs = [first.hold('watcher', stop.signal, worker('first'))]
  await eventually(t, () => first.holds('watcher'))
  runs.push(second.hold('watcher', stopSecond.signal, worker('second')))
  await sleep(100)

  const killed = await sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`
  t.is(killed.length, 1)
  // The server may hand the lock on a moment before the first one hears that its connection is gone.
  await eventually(t, () => log.includes('first stops') && log.length >= 3)

  // Whoever won the second turn, the other one gets the third.
  const secondWon = log.includes('second starts')
  ;(secondWon ? stopSecond : stop).abort()
  await eventually(t, () => (secondWon ? first : second).holds('watcher'))
  stop.abort()
  stopSecond.abort()
  await Promise.all(runs)
  t.is(log.length, 6)
})

test('A connection that falls silent without being closed counts as lost', async (t) => {
  const { url } = await testDatabase(t)
  const silent = await silentProxy(t, url)
  const own = createLeases(silent.url)
  t.teardown(() => own.close())
  const stop = new AbortController()
  let aborted = false
  const running = own.hold('task', stop.signal, async (signal) => {
    await untilAborted(signal)
    aborted ||= !stop.signal.aborted
  })
  await eventually(t, () => own.holds('task'))
  silent.begin()
  await eventually(t, () => aborted)
  stop.abort()
  await running
})

test('An error of the work reaches the caller, and the lock is free again', async (t) => {
  const { leases } = await setUp(t)
  const [first, second] = [leases(), leases()]
  const { signal } = new AbortController()
  await t.throwsAsync(
    first.hold('task', signal, () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  await second.hold('task', signal, async () => void t.pass())
})

test('Closing aborts the work and waits for its end', async (t) => {
  const { leases } = await setUp(t)
  const own = leases()
  let ended = false
  const running = own.hold('task', new AbortController().signal, async (signal) => {
    await untilAborted(signal)
    await sleep(20)
    ended = true
  })
  await eventually(t, () => own.holds('task'))
  await own.close()
  t.true(ended)
  await running
})

test('A holder that cannot reach the database keeps trying until it is told to stop', async (t) => {
  const own = createLeases('postgres://nobody:x@127.0.0.1:1/none')
  const stop = new AbortController()
  const waiting = own.hold('task', stop.signal, async () => void t.fail('there is no lock to hold'))
  await sleep(300)
  t.false(own.holds('task'))
  stop.abort()
  await waiting
  await own.close()
})

async function setUp(t: ExecutionContext) {
  const { url, sql } = await testDatabase(t)
  const leases = (): Leases => {
    const own = createLeases(url)
    t.teardown(() => own.close())
    return own
  }
  return { leases, sql }
}

/** Passes everything on to the server until it is told to swallow it, as a broken network would. */
async function silentProxy(t: ExecutionContext, url: string) {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let silent = false
  const proxy = createServer((client) => {
    const server = createConnection(Number(port), hostname)
    sockets.push(client, server)
    client.on('data', (bytes) => silent || server.write(bytes)).on('error', () => {})
    server.on('data', (bytes) => silent || client.write(bytes)).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const through = new URL(url)
  through.port = String((proxy.address() as AddressInfo).port)
  return {
    url: through.href,
    begin: () => {
      silent = true
    },
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

async function eventually(t: ExecutionContext, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds()) break
    await sleep(25)
  }
  t.true(holds(), 'it did not come true within 10 s')
}
