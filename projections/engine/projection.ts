import type { ISql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'

/**
 * A read model: its tables, and what each event does to their rows, as pure functions. Because a handler names the rows
 * it touches and folds them in memory, the runner can read, change and write a whole batch at once. It holds nothing
 * that a replay would not rebuild.
 */
export type Projection = {
  readonly name: string
  /** Raised when tables or handlers change: the read model is then built anew beside the old one. */
  readonly version: number
  readonly tables: readonly Table[]
  readonly on: { readonly [T in EventType]?: Handler<T> }
  /**
   * Called in the transaction that has written the rows of these events, where they serve or are to serve; unqualified
   * names mean their schema.
   */
  readonly written?: (sql: ISql, events: readonly RecordedEvent[]) => Promise<void>
}

type Handler<T extends EventType> = (
  event: RecordedEvent<Extract<LedgerEvent, { type: T }>>,
) => readonly Change[] | Change

/** One handler for the events of several types, which reads nothing of them but what all events have. */
export const onEach = (
  types: readonly EventType[],
  handle: (event: RecordedEvent) => readonly Change[],
): Projection['on'] =>
  // Every one of some hundred types of handlers would be compared with this one, which takes any event.
  Object.fromEntries(types.map((type) => [type, handle])) as object as Projection['on']

/** Times are ISO 8601 text, amounts numeric; both come back as strings. `json` keeps its text as written. */
export type ColumnType = 'text' | 'uuid' | 'numeric' | 'bigint' | 'integer' | 'boolean' | 'json'

export type Table = {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: readonly string[]
  readonly indexes?: readonly Index[]
  /**
   * Numbers the rows of a group from 1 on, in the order in which they came: `column` gets the number where a handler
   * writes null. So a page far down a list is found by its numbers, without counting what lies before it.
   */
  readonly numbered?: { readonly column: string; readonly per: string }
  /** Columns that follow from the others of their row, and are worked out each time it is written. */
  readonly derived?: { readonly [column: string]: (row: Row) => Value }
}

/** A list of columns, as SQL; or such a list of the rows for which a condition holds. */
export type Index = string | { readonly columns: string; readonly where: string }

/** What stands after `on <table>` in SQL. */
export const indexSql = (index: Index): string =>
  typeof index === 'string' ? `(${index})` : `(${index.columns}) where ${index.where}`

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value }
export type Row = Readonly<Record<string, Value>>

/** What happens to one row: `to` gets it as it is, or undefined, and answers what it becomes. */
export type Change = {
  readonly table: string
  readonly key: readonly Value[]
  /** False when the row is written whole, so that it need not be read first. */
  readonly reads: boolean
  to(row: Row | undefined): Row
}

/** Writes a row whole. */
export const put = (table: Table, row: Row): Change => ({
  table: table.name,
  key: table.key.map((column) => row[column] ?? null),
  reads: false,
  to: () => row,
})

/** Changes a row that must be there. */
export const patch = (table: Table, key: readonly Value[], changed: (row: Row) => Row): Change => ({
  table: table.name,
  key,
  reads: true,
  to: (row) => {
    if (!row) throw new Error(`${table.name} has no row ${key.join(', ')}`)
    return { ...row, ...changed(row) }
  },
})

/** Changes a row, starting from `fresh` when there is none yet. */
export const upsert = (table: Table, fresh: Row, changed: (row: Row) => Row): Change => ({
  table: table.name,
  key: table.key.map((column) => fresh[column] ?? null),
  reads: true,
  to: (row = fresh) => ({ ...row, ...changed(row) }),
})

/** Adds to a numeric column, exactly. */
export const plus = (value: Value | undefined, amount: bigint | string): string =>
  String(BigInt(String(value ?? '0')) + BigInt(amount))
