import type { ISql, Sql } from 'postgres'
import { createIndexes, createTables } from './apply.ts'
import type { Projection } from './projection.ts'

/**
 * The schemas that read models live in: `daybook` serves, `daybook_next` is being built. Both can be dropped at any
 * time; a replay makes them again.
 */
export const SERVING = 'daybook'
export const NEXT = 'daybook_next'

/** The position that a read model has reached, and the version of its tables. */
export type ProjectionCheckpoint = {
  version: number
  position: bigint
  tables: readonly string[]
  /** Undefined before the first event, and in a checkpoint that a former release has written. */
  event: CheckpointEvent | undefined
  /**
   * The transaction that has written the checkpoint (`xmin`): another one after each change, also to the same position.
   */
  written: string
}

export const prepareSchema = async (sql: Sql, schema: string): Promise<void> => {
  await sql.begin(async (tx) => {
    // Two processes that start at once would both find nothing and both create.
    await tx`select pg_advisory_xact_lock(hashtext('daybook-schema'))`
    // `if not exists` would see the catalogue as it was before the wait for the lock; a query sees it as it is now.
    const [there] = await tx`select 1 from pg_namespace where nspname = ${schema}`
    if (!there) await tx`create schema ${tx(schema)}`
    await tx`create table if not exists ${tx(schema)}.checkpoints (
      name text primary key, version integer not null, position bigint not null, tables json not null)`
    await addEventColumns(tx, schema)
  })
}

/**
 * Creates empty tables, unless the read model is already there in some version: queries then find nothing rather than
 * fail. Over an empty log there is nothing else to build.
 */
export const createMissing = async (sql: Sql, projection: Projection, emptyLog = false): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('daybook-schema'))`
    if (await checkpointOf(tx, SERVING, projection.name)) return
    await dropTables(tx, SERVING, tableNames(projection))
    await enterSchema(tx, SERVING)
    await createTables(tx, projection)
    await createIndexes(tx, projection)
    // Version 0 is nobody's: the projector sees that these tables still have to be filled.
    await writeCheckpoint(tx, SERVING, projection, { version: emptyLog ? projection.version : 0, position: -1n })
  })
}

/** The same for all of them; those that are there are found by one statement. */
export const createAllMissing = async (
  sql: Sql,
  projections: readonly Projection[],
  emptyLog: boolean,
): Promise<void> => {
  const there = await checkpointsOf(
    sql,
    SERVING,
    projections.map(({ name }) => name),
  )
  for (const projection of projections) if (!there.has(projection.name)) await createMissing(sql, projection, emptyLog)
}

/**
 * Adds the columns for the event at a checkpoint: its id, and when it was decided. Two logs may have the same positions
 * and different events. A table of a former release gets the columns, and its rows get values as they move.
 */
export const addEventColumns = async (sql: ISql, schema: string): Promise<void> => {
  // Looked up first, because a change of the table would wait for everybody who reads it.
  const condition = sql.unsafe(hasColumn(`${schema}.checkpoints`, 'event_id'))
  const [look] = await sql<{ there: boolean }[]>`select ${condition} as there`
  if (!look?.there) await sql`alter table ${sql(schema)}.checkpoints add column event_id text, add column event_at text`
}

/**
 * The condition that a table has a column. It is looked up in the catalogue itself, because the views of
 * `information_schema` take milliseconds each. Both names stand in it as they are: they are ours, and no caller's.
 */
export const hasColumn = (table: string, column: string): string => `
  exists (
    select from pg_attribute where attrelid = to_regclass('${table}') and attname = '${column}' and not attisdropped
  )`

/** The event at a checkpoint; `at` is ISO 8601. */
export type CheckpointEvent = { readonly id: string; readonly at: string }

export const checkpointOf = async (
  sql: ISql,
  schema: string,
  name: string,
  lock = false,
): Promise<ProjectionCheckpoint | undefined> => {
  const [row] = await sql<CheckpointRow[]>`
    select ${sql.unsafe(CHECKPOINT_COLUMNS)}
    from ${sql(schema)}.checkpoints where name = ${name} ${lock ? sql`for update` : sql``}`
  return row && checkpointFrom(row)
}

/** The checkpoints of several, by their names; those that are not there are left out. */
export const checkpointsOf = async (
  sql: ISql,
  schema: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ProjectionCheckpoint>> => {
  const rows = await sql<(CheckpointRow & { name: string })[]>`
    select name, ${sql.unsafe(CHECKPOINT_COLUMNS)} from ${sql(schema)}.checkpoints
    where name in (select json_array_elements_text(${JSON.stringify(names)}::text::json))`
  return new Map(rows.map((row) => [row.name, checkpointFrom(row)]))
}

const CHECKPOINT_COLUMNS = 'version, position, tables, event_id, event_at, xmin::text as written'

const checkpointFrom = ({ version, position, tables, event_id: id, event_at: at, written }: CheckpointRow) => ({
  version,
  position: BigInt(position),
  tables,
  event: id !== null && at !== null ? { id, at } : undefined,
  written,
})

type CheckpointRow = {
  version: number
  position: string
  tables: string[]
  event_id: string | null
  event_at: string | null
  written: string
}

export const writeCheckpoint = async (
  sql: ISql,
  schema: string,
  projection: Projection,
  { version, position, event }: { version: number; position: bigint; event?: CheckpointEvent | undefined },
): Promise<void> => {
  const tables = JSON.stringify(tableNames(projection))
  await sql`
    insert into ${sql(schema)}.checkpoints (name, version, position, tables, event_id, event_at)
    values (${projection.name}, ${version}, ${String(position)}, ${tables}::text::json, ${event?.id ?? null}, ${event?.at ?? null})
    on conflict (name) do update set version = excluded.version, position = excluded.position, tables = excluded.tables,
      event_id = excluded.event_id, event_at = excluded.event_at`
}

export const dropTables = async (sql: ISql, schema: string, tables: readonly string[]): Promise<void> => {
  for (const table of tables) await sql`drop table if exists ${sql(schema)}.${sql(table)} cascade`
}

/** Makes unqualified names mean this schema until the transaction ends. */
export const enterSchema = (sql: ISql, schema: string) => sql.unsafe(`set local search_path to ${schema}`)

export const tableNames = (projection: Projection): readonly string[] => projection.tables.map(({ name }) => name)
