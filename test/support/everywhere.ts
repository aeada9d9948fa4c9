/** All that a service keeps, as text to look for something in. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../adapters/postgres/connect.ts'
import type { TestApp } from './app.ts'

/** Every row of every table that is not PostgreSQL's own. */
export const dump = async (url: string): Promise<string> => {
  const sql = connect(url, { max: 1 })
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')`
  const rows: string[] = []
  for (const { schema, name } of tables)
    rows.push(
      ...(await sql<{ row: string }[]>`select t::text as row from ${sql(schema)}.${sql(name)} t`).map((r) => r.row),
    )
  await sql.end()
  return rows.join('\n')
}

/** Everything under the data directory, the log's own file included. */
export const files = (of: Pick<TestApp, 'dataDir'>): string =>
  readdirSync(of.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
