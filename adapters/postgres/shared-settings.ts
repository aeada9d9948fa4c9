/**
 * What all processes on one log and one database must have alike, as the first of them was started with it. When these
 * rows are lost the next start notes them anew.
 */
import { createTables, type Sql } from './connect.ts'

export type SharedSettings = {
  /** What is noted, keyed by the name of the setting. */
  all(): Promise<ReadonlyMap<string, string>>
  /** Notes a value unless one is noted; answers the one that is. */
  note(name: string, value: string): Promise<string>
  /** Notes a value in place of any other. */
  replace(name: string, value: string): Promise<void>
  forget(): Promise<void>
}

export const createSharedSettings = async (sql: Sql): Promise<SharedSettings> => {
  await createTables(sql, TABLE)
  return {
    all: () => allOf(sql),
    async note(name, value) {
      await sql`insert into daybook_run.shared_settings (name, value) values (${name}, ${value}) on conflict do nothing`
      const [row] = await sql<{ value: string }[]>`select value from daybook_run.shared_settings where name = ${name}`
      return row?.value ?? value
    },
    async replace(name, value) {
      await sql`
        insert into daybook_run.shared_settings (name, value) values (${name}, ${value})
        on conflict (name) do update set value = excluded.value`
    },
    async forget() {
      await sql`delete from daybook_run.shared_settings`
    },
  }
}

/** What is noted, by the name of the setting; nothing in a database that is not ours yet. It writes nothing. */
export const readSharedSettings = async (sql: Sql): Promise<ReadonlyMap<string, string>> => {
  const [table] = await sql<{ oid: string | null }[]>`select to_regclass('daybook_run.shared_settings') as oid`
  return table?.oid === null ? new Map() : allOf(sql)
}

const allOf = async (sql: Sql): Promise<ReadonlyMap<string, string>> => {
  const rows = await sql<{ name: string; value: string }[]>`
    select name, value from daybook_run.shared_settings order by name`
  return new Map(rows.map(({ name, value }) => [name, value]))
}

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.shared_settings (name text primary key, value text not null)`
