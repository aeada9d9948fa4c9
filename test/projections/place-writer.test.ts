import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect, type PipedSql, type Sql } from '../../adapters/postgres/connect.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { takePlace } from '../../projections/engine/place.ts'
import { createPlaceWriter, type PlaceWriter } from '../../projections/engine/place-writer.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startWire } from '../faults/proxy.ts'
import { countStatements } from '../support/count-statements.ts'
import { gate, ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { createStartedDatabase } from '../support/postgres.ts'

/** The projector that something happens to; the others are to notice nothing of it. */
const ONE = accountsProjection.name

test.serial(
  'projectors whose places only move are written down by one statement, with the event that is there',
  async (t) => {
    const { take, count, written } = await setUp(t)
    const all = await take()
    await all[0]?.place.take([event(5)])
    await turn()
    for (const { place } of all.slice(1)) await place.take([event(5)])
    await eventually('the places', async () => (await written()).every(({ position }) => position === '5'))
    t.is(count('move'), 1)
    t.true((await written()).every(({ id }) => id === event(5).id))
    for (const { place } of all) await place.take([event(6)])
    await Promise.all(all.map(({ place }) => place.save()))
    t.true((await written()).every(({ position, id }) => position === '6' && id === event(6).id))
    t.is(count('move'), 2, 'those that are asked for together are written together, too')
    await Promise.all(all.map(({ place }) => place.save()))
    t.is(count('move'), 2, 'and nothing is written that has not moved')
  },
)

test.serial('a projector whose row is another build’s, or was moved on, fails by itself alone', async (t) => {
  const { take, sql, count, written } = await setUp(t)
  const all = await take()
  const [, second] = projections.filter(({ name }) => name !== ONE)
  await sql`update checkpoints set position = 3 where name = ${ONE}`
  await sql`update checkpoints set version = version + 1 where name = ${second?.name ?? ''}`
  for (const { place } of all) await place.take([event(5)])
  await eventually('both failures', () => all.filter(({ failures }) => failures.length > 0).length === 2)
  const told = all.flatMap(({ failures }) => failures.map(String))
  t.deepEqual(told.toSorted(), [`Error: ${ONE} has moved to 3`, `Error: ${second?.name} has moved to -1`].toSorted())
  const places = new Map((await written()).map(({ name, position }) => [name, position]))
  t.deepEqual([places.get(ONE), places.get(second?.name ?? '')], ['3', '-1'])
  t.is([...places.values()].filter((position) => position === '5').length, all.length - 2)
  t.is(count('move'), 1)
})

test.serial(
  'two projectors of one read model that move from one place are told apart: one of them goes on',
  async (t) => {
    const { take } = await setUp(t)
    const both = [...(await take([accountsProjection])), ...(await take([accountsProjection]))]
    for (const { place } of both) await place.take([event(5)])
    const ends = await Promise.allSettled(both.map(({ place }) => place.save()))
    t.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  },
)

test.serial('a row that somebody holds keeps no other projector waiting, and is written once it is free', async (t) => {
  const { take, sql, written } = await setUp(t)
  const all = await take()
  const [held, others] = [all.filter(({ name }) => name === ONE), all.filter(({ name }) => name !== ONE)]
  const { free, holding } = await hold(sql)
  for (const { place } of all) await place.take([event(5)])
  const saved = Promise.all(held.map(({ place }) => place.save()))
  await Promise.all(others.map(({ place }) => place.save()))
  const waiting = (await written()).filter(({ position }) => position !== '5')
  t.deepEqual(
    waiting.map(({ name }) => name),
    [ONE],
  )
  free()
  await Promise.all([saved, holding])
  t.true((await written()).every(({ position }) => position === '5'))
})

test.serial('rows and a save of the same projector never meet, whichever comes first', async (t) => {
  const { take, sql, written } = await setUp(t)
  const [own] = await take([accountsProjection])
  const [grant, another] = await grants()
  const first = await hold(sql)
  await own?.place.take([{ ...event(1), position: 0n }])
  const saving = own?.place.save()
  const writing = own?.place.take([{ ...(grant as RecordedEvent), position: 1n }])
  first.free()
  await Promise.all([saving, writing, first.holding])
  const second = await hold(sql)
  const rows = own?.place.take([{ ...(another as RecordedEvent), position: 2n }])
  const asked = own?.place.save()
  second.free()
  await Promise.all([rows, asked, second.holding])
  t.is((await written()).find(({ name }) => name === ONE)?.position, '2')
  t.is((await sql`select sum(balance)::int as sum from credits`)[0]?.sum, 300)
  t.deepEqual(own?.failures, [])
})

test.serial('who leaves has nothing written any more that was only to be written later', async (t) => {
  const { take, written } = await setUp(t)
  const all = await take()
  for (const { place } of all) await place.take([event(5)])
  for (const { name, place } of all) if (name === ONE) place.leave()
  await eventually('the others', async () => (await written()).filter(({ position }) => position === '5').length > 1)
  const left = (await written()).filter(({ position }) => position !== '5')
  t.deepEqual(
    left.map(({ name, position }) => [name, position]),
    [[ONE, '-1']],
  )
})

test.serial('all places are looked at by one statement, and only who has lost its place is told', async (t) => {
  const { take, sql, count } = await setUp(t)
  const all = await take()
  await sql`update checkpoints set position = -2 where name = ${ONE}`
  await eventually('the look', () => all.some(({ failures }) => failures.length > 0))
  t.deepEqual(
    all.flatMap(({ failures }) => failures.map(String)),
    [`Error: ${ONE} has moved to -2`],
  )
  t.is(count('look'), 1)
})

test.serial('a projector that writes while the places are looked at is not taken for a lost one', async (t) => {
  const late = gate()
  const { take, written, count } = await setUp(t, { look: late.opened })
  const all = await take()
  const [moving] = all
  for (const { place } of all) await place.take([event(5)])
  await Promise.all(all.map(({ place }) => place.save()))
  await eventually('the look', () => count('look') > 0)
  // The look that is under way finds another place than was left when it began.
  await moving?.place.take([event(6)])
  await moving?.place.save()
  late.open()
  await eventually('the next look', () => count('look') > 1)
  t.is((await written()).find(({ name }) => name === moving?.name)?.position, '6')
  t.deepEqual(
    all.flatMap(({ failures }) => failures),
    [],
  )
})

test.serial('a value that PostgreSQL refuses is no harm to the places of others', async (t) => {
  const { take, written } = await setUp(t)
  const all = await take()
  for (const { name, place } of all) await place.take([name === ONE ? { ...event(5), at: '\0' } : event(5)])
  const ends = await Promise.allSettled(all.map(({ place }) => place.save()))
  t.is(ends.filter(({ status }) => status === 'rejected').length, 1)
  const left = (await written()).filter(({ position }) => position !== '5')
  t.deepEqual(
    left.map(({ name }) => name),
    [ONE],
  )
})

test.serial('all who begin at the same moment find their places by one statement, each its own', async (t) => {
  const { sql, take, count } = await setUp(t)
  await sql`update checkpoints set position = 3 where name = ${ONE}`
  const found = await take()
  t.is(count('find'), 1)
  t.deepEqual(
    found.filter(({ place }) => place.at() !== -1n).map(({ name, place }) => [name, place.at()]),
    [[ONE, 3n]],
  )
})

test.serial('every projector hears that the database is gone, and begins again from what is written', async (t) => {
  const { take, wire, written } = await setUp(t)
  const all = await take()
  for (const { place } of all) await place.take([event(5)])
  await Promise.all(all.map(({ place }) => place.save()))
  wire.refuse()
  for (const { place } of all) await place.take([event(6)])
  const ends = await Promise.allSettled(all.map(({ place }) => place.save()))
  t.true(ends.every(({ status }) => status === 'rejected'))
  await eventually('every failure', () => all.every(({ failures }) => failures.length > 0))
  for (const { place } of all) place.leave()
  t.true((await written()).every(({ position }) => position === '5'))
  wire.restore()
  const again = await take()
  t.true(again.every(({ place }) => place.at() === 5n))
  for (const { place } of again) await place.take([event(7)])
  await Promise.all(again.map(({ place }) => place.save()))
  t.true((await written()).every(({ position }) => position === '7'))
})

/** Places over a database that can be cut off; some statements are sent only after what is given in `late`. */
/** The server has a hundred connections for the whole suite, so the tests run one after the other, on few. */
const setUp = async (t: ExecutionContext, late: { look?: Promise<unknown> } = {}) => {
  const { url, drop } = await createStartedDatabase()
  const wire = await startWire({ port: Number(new URL(url).port) })
  const sql = connect(url, { schema: SERVING, max: 3 })
  const through = new URL(url)
  through.port = String(wire.port)
  const own = connect(through.href, { schema: SERVING, max: 4 })
  t.teardown(async () => {
    await Promise.all([sql, own].map((pool) => pool.end({ timeout: 0 })))
    await wire.stop()
    drop()
  })
  const counted = countStatements(
    own,
    { move: /^\s*with given/, look: /^\s*select name, version, position/, find: /^\s*select name, \? from/ },
    late,
  )
  const places = createPlaceWriter(counted.sql)
  const take = (which: readonly Projection[] = projections) =>
    Promise.all(which.map((projection) => placeOf(t, { sql: counted.sql, places }, projection)))
  const written = () =>
    sql<{ name: string; position: string; id: string | null }[]>`
      select name, position, event_id as id from checkpoints`
  return { sql, wire, take, written, count: counted.count }
}

const placeOf = async (t: ExecutionContext, deps: { sql: PipedSql; places: PlaceWriter }, projection: Projection) => {
  const failures: unknown[] = []
  const found = await deps.places.find(projection.name)
  const place = takePlace(deps, projection, found, (error) => failures.push(error))
  t.teardown(() => place.leave())
  return { name: projection.name, place, failures }
}

/** An event that concerns nobody's rows. */
const event = (position: number) =>
  ({
    id: `00000000-0000-4000-8000-00000000000${position}`,
    type: 'Passing',
    position: BigInt(position),
    at: '2026-03-02T10:00:00.000Z',
  }) as unknown as RecordedEvent

/** Two grants of 100 and of 200. */
const grants = async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore()
  const ledger = ledgerOn(store)
  for (const amount of ['100', '200'])
    await ledger.creditAccount.grant('acc_1', {
      amount,
      reason: 'email-verified',
      ref: amount,
      source: amount,
      position: '1',
    })
  return store.events()
}

/** Keeps the row of one projector in a transaction. */
const hold = async (sql: Sql) => {
  const [release, taken] = [gate(), gate()]
  const holding = sql.begin(async (tx) => {
    await tx`select from checkpoints where name = ${ONE} for update`
    taken.open()
    await release.opened
  })
  await taken.opened
  return { free: release.open, holding }
}
