import type { TransactionSql } from 'postgres'
import { createGathering } from '../../projections/engine/gathering.ts'
import { isRefusedData } from '../../projections/engine/refused-data.ts'
import { addEventColumns, type CheckpointEvent, NEXT, SERVING } from '../../projections/engine/schema.ts'
import type { Checkpoints } from '../following/reactor.ts'
import { createTables, type Sql } from './connect.ts'

/** Milliseconds within which the checkpoints that are saved soon are written down together. */
const SOON_MS = 200

/**
 * How far each policy and effect has come. When these rows are lost they begin at the first event again, which changes
 * nothing: each asks the log what was done already.
 */
export const createCheckpoints = async (
  sql: Sql,
): Promise<Checkpoints & { all(): Promise<ReadonlyMap<string, bigint>> }> => {
  await createTables(
    sql,
    `create schema if not exists daybook_run;
     create table if not exists daybook_run.checkpoints (name text primary key, position bigint not null)`,
  )
  await sql.begin((tx) => addEventColumns(tx, RUN))
  const saves = createGathering(SOON_MS, (all: readonly FollowerPlace[]) => saveTogether(sql, all))
  const all = async () => {
    const rows = await sql<{ name: string; position: string }[]>`select name, position from daybook_run.checkpoints`
    return new Map(rows.map(({ name, position }) => [name, BigInt(position)]))
  }
  // Every follower asks when the process starts; there is one row for each.
  const loads = createGathering(0, async (names: readonly string[]) => {
    const positions = await all()
    return names.map((name) => positions.get(name) ?? -1n)
  })
  return {
    all,
    load: loads.soon,
    save: (name, position, event, when = 'now') =>
      (when === 'now' ? saves.soon : saves.later)({ name, position, event }),
  }
}

/** How far one policy or effect has come. */
type FollowerPlace = { readonly name: string; readonly position: bigint; readonly event: CheckpointEvent | undefined }

const saveTogether = async (
  sql: Sql,
  places: readonly FollowerPlace[],
): Promise<readonly (Promise<void> | undefined)[]> => {
  try {
    await saveFurthest(sql, places)
    return []
  } catch (error) {
    // PostgreSQL does not say whose value it refuses, so each is written by itself.
    if (isRefusedData(error)) return places.map((place) => save(sql, place))
    throw error
  }
}

/** Moves each checkpoint to the furthest of its places, all in one statement; none goes back. */
const saveFurthest = async (sql: Sql, places: readonly FollowerPlace[]): Promise<void> => {
  const furthest = new Map<string, FollowerPlace>()
  for (const place of places)
    if (place.position >= (furthest.get(place.name)?.position ?? place.position)) furthest.set(place.name, place)
  const given = [...furthest.values()].map(({ name, position, event }) => ({
    name,
    position: String(position),
    event_id: event?.id ?? null,
    event_at: event?.at ?? null,
  }))
  // In one order everywhere, so that two processes that write the same rows wait for each other in turn.
  await sql`
    insert into daybook_run.checkpoints (name, position, event_id, event_at)
    select name, position, event_id, event_at from json_to_recordset(${JSON.stringify(given)}::text::json)
      as given (name text, position bigint, event_id text, event_at text) order by name
    on conflict (name) do update
      set position = excluded.position, event_id = excluded.event_id, event_at = excluded.event_at
      where excluded.position > checkpoints.position`
}

const save = async (
  sql: Sql | TransactionSql,
  { name, position, event }: Omit<FollowerPlace, 'event'> & Partial<Pick<FollowerPlace, 'event'>>,
): Promise<void> => {
  await sql`
    insert into daybook_run.checkpoints (name, position, event_id, event_at)
    values (${name}, ${String(position)}, ${event?.id ?? null}, ${event?.at ?? null})
    on conflict (name) do update
      set position = excluded.position, event_id = excluded.event_id, event_at = excluded.event_at
      where excluded.position > checkpoints.position`
}

/**
 * Stores a place in a log for what every process does, without a turn of its own: nothing, once the database follows
 * another log, whose places are others.
 */
export const saveInLog = async (sql: Sql, log: string, name: string, position: bigint): Promise<void> => {
  await sql.begin(async (tx) => {
    // A move of the followers waits until this is stored, and is seen here once it is done.
    const [followed] = (await present(tx, RUN, 'log'))
      ? await tx<LogName[]>`select id from ${tx(RUN)}.log for share`
      : []
    if (followed === undefined || followed.id === log) await save(tx, { name, position })
  })
}

/** A log as a database knows it: its identity, and where it was, for people. */
export type LogName = { readonly id: string; readonly name: string }

/**
 * The log that the checkpoints of this database belong to; undefined when none was followed yet, or only by a version
 * that did not note it.
 */
export const followedLog = async (sql: Sql): Promise<LogName | undefined> => logNoted(sql, await tablesThere(sql))

const logNoted = async (sql: Sql, there: ReadonlySet<string>): Promise<LogName | undefined> => {
  if (!there.has(`${RUN}.log`)) return undefined
  const [row] = await sql<LogName[]>`select id, name from ${sql(RUN)}.log`
  return row
}

/** Notes the log that is followed from now on, unless one is noted already; answers the one that is. */
export const followLog = async (sql: Sql, log: LogName): Promise<LogName> => {
  const known = await followedLog(sql)
  if (known) return known
  await createTables(sql, LOG_TABLE)
  await sql`insert into ${sql(RUN)}.log (id, name) values (${log.id}, ${log.name}) on conflict do nothing`
  return (await followedLog(sql)) ?? log
}

