import type { Sql } from 'postgres'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { applyBatch, createIndexes, createTables, isConcerned, type SqlTransaction } from './apply.ts'
import type { Projection } from './projection.ts'
import { readAhead } from './read-ahead.ts'
import {
  checkpointOf,
  dropTables,
  enterSchema,
  NEXT,
  prepareSchema,
  SERVING,
  tableNames,
  writeCheckpoint,
} from './schema.ts'

export type RebuildOptions = {
  readonly schema?: string
  /** Throws away a build that was begun before and starts at the first event. */
  readonly fresh?: boolean
  /** The build ends before the first event for which this is false. */
  readonly until?: (event: RecordedEvent) => boolean
  readonly onProgress?: (events: number, position: bigint) => void
}

/** How long a swap waits for queries that still read the old tables; new queries wait behind it. */
const SWAP_LOCK_MS = 5_000
/** How often a swap is begun that PostgreSQL ends because of a deadlock. */
const SWAP_ATTEMPTS = 5
const DEADLOCK = '40P01'
/** How long the indexes of a build may take. */
const INDEX_LIMIT_MS = 3_600_000

/**
 * Builds a read model from the first event beside the one that serves, to be put in its place by `swap`. A build that
 * was cut off goes on where it was. Nothing is written to the log and nothing outside is called.
 * @returns the number of events read
 */
export const rebuild = async (
  sql: Sql,
  store: EventStore,
  projection: Projection,
  options: RebuildOptions = {},
): Promise<number> => {
  const schema = options.schema ?? NEXT
  await startNext(sql, projection, schema, options.fresh ?? false)
  const events = await fill(sql, store, projection, schema, options)
  await index(sql, projection, schema)
  return events
}

/**
 * Puts the built read model in the place of the serving one, at the position that the further of the two has reached.
 */
export const swap = async (sql: Sql, store: EventStore, projection: Projection): Promise<void> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await swapNow(sql, store, projection)
    } catch (error) {
      // A step of a read model has locked the tables when it waits for the checkpoint, which is locked first here, and
      // PostgreSQL ends one of the two.
      if ((error as { code?: unknown }).code !== DEADLOCK || attempt === SWAP_ATTEMPTS) throw error
    }
}

const swapNow = async (sql: Sql, store: EventStore, projection: Projection): Promise<void> => {
  await fill(sql, store, projection, NEXT, {})
  await sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${String(SWAP_LOCK_MS)}, true)`
    const serving = await checkpointOf(tx, SERVING, projection.name, true)
    const next = await checkpointOf(tx, NEXT, projection.name, true)
    if (!next) throw new Error(`${projection.name} was not built`)
    const reached = serving?.position ?? -1n
    // A serving copy that stands still, such as one of an older version, is behind the build: its place must not become
    // the build's.
    const { position, event } = serving && reached > next.position ? serving : next
    await catchUp(tx, store, projection, NEXT, next.position, position)
    await dropTables(tx, SERVING, [...(serving?.tables ?? []), ...tableNames(projection)])
    for (const table of tableNames(projection)) await tx`alter table ${tx(NEXT)}.${tx(table)} set schema ${tx(SERVING)}`
    await tx`delete from ${tx(NEXT)}.checkpoints where name = ${projection.name}`
    await writeCheckpoint(tx, SERVING, projection, { version: projection.version, position, event })
  })
}

/** Begins an empty build of this version, or goes on with the one that was begun before. */
const startNext = async (sql: Sql, projection: Projection, schema: string, fresh: boolean) => {
  await prepareSchema(sql, schema)
  await sql.begin(async (tx) => {
    const begun = await checkpointOf(tx, schema, projection.name, true)
    if (begun?.version === projection.version && !fresh) return
    await dropTables(tx, schema, [...(begun?.tables ?? []), ...tableNames(projection)])
    await enterSchema(tx, schema)
    await createTables(tx, projection)
    await writeCheckpoint(tx, schema, projection, { version: projection.version, position: -1n })
  })
}

const fill = async (
  sql: Sql,
  store: EventStore,
  projection: Projection,
  schema: string,
  { until, onProgress }: RebuildOptions,
): Promise<number> => {
  let events = 0
  let at = (await checkpointOf(sql, schema, projection.name))?.position ?? -1n
  for await (const page of readAhead(() => store.readAll(at))) {
    const end = until ? page.findIndex((event) => !until(event)) : -1
    const wanted = end === -1 ? page : page.slice(0, end)
    const from = at
    at = await sql.begin((tx) => applyTo(tx, schema, projection, wanted, from))
    events += wanted.length
    onProgress?.(events, at)
    if (end !== -1) break
  }
  return events
}

/** Creates the indexes of a build. A build that was cut off may have them already. */
const index = (sql: Sql, projection: Projection, schema: string) =>
  sql.begin(async (tx) => {
    await tx`select set_config('statement_timeout', ${String(INDEX_LIMIT_MS)}, true)`
    // Two builders of one read model take turns.
    await checkpointOf(tx, schema, projection.name, true)
    await enterSchema(tx, schema)
    await createIndexes(tx, projection)
  })

/** Applies what comes after `from`; answers the position that the build then has. */
const applyTo = async (
  tx: SqlTransaction,
  schema: string,
  projection: Projection,
  page: readonly RecordedEvent[],
  from: bigint,
): Promise<bigint> => {
  const last = page.at(-1)
  if (!last) return from
  const settings = [tx`set local synchronous_commit to off`, enterSchema(tx, schema)]
  const [begun] = await Promise.all([checkpointOf(tx, schema, projection.name, true), ...settings])
  // Two builders of one read model would count events twice; the one that finds itself overtaken gives up.
  if (begun?.position !== from) throw new Error(`another process is building the read model ${projection.name} too`)
  if (isConcerned(projection, page)) {
    await applyBatch(tx, projection, inOwnOrder(page))
    if (schema === NEXT) await projection.written?.(tx, page)
  }
  await tx`
    update checkpoints set position = ${String(last.position)}, event_id = ${last.id}, event_at = ${last.at}
    where name = ${projection.name}`
  return last.position
}

/** Brings a build from one position up to another, inside the caller's transaction. */
export const catchUp = async (
  tx: SqlTransaction,
  store: EventStore,
  projection: Projection,
  schema: string,
  from: bigint,
  to: bigint,
): Promise<void> => {
  if (from >= to) return
  let at = from
  for await (const page of store.readAll(from)) {
    const wanted = page.filter(({ position }) => position <= to)
    at = await applyTo(tx, schema, projection, wanted, at)
    if (wanted.length < page.length || at >= to) break
  }
}

/**
 * Events as rows may know them: with their place in the ledger's own order as their position. A row that held the
 * store's position would be another one after the log has moved.
 */
export const inOwnOrder = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.map((event) =>
    event.position === event.order || event.unreadable !== undefined ? event : { ...event, position: event.order },
  )
