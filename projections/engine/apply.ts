import type { ISql, Sql } from 'postgres'
import { ownEntry } from '../../domain/kernel/plain-data.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { type Change, indexSql, type Projection, type Row, type Table } from './projection.ts'
import { NOTHING_KNOWN, type RowsKnown, type TableRows } from './recent-rows.ts'
import { columnsOf, decodedRow, keyText, selectList, unnestOf } from './row-text.ts'

export type SqlTransaction = Parameters<Parameters<Sql['begin']>[1]>[0]

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
  // One table's rows are made while Postgres writes another's.
  await allOver(
    changesOf(projection, events).map(async (changes) => {
      const { table, rows } = await rowsAfter(sql, changes)
      await sql.unsafe(upsertOf(table), columnsOf(table, Object.keys(table.columns), rows), PREPARED)
    }),
  )
}

/** What a batch of events changes in one table. */
export type TableChanges = {
  readonly table: Table
  readonly changes: readonly KeyedChange[]
  /** The keys of the rows that the changes start from; a row that the batch itself writes first need not be read. */
  readonly wanted: readonly Change['key'][]
}

/** The changes that a batch of events makes, by the tables that they touch; rejects as `applyBatch`. */
export const changesOf = (projection: Projection, events: readonly RecordedEvent[]): readonly TableChanges[] => {
  const all = events.flatMap((event): readonly KeyedChange[] => {
    const handler = ownEntry(projection.on as Readonly<Record<string, Handler>>, event.type)
    return handler ? changesBy(handler, event) : []
  })
  return projection.tables.flatMap((table) => {
    const changes = all.filter(({ change }) => change.table === table.name)
    return changes.length > 0 ? [{ table, changes, wanted: wantedBy(changes) }] : []
  })
}

const wantedBy = (changes: readonly KeyedChange[]): readonly Change['key'][] => {
  const first = new Map<string, Change>()
  for (const { at, change } of changes) if (!first.has(at)) first.set(at, change)
  return [...first.values()].filter(({ reads }) => reads).map(({ key }) => key)
}

type Handler = (event: RecordedEvent) => Change | Change[]

const changesBy = (handler: Handler, event: RecordedEvent): readonly KeyedChange[] => {
  if (event.unreadable !== undefined) throw new UnreadableEvent(event, event.unreadable)
  try {
    return [handler(event)].flat().map((change) => ({ at: keyText(change.key), event, change }))
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
  events.some(({ type }) => Object.hasOwn(projection.on, type))

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
export const PREPARED = { prepare: true }

/** A change with its key as text, and the event that makes it. */
type KeyedChange = { readonly at: string; readonly event: RecordedEvent; readonly change: Change }

/**
 * The rows of a table as the changes leave them. It reads those that they start from and that are not known, and takes
 * no statement else.
 */
export const rowsAfter = async (
  sql: ISql,
  { table, changes, wanted }: TableChanges,
  known: RowsKnown = NOTHING_KNOWN,
): Promise<TableRows> => {
  const rows = await present(sql, table, wanted, known)
  for (const { at, event, change } of changes)
    try {
      rows.set(at, change.to(rows.get(at)))
    } catch (error) {
      throw failedAt(event, error)
    }
  const highest = table.numbered ? await number(sql, table, table.numbered, rows, known) : new Map<string, bigint>()
  return { table, rows: [...rows.values()].map((row) => withDerived(table, row)), highest }
}

const withDerived = ({ derived }: Table, row: Row): Row =>
  derived ? { ...row, ...Object.fromEntries(Object.entries(derived).map(([column, of]) => [column, of(row)])) } : row

/**
 * The statement that writes rows, whose parameters are `columnsOf` them after `before` others; where `guard`, a
 * condition in SQL, does not hold it writes none.
 */
export const upsertOf = (table: Table, before = 0, guard = 'true'): string => {
  const columns = Object.keys(table.columns)
  const rest = columns.filter((column) => !table.key.includes(column))
  const update = rest.map((column) => `${column} = excluded.${column}`)
  // In the order of the key, so that neighbours in its index are written together.
  return `insert into ${table.name} (${columns.join(', ')})
    select ${columns.join(', ')} from ${unnestOf(table, columns, before)} where ${guard} order by ${table.key.join(', ')}
    on conflict (${table.key.join(', ')}) do ${update.length > 0 ? `update set ${update.join(', ')}` : 'nothing'}`
}

/** Rejects as the first of them that does, but once all are over: none may reach into what comes after. */
export const allOver = async <T>(all: readonly Promise<T>[]): Promise<T[]> => {
  const ends = await Promise.allSettled(all)
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

/**
 * Gives new rows their numbers, after the highest of their group, and answers which is the highest then. Rows keep the
 * order in which they were first touched.
 */
const number = async (
  sql: ISql,
  table: Table,
  { column, per }: NumberedColumn,
  rows: Map<string, Row>,
  known: RowsKnown,
): Promise<ReadonlyMap<string, bigint>> => {
  const fresh = [...rows].filter(([, row]) => row[column] === null)
  const last = await highestOf(sql, table, { column, per }, new Set(fresh.map(([, row]) => String(row[per]))), known)
  for (const [at, row] of fresh) {
    const group = String(row[per])
    const next = (last.get(group) ?? 0n) + 1n
    last.set(group, next)
    rows.set(at, { ...row, [column]: String(next) })
  }
  return last
}

const highestOf = async (
  sql: ISql,
  table: Table,
  { column, per }: NumberedColumn,
  groups: ReadonlySet<string>,
  known: RowsKnown,
): Promise<Map<string, bigint>> => {
  const highest = new Map<string, bigint>()
  const missing: string[] = []
  for (const group of groups) {
    const number = known.highest(table, group)
    if (number === undefined) missing.push(group)
    else highest.set(group, number)
  }
  if (missing.length === 0) return highest
  const read = await sql.unsafe<{ name: string; number: string }[]>(
    `select name, coalesce((select max(${column}) from ${table.name} where ${per} = name), 0)::text as number
     from json_array_elements_text($1::text::json) as name`,
    [JSON.stringify(missing)],
    PREPARED,
  )
  for (const { name, number } of read) highest.set(name, BigInt(number))
  return highest
}

type NumberedColumn = NonNullable<Table['numbered']>

/** The rows that are there, by their keys as text. */
const present = async (
  sql: ISql,
  table: Table,
  wanted: readonly Change['key'][],
  known: RowsKnown,
): Promise<Map<string, Row>> => {
  const rows = new Map<string, Row>()
  const missing = wanted.filter((key) => {
    const at = keyText(key)
    const row = known.find(table, at)
    if (row) rows.set(at, row)
    return !row
  })
  if (missing.length === 0) return rows
  const keys = missing.map((key) => Object.fromEntries(table.key.map((column, i) => [column, key[i] ?? null])))
  const found = await sql.unsafe<Row[]>(
    `select ${selectList(table)} from ${table.name} t join ${unnestOf(table, table.key)} using (${table.key.join(', ')})`,
    columnsOf(table, table.key, keys),
    PREPARED,
  )
  for (const raw of found) {
    const row = decodedRow(table, raw)
    rows.set(keyText(table.key.map((column) => row[column] ?? null)), row)
  }
  return rows
}
