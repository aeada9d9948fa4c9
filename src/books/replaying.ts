import type { Sql } from '../../adapters/postgres/connect.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { tableNames } from '../../projections/engine/schema.ts'
import { CommandFailure } from '../console/failures.ts'

/** One replay at a time in one database: they would drop each other's tables. The lock goes with the connection. */
export const onlyReplay = async (sql: Sql): Promise<void> => {
  const [row] = await sql<{ won: boolean }[]>`select pg_try_advisory_lock(hashtextextended('daybook replay', 0)) as won`
  if (!row?.won) throw new CommandFailure('another replay is under way on this database')
}

export const rowCounts = async (
  sql: Sql,
  schema: string,
  projection: Projection,
): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const table of tableNames(projection)) {
    const [row] = await sql<{ count: string }[]>`select count(*) as count from ${sql(schema)}.${sql(table)}`
    counts[table] = Number(row?.count ?? 0)
  }
  return counts
}

/** Number of events after a position that count. */
export const eventsAfter = async (
  store: EventStore,
  position: bigint,
  counts: (event: RecordedEvent) => boolean = () => true,
): Promise<number> => {
  let events = 0
  for await (const page of store.readAll(position)) events += page.filter(counts).length
  return events
}

/** The numbers of rows of a read model as text. */
export const rowsText = (rows: Readonly<Record<string, number>>): string =>
  Object.entries(rows)
    .map(([table, count]) => `${table} ${count}`)
    .join(', ')

export const countText = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`
