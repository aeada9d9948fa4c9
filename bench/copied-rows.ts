import { writeFile } from 'node:fs/promises'
import { connect } from '../adapters/postgres/connect.ts'
import { indexSql, type Projection, type Table } from '../projections/engine/projection.ts'
import { SERVING } from '../projections/engine/schema.ts'
import { runDebian } from './debian.ts'

/**
 * The limit of every rebuild: PostgreSQL takes in the ready rows as text, then makes the primary key and the indexes.
 */

const COPIED = 'bench_copied'
const LIMIT_MS = 600_000

/**
 * Keeps the serving rows of a read model as text under `dir`; answers a function that loads them again, by psql, and
 * tells their number and the milliseconds that it took.
 */
export const copiedRows = async (psql: string, url: string, projection: Projection, dir: string) => {
  const run = (statements: readonly string[], file: string) =>
    runScript(psql, url, `${dir}/${file}`, ['\\set ON_ERROR_STOP on', ...statements])
  const path = ({ name }: Table) => `${dir}/${name}.txt`
  await run(
    projection.tables.map((table) => `\\copy ${SERVING}.${table.name} to '${path(table)}'`),
    'save.sql',
  )
  return async (): Promise<{ rows: number; ms: number }> => {
    const sql = connect(url, { max: 1 })
    try {
      await sql.unsafe(`drop schema if exists ${COPIED} cascade; create schema ${COPIED}`)
      for (const table of projection.tables) await sql.unsafe(tableOf(table))
      const ms = await run(
        ['\\timing on', ...projection.tables.flatMap((table) => loading(table, path(table)))],
        'load.sql',
      )
      const counts = projection.tables.map(({ name }) => `(select count(*) from ${COPIED}.${name})`)
      const [row] = await sql.unsafe<{ rows: string }[]>(`select ${counts.join(' + ')} as rows`)
      return { rows: Number(row?.rows), ms }
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

const tableOf = ({ name, columns }: Table) =>
  `create table ${COPIED}.${name} (${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')})`

const loading = ({ name, key, indexes = [] }: Table, path: string) => [
  `\\copy ${COPIED}.${name} from '${path}'`,
  `alter table ${COPIED}.${name} add primary key (${key.join(', ')});`,
  ...indexes.map((index) => `create index on ${COPIED}.${name} ${indexSql(index)};`),
]

/** The time that psql itself took for the statements, without its start. */
const runScript = async (psql: string, url: string, file: string, lines: readonly string[]): Promise<number> => {
  await writeFile(file, `${lines.join('\n')}\n`)
  const out = await runDebian(psql, ['--no-psqlrc', '--quiet', '--file', file, url], LIMIT_MS)
  return [...out.matchAll(/^Time: ([\d.]+) ms/gm)].reduce((sum, [, ms]) => sum + Number(ms), 0)
}
