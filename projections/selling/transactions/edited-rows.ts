import type { Edits, WritableKey } from '../../../domain/selling/transactions/transaction-edits.ts'
import type { Row, Value } from '../../engine/projection.ts'

/**
 * How the edits of a merchant lie over a transaction's row. The columns hold what is shown, so that lists, filters and
 * the CSV need not know of edits; the values of those columns by the facts are kept beside them.
 */
export const editColumns = { edits: 'json', facts: 'json', edited_at: 'text' } as const

/** Columns that an edit lies over, by the key that writes them. */
const over: { readonly [K in WritableKey]?: string } = {
  status: 'status',
  hash: 'hash',
  title: 'title',
  description: 'description',
  amount: 'amount',
  amount_fiat: 'amount_fiat',
  cryptocurrency: 'cryptocurrency',
  from: 'payer',
  creation_time: 'created_at',
  confirmed_time: 'confirmed_at',
  store_id: 'store_id',
  checkout_id: 'checkout_id',
  discount_code: 'discount_code',
  is_test: 'test',
}

/** The row as the facts alone would have it. */
export const factsOf = (row: Row): Row => ({ ...row, ...(row.facts as Row | null) })

/** The changes of a row when its facts change, or the edits that lie over them. */
export const shownWith = (row: Row, facts: Row, edits = row.edits as Edits | null): Row => {
  if (!edits) return facts
  const known = { ...factsOf(row), ...facts }
  const kept = Object.fromEntries(Object.values(over).map((column) => [column, known[column] ?? null]))
  return { ...facts, ...kept, ...laidOver(edits), edits, facts: kept }
}

export const editsOf = (row: Row): Edits => (row.edits ?? {}) as Edits

const laidOver = (edits: Edits): Row => {
  const row: Record<string, Value> = {}
  for (const [key, column] of Object.entries(over)) {
    const value = edits[key as WritableKey]
    if (value !== undefined) row[column] = columnValue(column, value)
  }
  return row
}

/** Times are ISO 8601 in rows, and `YYYY-MM-DD HH:MM:SS` in records. */
const columnValue = (column: string, value: string): Value => {
  if (column === 'store_id') return Number(value)
  if (column === 'test') return value === '1'
  if (column !== 'created_at' && column !== 'confirmed_at') return value
  return value === '' ? null : `${value.replace(' ', 'T')}.000Z`
}
