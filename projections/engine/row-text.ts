import type { ColumnType, Row, Table, Value } from './projection.ts'

/**
 * Rows on their way to Postgres and back: a text array for each column, which it reads several times as fast as JSON.
 */

/** One array literal for each of the columns, for `unnestOf`. */
export const columnsOf = (table: Table, columns: readonly string[], rows: readonly Row[]): string[] =>
  columns.map((column) => {
    const isJson = table.columns[column] === 'json'
    let list = ''
    for (const row of rows) list += `${list === '' ? '' : ','}${element(row[column] ?? null, isJson)}`
    return `{${list}}`
  })

/** The rows that `columnsOf` wrote as a table `given` in SQL; its parameters are the literals after `before` others. */
export const unnestOf = (table: Table, columns: readonly string[], before = 0): string => {
  const arrays = columns.map((column, i) => `$${before + i + 1}::text[]::${table.columns[column]}[]`)
  return `unnest(${arrays.join(', ')}) as given (${columns.join(', ')})`
}

/** A list to select, read as text where a digit would be lost or JSON would not come back as it was written. */
export const selectList = (table: Table): string =>
  Object.entries(table.columns)
    .map(([column, type]) => `t.${column}${asText.has(type) ? '::text' : ''}`)
    .join(', ')

export const decodedRow = (table: Table, raw: Row): Row =>
  Object.fromEntries(
    Object.entries(table.columns).map(([column, type]) => {
      const value = raw[column] ?? null
      return [column, type === 'json' && typeof value === 'string' ? JSON.parse(value) : value]
    }),
  )

/**
 * A row that was written as reading it would answer, of these columns; undefined where only PostgreSQL can tell how it
 * writes one of the values.
 */
export const rowAsRead = (columns: Table['columns'], row: Row): Row | undefined => {
  const read: Record<string, Value> = {}
  for (const [column, type] of Object.entries(columns)) {
    const value = valueAsRead(type, row[column] ?? null)
    if (value === undefined) return undefined
    read[column] = value
  }
  return read
}

const valueAsRead = (type: ColumnType, value: Value): Value | undefined => {
  if (value === null) return null
  if (type === 'json') return JSON.parse(storableJson(value))
  const text = textOf(value, false)
  if (type === 'text') return text
  if (!UNCHANGED[type].test(text)) return undefined
  if (type === 'integer') return Number(text)
  return type === 'boolean' ? text === 'true' : text
}

/** Values that PostgreSQL writes as it was given them. */
const UNCHANGED: Readonly<Record<Exclude<ColumnType, 'text' | 'json'>, RegExp>> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  numeric: /^(?:0|-?[1-9]\d*)(?:\.\d+)?$/,
  bigint: /^(?:0|-?[1-9]\d*)$/,
  integer: /^(?:0|-?[1-9]\d*)$/,
  boolean: /^(?:true|false)$/,
}

/** A row's key as text: equal for equal keys. */
export const keyText = (key: readonly Value[]): string => storableJson(key)

const asText = new Set<ColumnType>(['numeric', 'bigint', 'json'])

const element = (value: Value, isJson: boolean): string => {
  if (value === null) return 'NULL'
  const text = textOf(value, isJson)
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

const textOf = (value: Value, isJson: boolean): string =>
  typeof value === 'string' && !isJson ? storable(value) : storableJson(value)

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
