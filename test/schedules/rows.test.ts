import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createProgress } from '../../adapters/following/progress.ts'
import type { PipedSql, Sql } from '../../adapters/postgres/connect.ts'
import { fold } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { runProjector } from '../../projections/engine/projector.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { NEXT, prepareSchema } from '../../projections/engine/schema.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { emptyReadModels } from '../projections/setup.ts'
import { ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { type Database, watchDatabase } from './database.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds, holdsUnderDrawn } from './proving.ts'
import { type Process, type Scenario, step } from './schedule.ts'

/** Rows that every event adds to, so that one counted twice or left out shows, on a real Postgres. */

const credits: Projection = {
  ...accountsProjection,
  tables: accountsProjection.tables.filter(({ name }) => name === 'credits'),
  on: Object.fromEntries(Object.entries(accountsProjection.on).filter(([type]) => type.includes('Credit'))),
}

test.serial('rows and checkpoint are of one moment, wherever their projector dies', async (t) =>
  holds(t, reading(await prepared(t), { written: 3 }), 40, { preemptions: 1, crashes: 1 }),
)

test.serial(
  'a replay beside a projector and a writer leaves rows that count each event once, wherever either dies',
  async (t) =>
    holds(
      t,
      reading(await prepared(t), { written: 1, replays: true }),
      400,
      { preemptions: 0, crashes: 1 },
      { preemptions: 1, crashes: 0 },
    ),
)

test.serial(
  'rows that a projector knows from its own step are not counted on once a replay has written them',
  async (t) =>
    holdsUnderDrawn(t, reading(await prepared(t), { written: 3, replays: true }), 400, { preemptions: 1, crashes: 0 }),
)

test.serial('a new version that is built and swapped in counts each event once, wherever its builder dies', async (t) =>
  holds(
    t,
    reading(await prepared(t), { written: 1, projection: { ...credits, version: credits.version + 1 } }),
    60,
    { preemptions: 0, crashes: 1 },
    { preemptions: 1, crashes: 0 },
  ),
)

test.serial('rows that a crash of Postgres took back are read again from the log', async (t) =>
  holds(t, reading(await prepared(t), { written: 3, loses: true }), 30, { preemptions: 1, crashes: 0 }),
)

test.serial('rows that are written beside their checkpoint and not with it are found out', async (t) =>
  found(t, reading(await prepared(t), { written: 1, seen: apart }), /^the rows of position/, {
    preemptions: 0,
    crashes: 1,
  }),
)

type Options = {
  /** How many events are written meanwhile; only each second one concerns the rows. */
  readonly written: number
  /** Whether somebody replays the log. */
  readonly replays?: boolean
  /** Whether Postgres crashes once, and loses what it has not flushed. */
  readonly loses?: boolean
  readonly projection?: Projection
  readonly seen?: (sql: PipedSql) => PipedSql
}

const reading =
  (scene: Scene, { projection = credits, seen = (as) => as, ...options }: Options): Scenario =>
  async (start) => {
    const { sql, given, later } = scene
    await scene.database?.over()
    await sql.unsafe(RESET)
    const outside = createOutside(given)
    let flushed = true
    let dirty = true
    const database = watchDatabase(sql, (_, isFlushed) => {
      flushed = isFlushed
      dirty = true
    })
    scene.database = database
    let rows = await stored(sql)
    let onDisk = rows

    const project = (self: Process) => {
      const { listen, store } = createMachine(self, outside)
      const feed = listen()
      self.follow('projector', async () => {
        const own = seen(database.seenBy(self))
        const places = createPlaceWriter(own)
        const deps = { sql: own, places, store, feed: await feed, progress: createProgress() }
        for (;;) {
          await runProjector(projection, deps, self.crashed).catch(onlyMoved)
          await pause(1_000)
        }
      })
    }
    const replay = (self: Process) => {
      const { store } = createMachine(self, outside)
      const own = database.seenBy(self)
      self.task('replays', async () => {
        await rebuild(own, store, projection, { fresh: true })
        await swap(own, store, projection)
      })
    }
    const write = (self: Process) =>
      self.task('writes', async () => {
        for (const { stream, id, type, data, at, cause } of later.slice(0, options.written)) {
          await step(type)
          await outside.store.append(stream, outside.store.revision(stream), [
            { id, type, data, meta: { v: 1, at, cause } },
          ])
        }
      })
    const lose = (self: Process) =>
      self.follow('Postgres', async () => {
        await step('crashes', { ready: () => !flushed && !database.open() })
        await database.aside((real) => restore(real, onDisk))
        dirty = flushed = true
      })
    start('A', project)
    if (options.replays) start('operator', replay)
    start('writer', write)
    if (options.loses) start('machine', lose)

    return {
      shared: () => [outside.shared(), database.written(), flushed].join(),
      async settled() {
        await database.settled()
        // While a transaction is open its locks may keep everybody else from reading.
        if (dirty && !database.open()) {
          rows = await stored(sql)
          dirty = false
        }
        if (flushed) onDisk = rows
      },
      always: () =>
        assert.deepEqual(
          rows,
          expected(outside.store.events(), rows.position),
          `the rows of position ${rows.position}`,
        ),
      atRest: () => assert.equal(rows.position, outside.store.events().length, 'the rows are behind the log'),
    }
  }

/** A projector that finds its rows elsewhere than it left them begins again; anything else is not expected of it. */
const onlyMoved = (error: Error) => {
  if (!/has moved to/.test(error.message)) throw error
}

/** One account with one grant is in the log and in the rows; two more come later, with a letter between them. */
const prepared = async (t: ExecutionContext): Promise<Scene> => {
  const { sql } = await emptyReadModels(t, [credits])
  await prepareSchema(sql, NEXT)
  const store = memoryStore()
  const ledger = ledgerOn(store)
  const grant = (ref: string) =>
    ledger.creditAccount.grant(ACCOUNT, { amount: '100', reason: 'email-verified', ref, source: ref, position: '1' })
  await grant('first')
  const given = [...store.events()]
  await grant('second')
  await ledger.letter.sent('letter', { accountId: ACCOUNT, attempts: 1 })
  await grant('third')
  await sql.unsafe(`
    insert into daybook.credits values ('${ACCOUNT}', 100, 0);
    update daybook.checkpoints set version = ${credits.version}, position = ${given.length};
    create schema first;
    create table first.credits as table daybook.credits;
    create table first.checkpoints as table daybook.checkpoints`)
  return { sql, given, later: store.events().slice(given.length) }
}
type Scene = {
  readonly sql: Sql
  readonly given: readonly RecordedEvent[]
  readonly later: readonly RecordedEvent[]
  /** The one of the schedule before. */
  database?: Database
}

/** What a swap put in the place of the first table has the same columns, so only rows need to be put back. */
const RESET = `
  drop table if exists daybook_next.credits;
  delete from daybook_next.checkpoints;
  delete from daybook.credits;
  insert into daybook.credits table first.credits;
  delete from daybook.checkpoints;
  insert into daybook.checkpoints table first.checkpoints`

type Rows = { position: number; balance: number }

const stored = async (sql: Sql): Promise<Rows> => {
  const [rows] = await sql<Rows[]>`
    select position::int, (select sum(balance)::int from daybook.credits) as balance from daybook.checkpoints`
  return rows ?? { position: -1, balance: 0 }
}

const restore = (sql: Sql, { position, balance }: Rows) =>
  sql`with back as (update daybook.credits set balance = ${balance}) update daybook.checkpoints set position = ${position}`

/** What a replay of the log up to a position comes to. */
const expected = (events: readonly RecordedEvent[], position: number): Rows => {
  const own = events.slice(0, position).filter(({ stream }) => stream === `creditAccount-${ACCOUNT}`)
  return { position, balance: Number(fold(deciders.creditAccount, own).balance) }
}

/** The statement that moves the checkpoint and writes the rows, as two. */
const apart = (sql: PipedSql): PipedSql =>
  new Proxy(sql, {
    get(target, key, receiver) {
      if (key === 'piped') return receiver
      if (key !== 'unsafe') return Reflect.get(target, key)
      return (text: string, parameters: string[], ...rest: [{ prepare: boolean }]) =>
        text.startsWith('with moved as') ? inTwo(target, text, parameters) : target.unsafe(text, parameters, ...rest)
    },
  })

const inTwo = async (sql: Sql, text: string, parameters: readonly string[]) => {
  const [head = '', move = ''] = /^with moved as \(([\s\S]*?)\n {4}\)/.exec(text) ?? []
  const own = parameters.slice(0, 7)
  const moved = await sql.unsafe(`with moved as (${move}) select commits, written from moved`, own)
  if (moved.length === 1) {
    const given = own.map((_, n) => `$${n + 1}::text is not null`).join(' and ')
    await sql.unsafe(
      `with moved as (select 'off' as commits, '' as written where ${given})${text.slice(head.length)}`,
      [...parameters],
    )
  }
  return moved
}
