import type { ISql, Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import {
  type Change,
  type ColumnType,
  indexSql,
  type Projection,
  type Row,
  type Table,
  type Value,
} from './projection.ts'

/**
 * Applies a batch of events to a read model set-wise: one read and one write per touched table, whatever the number of
 * events. Runs inside the caller's transaction, whose search_path names the schema that the tables are in. Rejects with
 * UnreadableEvent at an event that cannot be read, or that a handler fails at.
 */
export const applyBatch = async (
  sql: ISql,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const changes = events.flatMap((event): readonly EventChange[] => {
    const handler = projection.on[event.type as keyof Projection['on']] as
      | ((e: RecordedEvent) => Change | Change[])
      | undefined
    return handler ? changesBy(handler, event) : []
  })
  const touched = projection.tables.flatMap((table) => {
    const mine = changes.filter(({ change }) => change.table === table.name)
    return mine.length > 0 ? [applyTo(sql, table, mine)] : []
  })
  // One table's rows are made while Postgres writes another's. All have to be over before the transaction may end.
  for (const applied of await Promise.allSettled(touched)) if (applied.status === 'rejected') throw applied.reason
}

const changesBy = (handler: (e: RecordedEvent) => Change | Change[], event: RecordedEvent): readonly EventChange[] => {
  if (event.unreadable !== undefined) throw new UnreadableEvent(event, event.unreadable)
  try {
    return [handler(event)].flat().map((change) => ({ event, change }))
  } catch (error) {
    throw failedAt(event, error)
  }
}

/** The error that names the event whose data a pure function fails at. */
const failedAt = (event: RecordedEvent, error: unknown): UnreadableEvent =>
  error instanceof UnreadableEvent
    ? error
    : new UnreadableEvent(event, error instanceof Error ? error.message : String(error), { cause: error })

/** True when the read model has a handler for at least one of the events. */
export const isConcerned = (projection: Projection, events: readonly RecordedEvent[]): boolean =>
  events.some(({ type }) => type in projection.on)

export const createTables = async (sql: ISql, projection: Projection): Promise<void> => {
  for (const { name, columns, key } of projection.tables) {
    const body = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
    await sql.unsafe(`create table ${name} (${body.join(', ')}, primary key (${key.join(', ')}))`)
  }
}

/** Creates the indexes beside the keys. Many rows are written faster before these are there. */
export const createIndexes = async (sql: ISql, projection: Projection): Promise<void> => {
  for (const { name, indexes = [] } of projection.tables)
    for (const [i, index] of indexes.entries())
      await sql.unsafe(`create index if not exists ${name}_index_${i} on ${name} ${indexSql(index)}`)
}

/** Prepares a statement once on each connection; otherwise each execution costs another round trip. */
const PREPARED = { prepare: true }

/** A change, and the event that makes it. */
type EventChange = { readonly event: RecordedEvent; readonly change: Change }
type KeyedChange = EventChange & { readonly at: string }

const applyTo = async (sql: ISql, table: Table, changes: readonly EventChange[]) => {
  const keyed = changes.map(({ event, change }) => ({ at: keyText(change.key), event, change }))
  const rows = await present(sql, table, keyed)
  for (const { at, event, change } of keyed)
    try {
      rows.set(at, change.to(rows.get(at)))
    } catch (error) {
      throw failedAt(event, error)
    }
  if (table.numbered) await number(sql, table.name, table.numbered, rows)
  const columns = Object.keys(table.columns)
  const rest = columns.filter((column) => !table.key.includes(column))
  const update = rest.map((column) => `${column} = excluded.${column}`)
  // In the order of the key, so that neighbours in its index are written together.
  await sql.unsafe(
    `insert into ${table.name} (${columns.join(', ')})
     select ${columns.join(', ')} from ${unnestOf(table, columns)} order by ${table.key.join(', ')}
     on conflict (${table.key.join(', ')}) do ${update.length > 0 ? `update set ${update.join(', ')}` : 'nothing'}`,
    columnsOf(table, columns, [...rows.values()]),
    PREPARED,
  )
}

/**
 * Gives new rows their numbers, after the highest of their group. Rows keep the order in which they were first touched.
 */
const number = async (sql: ISql, table: string, { column, per }: NumberedColumn, rows: Map<string, Row>) => {
  const fresh = [...rows].filter(([, row]) => row[column] === null)
  if (fresh.length === 0) return
  const groups = [...new Set(fresh.map(([, row]) => String(row[per])))]
  const highest = await sql.unsafe<{ name: string; number: string }[]>(
    `select name, coalesce((select max(${column}) from ${table} where ${per} = name), 0)::text as number
     from json_array_elements_text($1::text::json) as name`,
    [JSON.stringify(groups)],
    PREPARED,
  )
  const last = new Map(highest.map(({ name, number }) => [name, BigInt(number)]))
  for (const [at, row] of fresh) {
    const group = String(row[per])
    const next = (last.get(group) ?? 0n) + 1n
    last.set(group, next)
    rows.set(at, { ...row, [column]: String(next) })
  }
}

type NumberedColumn = NonNullable<Table['numbered']>

/** The rows that the changes start from, by key. A row that the batch itself writes first need not be read. */
const present = async (sql: ISql, table: Table, keyed: readonly KeyedChange[]): Promise<Map<string, Row>> => {
  const first = new Map<string, Change>()
  for (const { at, change } of keyed) if (!first.has(at)) first.set(at, change)
  const wanted = [...first.values()].filter(({ reads }) => reads)
  if (wanted.length === 0) return new Map()
  const keys = wanted.map(({ key }) => Object.fromEntries(table.key.map((column, i) => [column, key[i] ?? null])))
  const found = await sql.unsafe<Row[]>(
    `select ${selectList(table)} from ${table.name} t join ${unnestOf(table, table.key)} using (${table.key.join(', ')})`,
    columnsOf(table, table.key, keys),
    PREPARED,
  )
  return new Map(
    found.map((raw) => {
      const row = decodedRow(table, raw)
      return [keyText(table.key.map((column) => row[column] ?? null)), row]
    }),
  )
}

export type SqlTransaction = Parameters<Parameters<Sql['begin']>[1]>[0]

/**
 * Rows on their way to Postgres and back: a text array for each column, which it reads several times as fast as JSON.
 */

/** One array literal for each of the columns, for `unnestOf`. */
const columnsOf = (table: Table, columns: readonly string[], rows: readonly Row[]): string[] =>
  columns.map((column) => {
    const isJson = table.columns[column] === 'json'
    let list = ''
    for (const row of rows) list += `${list === '' ? '' : ','}${element(row[column] ?? null, isJson)}`
    return `{${list}}`
  })

/** The rows that `columnsOf` wrote, as a table `given` in SQL; the literals are its parameters. */
const unnestOf = (table: Table, columns: readonly string[]): string => {
  const arrays = columns.map((column, i) => `$${i + 1}::text[]::${table.columns[column]}[]`)
  return `unnest(${arrays.join(', ')}) as given (${columns.join(', ')})`
}

/** A list to select, read as text where a digit would be lost or JSON would not come back as it was written. */
const selectList = (table: Table): string =>
  Object.entries(table.columns)
    .map(([column, type]) => `t.${column}${asText.has(type) ? '::text' : ''}`)
    .join(', ')

const decodedRow = (table: Table, raw: Row): Row =>
  Object.fromEntries(
    Object.entries(table.columns).map(([column, type]) => {
      const value = raw[column] ?? null
      return [column, type === 'json' && typeof value === 'string' ? JSON.parse(value) : value]
    }),
  )

/** A row's key as text: equal for equal keys. */
const keyText = (key: readonly Value[]): string => storableJson(key)

const asText = new Set<ColumnType>(['numeric', 'bigint', 'json'])

const element = (value: Value, isJson: boolean): string => {
  if (value === null) return 'NULL'
  const text = typeof value === 'string' && !isJson ? storable(value) : storableJson(value)
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

const NEEDS_ESCAPE = /["\\]/

/**
 * Postgres text holds neither NUL nor half a surrogate pair; somebody may have sent one all the same. It shows as
 * U+FFFD, because an event that no row can take would hold up the read model for ever.
 */
const storable = (text: string): string => (text.isWellFormed() && !text.includes('\0') ? text : replaced(text))

const replaced = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/**
 * JSON that can be stored. JSON escapes what cannot be, so that a look at its text tells whether anything has to be
 * replaced.
 */
const storableJson = (value: unknown): string => {
  const json = JSON.stringify(value)
  if (!ESCAPED.test(json)) return json
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? replaced(inner) : inner))
}

const ESCAPED = /\\u(?:0000|d[89a-f])/
