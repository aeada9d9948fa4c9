import type { Sql } from 'postgres'
import { RECORD_KEYS } from '../../domain/selling/transactions/transaction-record.ts'
import { filteredText, type TransactionFilter } from './transaction-filter.ts'

/** The CSV is written by Postgres and passed through as it comes, so its size does not matter (J-TXN-05). */

/** How each documented key is read from the table; the same words as `transactionRecord` uses. */
const columns: Readonly<Record<(typeof RECORD_KEYS)[number], string>> = {
  id: 'transaction_id',
  amount: 'amount',
  amount_fiat: 'amount_fiat',
  cryptocurrency: 'cryptocurrency',
  currency: 'currency',
  status: 'status',
  hash: 'hash',
  title: 'title',
  external_reference: 'external_reference',
  vat: `coalesce(edits->>'vat', vat)`,
  vat_details: 'vat_details',
  creation_time: recordTime('created_at'),
  confirmed_time: `coalesce(${recordTime('confirmed_at')}, '')`,
  description: 'description',
  billing: "''",
  type: 'type',
}

/** What stands sealed in the row in the place of a column; null where nothing does. */
const sealed: { readonly [K in (typeof RECORD_KEYS)[number]]?: string } = {
  billing: `nullif(edits->>'billing', '')`,
  description: `case when edits->>'description' is null then sealed_description end`,
  vat_details: 'sealed_vat_details',
}

/**
 * The transactions of one account, or of all, that pass a filter, oldest first, with a header line. Text that a
 * spreadsheet would run is quoted by a leading '. A cell that is sealed stands between two marks, to be opened on the
 * way; without a mark it is empty.
 */
export const transactionsCsv = (
  sql: Sql,
  accountId: string | undefined,
  filter: TransactionFilter,
  mark?: string | undefined,
) => {
  const where = filteredText(accountId, filter)
  const list = RECORD_KEYS.map((key) => `${cell(key, mark)} as ${key}`)
  return sql
    .unsafe(
      `copy (select ${list.join(', ')} from transactions where ${where} order by ${accountId === undefined ? 'created_at, transaction_id' : 'number'})
       to stdout with (format csv, header)`,
    )
    .readable()
}

function recordTime(column: string): string {
  return `replace(left(${column}, 19), 'T', ' ')`
}

/** What a spreadsheet would run is quoted by a leading '. */
export const inertSql = (value: string): string =>
  `case when ${value} ~ '^[=+@\\t\\r\\n-]' then '''' || ${value} else ${value} end`

const cell = (key: (typeof RECORD_KEYS)[number], mark: string | undefined): string => {
  const [plain, hidden] = [inertSql(columns[key]), sealed[key]]
  return mark === undefined || hidden === undefined ? plain : `coalesce('${mark}' || ${hidden} || '${mark}', ${plain})`
}
