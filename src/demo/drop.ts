import type { Sql } from '../../adapters/postgres/connect.ts'

/** Everything that is derived from the log goes: the read models, and how far policies and effects had come. */
export const dropReadModels = async (sql: Sql): Promise<void> => {
  await sql`drop schema daybook cascade`
  await sql`drop schema daybook_run cascade`
}
