import type { ISql, Sql } from 'postgres'
import type { EventStore } from '../../domain/kernel/ports.ts'
import type { SqlTransaction } from './apply.ts'
import type { Projection } from './projection.ts'
import { catchUp, rebuild } from './rebuild.ts'
import { checkpointOf, SERVING, tableNames } from './schema.ts'

/** The schema in which a verification builds its own copy; it is dropped afterwards. */
const VERIFY = 'daybook_verify'
/** The most differing rows that are shown of each table and side. */
const DIFFERENCES_MAX = 5

export type Comparison = {
  readonly name: string
  /** Both copies stand at this position of the log. */
  readonly position: bigint
  readonly rows: number
  /** Rows that stand in one copy only, as text, at most DIFFERENCES_MAX for each table and side. */
  readonly differences: readonly {
    readonly table: string
    readonly side: 'serving' | 'replayed'
    readonly row: string
  }[]
}

/**
 * Builds a read model from the first event and compares it with the one that serves, row by row and byte by byte, at
 * the position of the log that the serving one has come to. The serving one is neither changed nor held up.
 */
export const compareWithReplay = async (
  sql: Sql,
  store: EventStore,
  projection: Projection,
  onProgress?: (events: number, position: bigint) => void,
): Promise<Comparison> => {
  const reached = await servingPosition(sql, projection)
  try {
    // No further than the serving one is now, so that the build can only be behind it and never ahead.
    const until = ({ position }: { position: bigint }) => position <= reached
    await rebuild(sql, store, projection, { schema: VERIFY, fresh: true, until, ...(onProgress && { onProgress }) })
    return await sql.begin('isolation level repeatable read', (tx) => compare(tx, store, projection))
  } finally {
    await sql`drop schema if exists ${sql(VERIFY)} cascade`
  }
}

const compare = async (tx: SqlTransaction, store: EventStore, projection: Projection): Promise<Comparison> => {
  // Taken before the snapshot, so that no swap can put other tables under its names.
  for (const table of tableNames(projection)) await tx`lock table ${tx(SERVING)}.${tx(table)} in access share mode`
  const position = await servingPosition(tx, projection)
  const replayed = await checkpointOf(tx, VERIFY, projection.name)
  await catchUp(tx, store, projection, VERIFY, replayed?.position ?? -1n, position)
  await tx`set local search_path to default`
  let rows = 0
  const differences: Comparison['differences'][number][] = []
  for (const table of tableNames(projection)) {
    rows += await rowCount(tx, table)
    differences.push(...(await differing(tx, table)))
  }
  return { name: projection.name, position, rows, differences }
}

const servingPosition = async (sql: ISql, projection: Projection): Promise<bigint> =>
  (await checkpointOf(sql, SERVING, projection.name))?.position ?? -1n

const rowCount = async (tx: SqlTransaction, table: string): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(SERVING)}.${tx(table)}`
  return row?.count ?? 0
}

const differing = async (tx: SqlTransaction, table: string): Promise<Comparison['differences'][number][]> => {
  const only = (here: string, there: string) => tx<{ row: string }[]>`
    (select t::text as row from ${tx(here)}.${tx(table)} t except all select t::text from ${tx(there)}.${tx(table)} t)
    order by 1 limit ${DIFFERENCES_MAX}`
  const serving = (await only(SERVING, VERIFY)).map(({ row }) => ({ table, side: 'serving' as const, row }))
  const replayed = (await only(VERIFY, SERVING)).map(({ row }) => ({ table, side: 'replayed' as const, row }))
  return [...serving, ...replayed]
}
