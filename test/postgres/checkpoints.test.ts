import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { startWire } from '../faults/proxy.ts'
import { countStatements } from '../support/count-statements.ts'
import { testDatabase } from '../support/postgres.ts'

const NAMES = Array.from({ length: 40 }, (_, n) => `follower-${n}`)
const EVENT = { id: '00000000-0000-4000-8000-000000000001', at: '2026-03-02T10:00:00.000Z' }

test('checkpoints that are saved soon are written by one statement, which one that is saved now does not wait for', async (t) => {
  const { checkpoints, count, sql } = await setUp(t)
  const first = checkpoints.save('follower-0', 1n, EVENT, 'soon')
  await turn()
  await Promise.all([first, ...NAMES.map((name) => checkpoints.save(name, 1n, EVENT, 'soon'))])
  t.is(count('save'), 1)
  t.deepEqual([...new Set((await checkpoints.all()).values())], [1n])
  t.is((await sql`select from daybook_run.checkpoints where event_id = ${EVENT.id}`).count, NAMES.length)
  const soon = NAMES.map((name) => checkpoints.save(name, 2n, EVENT, 'soon'))
  await checkpoints.save('another', 2n, EVENT)
  t.deepEqual([...new Set((await checkpoints.all()).values())], [2n], 'it takes along those that wait')
  await Promise.all(soon)
  t.is(count('save'), 2)
})

test('the checkpoints that are asked for at the same moment are read by one statement, each its own', async (t) => {
  const { checkpoints, count } = await setUp(t)
  await Promise.all(NAMES.map((name, n) => checkpoints.save(name, BigInt(n), EVENT)))
  const loaded = await Promise.all([...NAMES, 'nobody'].map((name) => checkpoints.load(name)))
  t.is(count('load'), 1)
  t.deepEqual(loaded, [...NAMES.map((_, n) => BigInt(n)), -1n])
})

test('a checkpoint never goes back, whatever is saved together or afterwards', async (t) => {
  const { checkpoints } = await setUp(t)
  await Promise.all([7n, 9n, 5n].map((position) => checkpoints.save('one', position, EVENT, 'soon')))
  t.is(await checkpoints.load('one'), 9n)
  await checkpoints.save('one', 3n, EVENT)
  t.is(await checkpoints.load('one'), 9n)
})

test('a value that PostgreSQL refuses fails its own checkpoint, and no other', async (t) => {
  const { checkpoints } = await setUp(t)
  const ends = await Promise.allSettled(
    NAMES.map((name, n) => checkpoints.save(name, 4n, n === 3 ? { ...EVENT, at: '\0' } : EVENT)),
  )
  t.deepEqual(
    ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : [])),
    [3],
  )
  t.is((await checkpoints.all()).size, NAMES.length - 1)
})

test('everybody whose checkpoint was to be written hears that the database is gone, and can save again', async (t) => {
  const { checkpoints, wire } = await setUp(t)
  wire.refuse()
  const ends = await Promise.allSettled(NAMES.map((name) => checkpoints.save(name, 4n, EVENT, 'soon')))
  t.true(ends.every(({ status }) => status === 'rejected'))
  wire.restore()
  t.is((await checkpoints.all()).size, 0)
  await Promise.all(NAMES.map((name) => checkpoints.save(name, 4n, EVENT)))
  t.is((await checkpoints.all()).size, NAMES.length)
})

test('two processes that save the same checkpoints in another order do not stop each other', async (t) => {
  const { checkpoints, url } = await setUp(t)
  const sql = connect(url)
  t.teardown(() => sql.end({ timeout: 1 }))
  const other = await createCheckpoints(sql)
  for (let round = 1n; round <= 100n; round++)
    await Promise.all([
      ...NAMES.map((name) => checkpoints.save(name, 2n * round)),
      ...NAMES.toReversed().map((name) => other.save(name, 2n * round + 1n)),
    ])
  t.deepEqual([...new Set((await other.all()).values())], [201n])
})

const setUp = async (t: ExecutionContext) => {
  const { url, sql } = await testDatabase(t)
  const wire = await startWire({ port: Number(new URL(url).port) })
  const through = new URL(url)
  through.port = String(wire.port)
  const own = connect(through.href)
  t.teardown(async () => {
    await own.end({ timeout: 0 })
    await wire.stop()
  })
  const counted = countStatements(own, {
    save: /^\s*insert into daybook_run.checkpoints/,
    load: /^\s*select name, position/,
  })
  return { sql, url, wire, checkpoints: await createCheckpoints(counted.sql), count: counted.count }
}
