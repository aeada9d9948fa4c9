import type { Sql } from 'postgres'
import type { EventStore } from '../domain/ports.ts'
import type { Transaction } from './apply.ts'
import type { Projection } from './projection.ts'
import { catchUp, rebuild } from './rebuild.ts'
import { checkpointOf, dropTables, SERVING, tableNames } from './schema.ts'

/** Where a verification builds its own copy; dropped afterwards. */
const VERIFY = 'daybook_verify'
/** Rows shown of what differs. */
const DIFFERENCES_MAX = 5

export type Comparison = {
  readonly name: string
  /** Both copies stand at this position of the log. */
  readonly position: bigint
  readonly rows: number
  /** Rows that stand in one copy only, as text, at most DIFFERENCES_MAX a table. */
  readonly differences: readonly {
    readonly table: string
    readonly side: 'serving' | 'replayed'
    readonly row: string
  }[]
}

/**
 * Builds a read model from the first event and compares it with the one that serves, row by row and byte by byte, at the same position of
 * the log. The serving one is neither changed nor held up.
 */
export const compareWithReplay = async (
  sql: Sql,
  store: EventStore,
  projection: Projection,
  onProgress?: (events: number) => void,
): Promise<Comparison> => {
  await rebuild(sql, store, projection, { schema: VERIFY, ...(onProgress && { onProgress }) })
  try {
    return await sql.begin('isolation level repeatable read', async (tx) => {
      const serving = await checkpointOf(tx, SERVING, projection.name)
      const replayed = await checkpointOf(tx, VERIFY, projection.name)
      const position = serving?.position ?? -1n
      // The build may have read past what the serving copy had reached when this snapshot was taken.
      if ((replayed?.position ?? -1n) > position) throw new BehindReplay(projection.name)
      await catchUp(tx, store, projection, VERIFY, replayed?.position ?? -1n, position)
      await tx`set local search_path to default`
      let rows = 0
      const differences: Comparison['differences'][number][] = []
      for (const table of tableNames(projection)) {
        rows += await rowCount(tx, table)
        differences.push(...(await differing(tx, table)))
      }
      return { name: projection.name, position, rows, differences }
    })
  } finally {
    await dropTables(sql, VERIFY, tableNames(projection))
    await sql`delete from ${sql(VERIFY)}.checkpoints where name = ${projection.name}`
  }
}

/** The serving read model was behind the log when it was compared; asking again a moment later helps. */
export class BehindReplay extends Error {
  override readonly name = 'BehindReplay'
}

const rowCount = async (tx: Transaction, table: string): Promise<number> => {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(SERVING)}.${tx(table)}`
  return row?.count ?? 0
}

const differing = async (tx: Transaction, table: string): Promise<Comparison['differences'][number][]> => {
  const only = (here: string, there: string) => tx<{ row: string }[]>`
    (select t::text as row from ${tx(here)}.${tx(table)} t except all select t::text from ${tx(there)}.${tx(table)} t)
    order by 1 limit ${DIFFERENCES_MAX}`
  const serving = (await only(SERVING, VERIFY)).map(({ row }) => ({ table, side: 'serving' as const, row }))
  const replayed = (await only(VERIFY, SERVING)).map(({ row }) => ({ table, side: 'replayed' as const, row }))
  return [...serving, ...replayed]
}