/** Every position that a policy, an effect or a read model stands at, from the lowest on. */
export const followedPositions = async (sql: Sql): Promise<readonly bigint[]> => {
  const positions = new Set<bigint>()
  const there = await tablesThere(sql)
  for (const schema of SCHEMAS) {
    if (!there.has(`${schema}.checkpoints`)) continue
    const rows = await sql<{ position: string }[]>`select distinct position from ${sql(schema)}.checkpoints`
    for (const { position } of rows) positions.add(BigInt(position))
  }
  return [...positions].sort((a, b) => (a < b ? -1 : 1))
}

/**
 * The furthest of those positions, with the event that was there; `event` is undefined where a former release came
 * last.
 */
export type FurthestPlace = { readonly position: bigint; readonly event: CheckpointEvent | undefined }

/** What a database says of the log that it has followed. */
export type DatabaseReach = {
  /** Undefined when it has followed none, or only in a release that did not note it. */
  readonly followed: LogName | undefined
  readonly furthest: FurthestPlace | undefined
}

/** Reads the furthest checkpoint, and no rows. */
export const readDatabase = async (sql: Sql): Promise<DatabaseReach> => {
  const there = await tablesThere(sql)
  return { followed: await logNoted(sql, there), furthest: await furthestIn(sql, there) }
}

/** How far this database has come in its log; undefined when it has followed none. */
export const furthestPlace = async (sql: Sql): Promise<FurthestPlace | undefined> =>
  furthestIn(sql, await tablesThere(sql))

const furthestIn = async (sql: Sql, there: ReadonlySet<string>): Promise<FurthestPlace | undefined> => {
  // Read as JSON, because a table of a former release has no such columns.
  const places = SCHEMAS.filter((schema) => there.has(`${schema}.checkpoints`)).map(
    (schema) => sql`
      select position, to_jsonb(c) ->> 'event_id' as id, to_jsonb(c) ->> 'event_at' as at
      from ${sql(schema)}.checkpoints c where position >= 0`,
  )
  if (places.length === 0) return undefined
  const [row] = await sql<{ position: string; id: string | null; at: string | null }[]>`
    select position, id, at from (${places.reduce((all, each) => sql`${all} union all ${each}`)}) as places
    order by position desc, id is null or at is null limit 1`
  if (!row) return undefined
  const { position, id, at } = row
  return { position: BigInt(position), event: id !== null && at !== null ? { id, at } : undefined }
}

/** Notes which event stands at a position, for checkpoints that a former release has left there without it. */
export const noteEvent = async (sql: Sql, position: bigint, { id, at }: CheckpointEvent): Promise<void> => {
  await sql.begin(async (tx) => {
    for (const schema of SCHEMAS) {
      if (!(await present(tx, schema, 'checkpoints'))) continue
      await addEventColumns(tx, schema)
      await tx`
        update ${tx(schema)}.checkpoints set event_id = ${id}, event_at = ${at}
        where position = ${String(position)} and event_id is null`
    }
  })
}

/**
 * Takes every follower along from one log to a copy of it, all or none. `places` has the position in the copy for each
 * one that `followedPositions` told; rejects when a follower has moved since, or the database follows another log than
 * `from`.
 * @returns the number of checkpoints that were moved
 */
export const moveFollowers = async (
  sql: Sql,
  from: string,
  to: LogName,
  places: ReadonlyMap<bigint, bigint>,
): Promise<number> => {
  await createTables(sql, LOG_TABLE)
  return sql.begin(async (tx) => {
    // A crash must not forget the move once anything was done on the copy, so the commit waits for the disk.
    await tx`set local synchronous_commit = on`
    const [followed] = await tx<LogName[]>`select id, name from ${tx(RUN)}.log for update`
    if (followed && followed.id !== from) throw new Error(`the database now follows another log (${followed.name})`)
    let moved = 0
    for (const schema of SCHEMAS)
      if (await present(tx, schema, 'checkpoints')) moved += await moveCheckpoints(tx, schema, places)
    await tx`
      insert into ${tx(RUN)}.log (id, name) values (${to.id}, ${to.name})
      on conflict (one) do update set id = excluded.id, name = excluded.name`
    return moved
  })
}

const RUN = 'daybook_run'
/**
 * The schemas that have a table of checkpoints: policies and effects, the read models that serve, those being built.
 */
const SCHEMAS = [RUN, SERVING, NEXT]
const LOG_TABLE = `
  create schema if not exists ${RUN};
  create table if not exists ${RUN}.log (one boolean primary key default true check (one), id text not null, name text not null);
`

const moveCheckpoints = async (tx: TransactionSql, schema: string, places: ReadonlyMap<bigint, bigint>) => {
  const rows = await tx<{ name: string; position: string }[]>`
    select name, position from ${tx(schema)}.checkpoints order by name for update`
  for (const { name, position } of rows) {
    const place = places.get(BigInt(position))
    if (place === undefined) throw new Error(`${name} has moved to ${position} meanwhile: is a service running?`)
    await tx`update ${tx(schema)}.checkpoints set position = ${String(place)} where name = ${name}`
  }
  return rows.length
}

const present = async (sql: Sql | TransactionSql, schema: string, table: string): Promise<boolean> =>
  (await tablesThere(sql)).has(`${schema}.${table}`)

/** Which of the tables that say how far this database has come are there. */
const tablesThere = async (sql: Sql | TransactionSql): Promise<ReadonlySet<string>> => {
  const tables = [`${RUN}.log`, ...SCHEMAS.map((schema) => `${schema}.checkpoints`)]
  const rows = await sql<{ name: string }[]>`
    select name from json_array_elements_text(${JSON.stringify(tables)}::text::json) as name
    where to_regclass(name) is not null`
  return new Set(rows.map(({ name }) => name))
}
