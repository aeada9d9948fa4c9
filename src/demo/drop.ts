import type { Sql } from '../../adapters/postgres/connect.ts'

/** Drops everything that is derived from the log: the read models, and the progress of policies and effects. */
export const dropReadModels = async (sql: Sql): Promise<void> => {
  await sql`drop schema daybook cascade`
  await sql`drop schema daybook_run cascade`
}
