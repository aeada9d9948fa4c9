import type { ISql, Sql } from 'postgres'
import type { Recorded } from '../domain/ports.ts'
import type { Change, ColumnType, Projection, Row, Table } from './projection.ts'

/**
 * Applies a batch of events to a read model set-wise: one read and one write per touched table, whatever the number of events.
 * Runs inside the caller's transaction, whose search_path names the schema that the tables are in.
 */
export const applyBatch = async (sql: ISql, projection: Projection, events: readonly Recorded[]): Promise<void> => {
  const changes = events.flatMap((event) => {
    const handler = projection.on[event.type as keyof Projection['on']] as
      | ((e: Recorded) => Change | Change[])
      | undefined
    return handler ? [handler(event)].flat() : []
  })
  for (const table of projection.tables) {
    const mine = changes.filter((change) => change.table === table.name)
    if (mine.length > 0) await applyTo(sql, table, mine)
  }
}

/** True when the read model has a handler for at least one of the events. */
export const concerns = (projection: Projection, events: readonly Recorded[]): boolean =>
  events.some(({ type }) => type in projection.on)

export const createTables = async (sql: ISql, projection: Projection): Promise<void> => {
  for (const { name, columns, key, indexes = [] } of projection.tables) {
    const body = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
    await sql.unsafe(`create table ${name} (${body.join(', ')}, primary key (${key.join(', ')}))`)
    for (const columnList of indexes) await sql.unsafe(`create index on ${name} (${columnList})`)
  }
}

const applyTo = async (sql: ISql, table: Table, changes: readonly Change[]) => {
  const rows = await present(sql, table, changes)
  const written = new Map<string, Row>()
  for (const change of changes) {
    const at = rowsJson(change.key)
    const row = change.to(written.get(at) ?? rows.get(at))
    written.set(at, row)
  }
  const columns = Object.keys(table.columns)
  const rest = columns.filter((column) => !table.key.includes(column))
  const update = rest.map((column) => `${column} = excluded.${column}`)
  await sql.unsafe(
    `insert into ${table.name} (${columns.join(', ')})
     select ${columns.join(', ')} from json_to_recordset($1::text::json) as given (${declared(table.columns)})
     on conflict (${table.key.join(', ')}) do ${update.length > 0 ? `update set ${update.join(', ')}` : 'nothing'}`,
    [rowsJson([...written.values()])],
  )
}

/** The rows that the changes start from, by key. */
const present = async (sql: ISql, table: Table, changes: readonly Change[]): Promise<Map<string, Row>> => {
  const keys = new Map(changes.filter(({ reads }) => reads).map(({ key }) => [rowsJson(key), key]))
  if (keys.size === 0) return new Map()
  const wanted = [...keys.values()].map((key) => Object.fromEntries(table.key.map((column, i) => [column, key[i]])))
  const keyColumns = Object.fromEntries(table.key.map((column) => [column, table.columns[column] as ColumnType]))
  const list = Object.entries(table.columns).map(([column, type]) => `t.${column}${asText.has(type) ? '::text' : ''}`)
  const found = await sql.unsafe<Row[]>(
    `select ${list.join(', ')} from ${table.name} t
     join json_to_recordset($1::text::json) as given (${declared(keyColumns)}) using (${table.key.join(', ')})`,
    [rowsJson(wanted)],
  )
  return new Map(
    found.map((raw) => {
      const row = decoded(table, raw)
      return [JSON.stringify(table.key.map((column) => row[column])), row]
    }),
  )
}

/**
 * Postgres text holds neither NUL nor half a surrogate pair; somebody may have sent one all the same. It shows as U+FFFD, because an event
 * that no row can take would hold up the read model for ever.
 */
const rowsJson = (rows: unknown): string =>
  JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
  )

/** Read as text, so that no digit is lost and JSON comes back as it was written. */
const asText = new Set<ColumnType>(['numeric', 'bigint', 'json'])

const decoded = (table: Table, raw: Row): Row =>
  Object.fromEntries(
    Object.entries(table.columns).map(([column, type]) => {
      const value = raw[column] ?? null
      return [column, type === 'json' && typeof value === 'string' ? JSON.parse(value) : value]
    }),
  )

const declared = (columns: Readonly<Record<string, ColumnType>>) =>
  Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')

export type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0]
