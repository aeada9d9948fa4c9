/** Progress of followers between two processes, over the real channels. Checkpoints are looked up once an hour. */
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createProgress } from '../../adapters/following/progress.ts'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import { openChannels } from '../../adapters/processes/channels.ts'
import type { FollowersPlace } from '../../adapters/processes/followers-exchange.ts'
import { type HomeServer, startHomeServer } from '../../adapters/processes/home-server.ts'
import { openHomes, type Peers } from '../../adapters/processes/homes.ts'
import { createPeerProof } from '../../adapters/processes/peer-proof.ts'
import type { Member } from '../../adapters/processes/presence.ts'
import { DECLINED } from '../../domain/write-side/homes.ts'
import { prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { eventually } from '../../src/demo/stage.ts'
import { followElsewhere } from '../../src/engine/elsewhere.ts'
import { testDatabase } from '../support/postgres.ts'

const PROOF = createPeerProof(Buffer.alloc(32, 1), '1.0.0')
const HOUR_MS = 3_600_000
const POLICIES = ['bill', 'record']
const READ_MODELS = ['read-model-accounts', 'read-model-resources']

test('N-108 who waits is told by message once the followers elsewhere have come so far, and not before', async (t) => {
  const { process } = await setUp(t)
  const [leader, standby] = [await process(true), await process(false)]
  const waiting = standby.reached('bill', 7n)
  await leader.tell('no JSON')
  await leader.tell('{"from":"x","settled":"no position","place":{}}')
  standby.elsewhere.ask('settled', 7n)
  await sleep(100)
  t.is(standby.at('bill'), -1n)
  leader.come({ policies: 7n, newest: 9n, rows: 9n, behind: [] })
  t.true(await waiting)
  t.deepEqual([...POLICIES, ...READ_MODELS].map(standby.at), [7n, 7n, 9n, 9n])
  // The rows of what the policies wrote are waited for as well.
  t.is(standby.elsewhere.newest(), 9n)
})

test('N-108 a follower that has not come so far is told by its name, and holds up nobody else', async (t) => {
  const { process } = await setUp(t)
  const [leader, standby] = [await process(true), await process(false)]
  const waiting = standby.reached('bill', 7n)
  standby.elsewhere.ask('settled', 7n)
  leader.come({ policies: 7n, newest: 9n, rows: 9n, behind: ['record', 'read-model-resources'] })
  t.true(await waiting)
  t.deepEqual([...POLICIES, ...READ_MODELS].map(standby.at), [7n, -1n, 9n, -1n])
})

test('N-108 a question that was lost is asked again by who still waits, and nothing is told while nobody waits', async (t) => {
  const { process, sql, messages } = await setUp(t)
  const [leader, standby] = [await process(true), await process(false)]
  await sleep(300)
  t.deepEqual(messages, [])
  leader.come({ policies: 7n, newest: 7n, rows: 7n, behind: [] })
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'daybook processes' and datname = current_database()`
  const waiting = standby.reached('bill', 7n)
  const asking = setInterval(() => standby.elsewhere.ask('settled', 7n), 100)
  t.true(await waiting)
  clearInterval(asking)
})

test('N-108 who knows where the followers run asks there alone, and everybody again when no answer comes', async (t) => {
  const { process, messages } = await setUp(t)
  const [leader, standby] = [await process(true), await process(false)]
  const asked = (position: bigint) => {
    standby.elsewhere.ask('settled', position)
    return standby.reached('bill', position)
  }
  leader.come({ policies: 7n, newest: 7n, rows: 7n, behind: [] })
  t.true(await asked(7n))
  // Who listens to all hears by a connection of its own, perhaps after the answer.
  await eventually('the first question, which goes to all', () => messages.length > 0)
  t.is(messages.length, 1, 'its answer goes to the one who asked')
  leader.come({ policies: 8n, newest: 8n, rows: 8n, behind: [] })
  t.true(await asked(8n))
  t.is(messages.length, 1)
  // The followers run elsewhere now, and who ran them says nothing.
  leader.leaves()
  const next = await process(true)
  next.come({ policies: 9n, newest: 9n, rows: 9n, behind: [] })
  const asking = setInterval(() => standby.elsewhere.ask('settled', 9n), 100)
  t.teardown(() => clearInterval(asking))
  t.true(await standby.reached('bill', 9n))
  await eventually('who listens to all to hear the question', () => messages.length >= 2)
})

test('N-108 a process of a former release is answered where it listens', async (t) => {
  const { process, messages } = await setUp(t)
  const leader = await process(true)
  leader.come({ policies: 7n, newest: 7n, rows: 7n, behind: [] })
  await leader.tell('{"from":"old","settled":"7"}')
  await eventually('the answer', () => messages.some((message) => message.includes('"place"')))
  t.pass()
})

test('N-108 processes that are connected ask and answer each other without PostgreSQL, and with it once they are not', async (t) => {
  const group = connectedGroup(t)
  const { process, opened } = await setUp(t, group)
  const [leader, standby] = [await process(true), await process(false)]
  const notified: string[] = []
  const own = opened()
  for (const { id } of [leader, standby])
    await new Promise<void>((renewed) =>
      own.listen(`daybook_followers_${id}`, { heard: (message) => notified.push(message), renewed }),
    )
  for (const [from, to] of [
    [leader, standby],
    [standby, leader],
  ] as const)
    await eventually('a connection', () => from.peers.tell(to.id, '{}'))
  const asked = async (position: bigint) => {
    leader.come({ policies: position, newest: position, rows: position, behind: [] })
    const asking = setInterval(() => standby.elsewhere.ask('settled', position), 100)
    standby.elsewhere.ask('settled', position)
    const came = await standby.reached('bill', position)
    clearInterval(asking)
    return came
  }
  for (let position = 1n; position <= 20n; position++) t.true(await asked(position))
  t.deepEqual(notified, [])
  await group.cut(leader.id)
  await group.cut(standby.id)
  t.true(await asked(21n))
  t.true(await asked(22n))
  await eventually('a message of PostgreSQL', () => notified.length > 0)
})

test('N-108 many who wait at the same moment are one question and one answer', async (t) => {
  const { process, messages } = await setUp(t)
  const [leader, standby] = [await process(true), await process(false)]
  const waiting = Array.from({ length: 100 }, (_, n) => standby.reached('bill', BigInt(n)))
  for (let n = 0; n < 100; n++) standby.elsewhere.ask('settled', BigInt(n))
  leader.come({ policies: 99n, newest: 99n, rows: 99n, behind: [] })
  t.true((await Promise.all(waiting)).every(Boolean))
  t.true(messages.length <= 4, messages.join('\n'))
})

test('N-108 without any message the checkpoints tell, also that a follower has gone back', async (t) => {
  const { process, checkpoints } = await setUp(t)
  const standby = await process(false, 100)
  await checkpoints.save('bill', 5n)
  t.true(await standby.reached('bill', 5n))
  // It was told of more than the checkpoint says for so long that a crash must have taken it back.
  standby.advance('record', 8n)
  for (let tries = 0; tries < 200 && standby.at('record') === 8n; tries++) await sleep(25)
  t.is(standby.at('record'), -1n)
})

/** Processes of one installation that are connected to each other, as far as `cut` has left them so. */
const connectedGroup = (t: ExecutionContext) => {
  const members: Member[] = []
  const servers = new Map<string, HomeServer>()
  return {
    async join(id: string): Promise<Peers> {
      const server = await startHomeServer('127.0.0.1', PROOF)
      t.teardown(() => server.close())
      servers.set(id, server)
      members.push({ id, address: `127.0.0.1:${server.port}`, parts: [], since: new Date(0) })
      const listeners = new Set<(message: string) => void>()
      const told = (message: string) => {
        for (const heard of listeners) heard(message)
      }
      server.open(id, { decide: async () => DECLINED, contended: () => {}, told })
      const homes = openHomes({ id, members: () => members, changed: () => () => {} }, PROOF)
      t.teardown(() => homes.close())
      return {
        tell: homes.tell,
        listen(heard) {
          listeners.add(heard)
          return () => listeners.delete(heard)
        },
      }
    },
    cut: (id: string) => servers.get(id)?.close(),
  }
}

const UNCONNECTED: Peers = { tell: () => false, listen: () => () => {} }

const setUp = async (t: ExecutionContext, group?: ReturnType<typeof connectedGroup>) => {
  const { url, sql } = await testDatabase(t)
  await prepareSchema(sql, SERVING)
  const checkpoints = await createCheckpoints(sql)
  const messages: string[] = []
  const opened = () => {
    const channels = openChannels(url)
    t.teardown(() => channels.close())
    return channels
  }
  await new Promise<void>((renewed) =>
    opened().listen('daybook_followers', { heard: (message) => messages.push(message), renewed }),
  )
  let processes = 0
  const process = async (isLeader: boolean, lookEveryMs = HOUR_MS) => {
    let leads = isLeader
    const stop = new AbortController()
    t.teardown(() => stop.abort())
    const channels = opened()
    const progress = new Map([...POLICIES, ...READ_MODELS].map((name) => [name, createProgress()]))
    let coming = Promise.withResolvers<FollowersPlace>()
    const id = `process-${++processes}`
    const peers = group ? await group.join(id) : UNCONNECTED
    const led = { leads: () => leads, settled: () => coming.promise, projected: () => coming.promise }
    const parts = {
      sql,
      checkpoints,
      channels,
      store: { head: async () => -1n },
      feed: { head: () => -1n, hearsAll: () => true },
      freshness: { told: () => {} },
      peers,
      presence: { id },
      leases: { holds: () => leads },
      log: pino({ level: 'silent' }),
    }
    const followers = { progress, policies: new Set(POLICIES), readModels: READ_MODELS, led }
    const elsewhere = followElsewhere(parts, followers, stop.signal, lookEveryMs)
    await new Promise<void>((renewed) => channels.listen('daybook_followers', { heard: () => {}, renewed }))
    return {
      id,
      elsewhere,
      peers,
      tell: (message: string) => channels.tell('daybook_followers', message),
      come(place: FollowersPlace) {
        coming.resolve(place)
        coming = Promise.withResolvers()
        coming.resolve(place)
      },
      leaves() {
        leads = false
      },
      at: (name: string) => progress.get(name)?.at(),
      advance: (name: string, to: bigint) => progress.get(name)?.advance(to),
      reached: async (name: string, position: bigint) => (await progress.get(name)?.reached(position, 5_000)) ?? false,
    }
  }
  return { sql, checkpoints, messages, opened, process }
}
