import test, { type ExecutionContext } from 'ava'
import type { PipedSql, Sql } from '../../adapters/postgres/connect.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import { type Projection, put, type Table } from '../../projections/engine/projection.ts'
import { createRecentRows, type RecentRows } from '../../projections/engine/recent-rows.ts'
import { takeStep } from '../../projections/engine/step.ts'
import { countStatements } from '../support/count-statements.ts'
import { emptyReadModels } from './setup.ts'

/** Rows that start from nothing, and rows that are counted on from what is there. */
const marks: Table = { name: 'step_marks', columns: { mark: 'text', note: 'text' }, key: ['mark'] }
const counts: Table = { name: 'step_counts', columns: { name: 'text', count: 'integer' }, key: ['name'] }

const writing: Projection = {
  name: 'step_marks',
  version: 3,
  tables: [marks],
  on: { AccountActivated: ({ id }: RecordedEvent) => put(marks, { mark: id, note: 'seen' }) },
}

const counting: Projection = {
  name: 'step_counts',
  version: 3,
  tables: [counts],
  on: {
    AccountActivated: () => ({
      table: counts.name,
      key: ['all'],
      reads: true,
      to: (row) => ({ name: 'all', count: Number(row?.count ?? 0) + 1 }),
    }),
  },
}

/** Rows that are numbered in the order in which they come. */
const numbers: Table = {
  name: 'step_numbers',
  columns: { mark: 'text', count: 'bigint', list: 'text' },
  key: ['mark'],
  numbered: { column: 'count', per: 'list' },
}

const numbering: Projection = {
  name: 'step_numbers',
  version: 3,
  tables: [numbers],
  on: { AccountActivated: ({ id }: RecordedEvent) => put(numbers, { mark: id, count: null, list: 'one' }) },
}

