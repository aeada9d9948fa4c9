import type { Checkpoints } from '../following/reactor.ts'
import { createTables, type Sql } from './connect.ts'

/**
 * How far each policy and effect has come. When these rows are lost they begin at the first event again, which changes nothing: each asks
 * the log what was done already.
 */
export const createCheckpoints = async (
  sql: Sql,
): Promise<Checkpoints & { all(): Promise<ReadonlyMap<string, bigint>> }> => {
  await createTables(
    sql,
    `create schema if not exists daybook_run;
     create table if not exists daybook_run.checkpoints (name text primary key, position bigint not null)`,
  )
  return {
    async load(name) {
      const [row] = await sql<{ position: string }[]>`select position from daybook_run.checkpoints where name = ${name}`
      return BigInt(row?.position ?? -1)
    },
    async save(name, position) {
      await sql`
        insert into daybook_run.checkpoints values (${name}, ${String(position)})
        on conflict (name) do update set position = greatest(checkpoints.position, excluded.position)`
    },
    async all() {
      const rows = await sql<{ name: string; position: string }[]>`select name, position from daybook_run.checkpoints`
      return new Map(rows.map(({ name, position }) => [name, BigInt(position)]))
    },
  }
}
