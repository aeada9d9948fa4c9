import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { HOME_LIMITS } from '../../adapters/processes/home-client.ts'
import { startHomeServer } from '../../adapters/processes/home-server.ts'
import { homeAmong, openHomes } from '../../adapters/processes/homes.ts'
import { createPeerProof } from '../../adapters/processes/peer-proof.ts'
import type { Member } from '../../adapters/processes/presence.ts'
import { fold } from '../../domain/kernel/decider.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { newStore, noSnapshots, streamOf } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** Ledgers of several processes on one real log, which hand commands over by real connections. */

const PROOF = createPeerProof(Buffer.alloc(32, 1), '1.0.0')
/** A machine that is busy with other tests answers late; what is late is told by other tests. */
const PATIENT = { ...HOME_LIMITS, answerMs: 60_000 }

test('N-111 of many writes of two processes to one stream fewer than one in a hundred loses a race', async (t) => {
  const { group, store } = await startGroup(t, ['A', 'B'])
  const [first] = group
  await first?.ledger.stock.change('tea', { ...BY, count: 10_000, reason: 'counted' })
  const lost = () => group.reduce((sum, { doors }) => sum + doors.counts.lostRaces, 0)
  const takeAll = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => take(group[n % 2], 'tea')))
  const handed = () => group.reduce((sum, { doors }) => sum + doors.counts.decided, 0)
  let taken = 0
  for (; handed() === 0; taken += 10) await takeAll(10)
  t.true(lost() > 0, 'there was no race')
  const before = lost()
  for (let round = 0; round < 40; round++) await takeAll(20)
  t.true(lost() - before <= 8, `${lost() - before} of 800`)
  t.is(await left(store, 'tea'), 9_200 - taken)
  const forOthers = group.reduce((sum, { doors }) => sum + doors.counts.forOthers, 0)
  t.is(handed(), forOthers)
  t.true(handed() >= 390, `${handed()} handed over`)
})

test('N-111 a refusal of the home has the same code and words, and who reads next sees what the home wrote', async (t) => {
  const { group } = await startGroup(t, ['A', 'B'])
  const stream = 'stock-coffee'
  const home = homeAmong(
    group.map(({ member }) => member),
    stream,
  )
  const there = group.find(({ member }) => member.id === home?.id)
  const here = group.find(({ member }) => member.id !== home?.id)
  await there?.ledger.stock.change('coffee', { ...BY, count: 1, reason: 'counted' })
  const refusedThere = await t.throwsAsync(
    there?.ledger.stock.change('coffee', { ...BY, delta: -2, reason: 'lost' }) as Promise<unknown>,
  )
  here?.doors.contended(stream, 0n)
  await connected(here, stream)
  const refused = await t.throwsAsync(
    here?.ledger.stock.change('coffee', { ...BY, delta: -2, reason: 'lost' }) as Promise<unknown>,
    { instanceOf: Refusal },
  )
  t.is(refused?.code, (refusedThere as Refusal).code)
  t.is(refused?.detail, (refusedThere as Refusal).detail)
  const done = await take(here, 'coffee')
  t.is(done?.state.count, 0)
  t.is((await here?.ledger.stock.recent('coffee'))?.count, 0)
  t.true(Number(here?.doors.counts.decided) >= 2)
  t.is(here?.doors.newest(), done?.position)
})

test('N-111 a stream moves only when its own home comes or goes', (t) => {
  const members = ['a', 'b', 'c', 'd'].map(memberOf)
  const streams = Array.from({ length: 400 }, (_, n) => `stock-${n}`)
  const homes = streams.map((stream) => homeAmong(members, stream)?.id)
  for (const { id } of members) t.true(homes.filter((home) => home === id).length > 50)
  const without = members.filter(({ id }) => id !== 'c')
  const moved = streams.filter((stream, n) => homeAmong(without, stream)?.id !== homes[n])
  t.is(moved.length, homes.filter((home) => home === 'c').length)
  t.is(homeAmong([...members].reverse(), 'stock-7')?.id, homes[7])
  t.is(homeAmong([{ ...memberOf('e'), address: undefined }], 'stock-7'), undefined)
})

const BY = { accountId: ACCOUNT, by: 'k' } as const

type Neighbour = Awaited<ReturnType<typeof startGroup>>['group'][number]

const take = (process: Neighbour | undefined, product: string) =>
  process?.ledger.stock.change(product, { ...BY, delta: -1, reason: 'lost' })

const left = async (store: EventStore, product: string) =>
  fold(deciders.stock, await streamOf(store, `stock-${product}`)).count

/** Waits until commands for a stream are handed over: the first one opens the connection. */
const connected = async (process: Neighbour | undefined, stream: string) => {
  const before = process?.doors.counts.decided
  while (process?.doors.counts.decided === before) {
    await process?.ledger.stock.giveBack(stream.slice('stock-'.length), { holder: 'nobody' })
    await pause(5)
  }
}

const memberOf = (id: string): Member => ({ id, address: `127.0.0.1:${id}`, parts: ['web'], since: new Date(0) })

/** So many processes, of which each knows all others. */
const startGroup = async (t: ExecutionContext, names: readonly string[]) => {
  const store = newStore(t)
  const servers = await Promise.all(names.map(() => startHomeServer('127.0.0.1', PROOF)))
  const members = names.map((id, n) => ({ ...memberOf(id), address: `127.0.0.1:${servers[n]?.port}` }))
  const group = await Promise.all(
    members.map(async (member, n) => {
      const homes = openHomes({ id: member.id, members: () => members, changed: () => () => {} }, PROOF, PATIENT)
      const doors = createLedger(store, fixedWorld(member.id), noSnapshots, { homes })
      servers[n]?.open(member.id, { ...doors, told: () => {} })
      const feed = await startFeed(store, { arrived: doors.arrived })
      t.teardown(async () => {
        homes.close()
        await servers[n]?.close()
        await feed.stop()
      })
      return { member, doors, ledger: doors.open({ actor: 'tester', correlationId: member.id }).ledger }
    }),
  )
  return { group, store }
}