for (const projection of [writing, counting]) {
  test(`${projection.name}: a step is taken from where the read model is, and from nowhere else`, async (t) => {
    const { sql, state, step } = await setUp(t, projection)
    await step(-1n, 1n)
    t.deepEqual(await state(), { position: '1', event: eventAt(1n).id, events: 1 })
    await step(1n, 4n)
    const before = { position: '4', event: eventAt(4n).id, events: 2 }
    t.deepEqual(await state(), before)
    await t.throwsAsync(step(1n, 5n), { message: `${projection.name} has moved to 4` })
    await t.throwsAsync(step(-1n, 5n), { message: `${projection.name} has moved to 4` })
    t.deepEqual(await state(), before)
    await sql`update checkpoints set version = 4`
    await t.throwsAsync(step(4n, 5n), { message: `${projection.name} has moved to 4` })
    t.deepEqual(await state(), before, 'nor into the tables of another build')
    await sql`delete from checkpoints`
    await t.throwsAsync(step(4n, 5n), { message: `${projection.name} has moved to nowhere` })
  })

  test(`${projection.name}: of many who take the same step at once one takes it`, async (t) => {
    const { state, step } = await setUp(t, projection)
    const ends = await Promise.allSettled(Array.from({ length: 8 }, () => step(-1n, 1n)))
    t.is(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    t.deepEqual(await state(), { position: '1', event: eventAt(1n).id, events: 1 })
  })

  test(`${projection.name}: who waited while somebody moved on writes nothing`, async (t) => {
    const { sql, state, step } = await setUp(t, projection)
    let waiting: Promise<unknown> = Promise.resolve()
    await sql.begin(async (tx) => {
      await tx`update checkpoints set position = 9`
      waiting = t.throwsAsync(step(-1n, 1n), { message: `${projection.name} has moved to 9` })
      await blocked(sql)
    })
    await waiting
    t.deepEqual(await state(), { position: '9', event: null, events: 0 })
  })
}

test('rows that a replay has put in their place between the read and the write are counted on', async (t) => {
  const { sql, state, step } = await setUp(t, counting)
  const recent = createRecentRows()
  const written = await step(-1n, 1n, { recent })
  let replays = 1
  const replaying = before(sql, 'with moved', async () => {
    if (replays-- > 0) await replay(sql, 10)
  })
  const again = await takeStep(replaying, counting, [eventAt(4n)], { from: 1n, to: eventAt(4n), written, recent })
  t.deepEqual(await state(), { position: '4', event: eventAt(4n).id, events: 11 })
  // Somebody who does nothing but replay is not waited for.
  replays = 1_000
  const tried = takeStep(replaying, counting, [eventAt(5n)], { from: 4n, to: eventAt(5n), written: again, recent })
  await t.throwsAsync(tried, { message: 'step_counts has moved to 4' })
  t.is(replays, 997)
})

test('who knows by which transaction the last step was written looks for nothing else before the next', async (t) => {
  const { state, step, count } = await setUp(t, counting)
  const first = await step(-1n, 1n, { recent: createRecentRows() })
  t.is(count('look'), 1)
  const second = await step(1n, 4n, { written: first, recent: createRecentRows() })
  await step(4n, 5n, { written: second, recent: createRecentRows() })
  t.is(count('look'), 1)
  t.is(count('read'), 4)
  t.deepEqual(await state(), { position: '5', event: eventAt(5n).id, events: 3 })
})

for (const [projection, counted] of [
  [counting, 3],
  [numbering, 1 + 2 + 3],
] as const) {
  test(`${projection.name}: rows of the step before are not read again, unless somebody has written meanwhile`, async (t) => {
    const { sql, state, step, count } = await setUp(t, projection)
    const recent = createRecentRows()
    const first = await step(-1n, 1n, { recent })
    const second = await step(1n, 4n, { written: first, recent })
    // The first step looks for the checkpoint, and reads once more then.
    t.is(count('read'), 2)
    const third = await step(4n, 5n, { written: second, recent })
    t.is(count('read'), 2)
    t.is((await state()).events, counted)
    await replay(sql, 10)
    await step(5n, 6n, { written: third, recent })
    t.is(count('read'), 3)
    t.is((await state()).events, projection === counting ? 11 : 10 * 3 + 11)
  })
}

test('a checkpoint that moves alone leaves the rows known, and one that a replay has written leaves none', async (t) => {
  const { sql, state, step, count } = await setUp(t, counting)
  const places = createPlaceWriter(sql)
  const recent = createRecentRows()
  const move = async (from: bigint, to: bigint) => {
    const write = await places.move({ projection: counting, from, to, event: eventAt(to) })
    recent.keep(write)
    return write.by
  }
  await step(-1n, 1n, { recent })
  await step(2n, 3n, { written: await move(1n, 2n), recent })
  t.is(count('read'), 2)
  await replay(sql, 10)
  await step(4n, 5n, { written: await move(3n, 4n), recent })
  t.is(count('read'), 3)
  t.is((await state()).events, 11)
  // The row is held, so that the place is moved by a statement of its own.
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const replaying = sql.begin(async (tx) => {
    await tx`update step_counts set count = 20`
    await tx`update checkpoints set position = position`
    held.resolve()
    await release.promise
  })
  await held.promise
  const moving = move(5n, 6n)
  await blocked(sql)
  release.resolve()
  await replaying
  await step(6n, 7n, { written: await moving, recent })
  t.is(count('read'), 4)
  t.is((await state()).events, 21)
})

/** Writes other rows of the same place, as a replay does. */
const replay = (sql: Sql, value: number) =>
  sql.begin(async (tx) => {
    const [numbered] = await tx`select from pg_tables where tablename = 'step_numbers'`
    await (numbered ? tx`update step_numbers set count = ${value}` : tx`update step_counts set count = ${value}`)
    await tx`update checkpoints set position = position`
  })

/** The same database, where something is done before each piped statement that begins so. */
const before = (sql: PipedSql, text: string, act: () => Promise<unknown>): PipedSql => {
  const acting = new Proxy(sql.piped, {
    get: (target, key) =>
      key === 'unsafe'
        ? (given: string, ...rest: []) =>
            given.startsWith(text) ? act().then(() => target.unsafe(given, ...rest)) : target.unsafe(given, ...rest)
        : Reflect.get(target, key),
  })
  return pipedThrough(sql, acting)
}

const pipedThrough = (sql: PipedSql, piped: PipedSql['piped']): PipedSql =>
  new Proxy(sql, { get: (target, key) => (key === 'piped' ? piped : Reflect.get(target, key)) })

const setUp = async (t: ExecutionContext, projection: Projection) => {
  const { sql } = await emptyReadModels(t, [projection])
  await sql`update checkpoints set version = ${projection.version}`
  const [{ name: table = '' } = {}] = projection.tables
  const state = async () => {
    const [place] = await sql`select position, event_id as event from checkpoints`
    const [rows] = await sql`
      select coalesce(sum(coalesce((to_jsonb(t)->>'count')::integer, 1)), 0)::integer as events from ${sql(table)} t`
    return { ...place, ...rows }
  }
  const { sql: piped, count } = countStatements(sql.piped, {
    look: /from \?\.checkpoints/,
    read: /^select .* from step_/s,
  })
  const step = (
    from: bigint,
    to: bigint,
    { written, recent = createRecentRows() }: { written?: string; recent?: RecentRows } = {},
  ) => takeStep(pipedThrough(sql, piped), projection, [eventAt(to)], { from, to: eventAt(to), written, recent })
  return { sql, state, step, count }
}

/** Resolves once a statement waits for a lock. */
const blocked = async (sql: Sql): Promise<void> => {
  for (;;) {
    const [waiting] =
      await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    if (waiting) return
  }
}

const eventAt = (position: bigint) =>
  ({
    id: `00000000-0000-4000-8000-00000000000${position}`,
    type: 'AccountActivated',
    position,
    order: position,
    at: '2026-03-02T10:00:00.000Z',
    data: {},
  }) as unknown as RecordedEvent
