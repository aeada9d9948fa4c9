/**
 * A migration between two servers: what stops it, what does not, and where the followers of the log stand afterwards.
 */
import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { mustBelong } from '../../src/settings/belonging.ts'
import { move, openTarget, type Target } from '../cli/moving.ts'
import { all, newEvent } from '../store/events.ts'
import { newClient, newDirectory, newNode } from '../store/open.ts'
import { testDatabase } from '../support/postgres.ts'

const EVENTS = 12

test('a log that is written to while it is copied is not called moved; the next run takes along what came', async (t) => {
  const { source, target, run } = await setUp(t)
  target.hook.intercept =
    (go) =>
    async (...call) => {
      if ((await target.core.head('thing-1')) < 0) await source.append(`late-${randomUUID()}`, -1n, [newEvent('Late')])
      return go(...call)
    }
  const refused = await t.throwsAsync(run())
  t.like(refused, { code: 'source_moving' })
  target.hook.intercept = (go) => go
  const { events } = await run()
  t.true(events > EVENTS)
  t.is(events, (await all(source.readAll(-1n))).length)
})

test('a log that is written to after it has moved can neither be moved again nor pass for the same', async (t) => {
  const { source, run } = await setUp(t)
  t.like(await run(), { events: EVENTS, copied: EVENTS })
  t.like(await run(true), { ok: true, equal: true, complete: true })
  await source.append('late-1', -1n, [newEvent('Late')])
  t.like(await t.throwsAsync(run()), { code: 'source_grown' })
  t.like(await run(true), { ok: false, equal: false, difference: { stream: 'late-1', revision: 0n } })
})

test('an append of a killed run that arrives late is met and passed over', async (t) => {
  const { target, run } = await setUp(t)
  let appends = 0
  target.hook.intercept = (go) => async (stream, expected, events) => {
    if (++appends !== 3) return go(stream, expected, events)
    // The killed run had found more of the stream's events together than this one, so the store cannot take the two for
    // the same.
    const [event] = events
    await go(stream, expected, event ? [event] : [])
    return go(stream, expected, [...events, ...events.slice(0, 1).map((each) => ({ ...each, id: randomUUID() }))])
  }
  t.like(await run(), { ok: true, events: EVENTS, copied: EVENTS })
})

test('somebody else who writes to the target is noticed, and what they wrote is named', async (t) => {
  const { target, run, sql } = await setUp(t)
  let appends = 0
  target.hook.intercept = (go) => async (stream, expected, events) => {
    if (++appends === 4)
      await go(
        'theirs-1',
        -1,
        events.slice(0, 1).map((each) => ({ ...each, id: randomUUID() })),
      )
    return go(stream, expected, events)
  }
  const error = await t.throwsAsync(run())
  t.like(error, { code: 'target_foreign' })
  t.regex(error?.message ?? '', /there is event 0 of theirs-1/)
  t.like(await run(true), { ok: false, equal: false })
  t.is((await sql`select from pg_namespace where nspname = 'daybook_run'`).length, 0, 'the database was left alone')
})

test('followers are taken along to the same events, wherever in the log they stood, and read models being built too', async (t) => {
  const { source, target, run, sql } = await setUp(t)
  const positions = (await all(source.readAll(-1n))).map(({ position }) => position)
  const [first, fifth, last] = [positions[0], positions[4], positions.at(-1)] as [bigint, bigint, bigint]
  const stands = { none: -1n, before: first - 1n, first, between: fifth - 1n, fifth, last }
  for (const schema of SCHEMAS) {
    await sql`create schema ${sql(schema)}`
    await sql`create table ${sql(schema)}.checkpoints (name text primary key, position bigint not null)`
    for (const [name, position] of Object.entries(stands))
      await sql`insert into ${sql(schema)}.checkpoints values (${name}, ${String(position)})`
  }
  const { log, checkpoints } = await run()
  t.is(checkpoints, SCHEMAS.length * Object.keys(stands).length)
  const there = newClient(t, target.url) as LogStore
  const copied = (await all(there.readAll(-1n))).map(({ position }) => String(position))
  const expected = { none: '-1', before: '-1', first: copied[0], between: copied[3], fifth: copied[4] }
  for (const schema of SCHEMAS) {
    const rows = await sql<{ name: string; position: string }[]>`select name, position from ${sql(schema)}.checkpoints`
    t.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.position])), {
      ...expected,
      last: copied[EVENTS - 1],
    })
  }
  const followed = await sql`select id, name from daybook_run.log`
  t.deepEqual([...followed], [{ id: log, name: target.url.replace('?tls=false', '') }])
  t.is((await there.origin())?.id, log)
})

test('a database of another log, or one that has seen more than this log holds, stays where it is', async (t) => {
  const { target, run, sql, env } = await setUp(t)
  const elsewhere = await setUp(t)
  await elsewhere.run()
  const theirs = { ...env, DATABASE_URL: elsewhere.env.DATABASE_URL ?? '' }
  t.like(await t.throwsAsync(move(theirs, target.url)), { code: 'database_elsewhere' })
  await sql`create schema daybook_run`
  await sql`create table daybook_run.checkpoints (name text primary key, position bigint not null)`
  await sql`insert into daybook_run.checkpoints values ('bill-settlement', 999999999)`
  t.like(await t.throwsAsync(run()), { code: 'database_ahead' })
  t.is(target.core.last(), 0, 'nothing was written')
  // Neither is it used to serve: not with this log, and not with an empty one.
  for (const url of [env.EVENTSTORE_URL, target.url]) {
    const serving = mustBelong(sql, newClient(t, url ?? '') as LogStore, 'esdb://there', true)
    await t.throwsAsync(serving, {
      name: 'BadSetting',
      message: /come to position 999999999, and the log at esdb:..there/,
    })
  }
})

test('an empty log and half a copy are nothing to move', async (t) => {
  const { source, target, run } = await setUp(t, 0)
  t.like(await t.throwsAsync(run()), { code: 'source_empty' })
  const event = newEvent('Copied')
  await source.append('thing-1', -1n, [{ ...event, meta: { ...event.meta, order: '7' } }])
  t.like(await t.throwsAsync(run()), { code: 'source_half_copied' })
  t.is(target.core.last(), 0)
})

const SCHEMAS = ['daybook_run', 'daybook', 'daybook_next']

/** A log of a few streams on a server, an empty server, and a database. */
const setUp = async (t: ExecutionContext, events = EVENTS) => {
  const [node, target, { url, sql }] = await Promise.all([newNode(t), openTarget(), testDatabase(t)])
  t.teardown(() => target.stop())
  const source = newClient(t, node.url) as LogStore
  for (let n = 0; n < events / 2; n++)
    await source.append(`thing-${n % 4}`, BigInt(n >= 4 ? 1 : -1), [newEvent('One', { n }), newEvent('Two', { n })])
  const env: Env = { EVENTSTORE_URL: node.url, DATABASE_URL: url, DATA_DIR: newDirectory(t) }
  const run = (verify = false) => move(env, target.url, verify)
  return { source, target, sql, env, run } satisfies { target: Target; sql: Sql } & Record<string, unknown>
}

type Env = Record<string, string>
