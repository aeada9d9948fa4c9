import type { Sql } from 'postgres'
import { RECORD_KEYS } from '../../domain/selling/transactions/transaction-record.ts'
import { fiatSql, receivedSql } from './takings.ts'

/** The CSV is written by Postgres and passed through as it comes, so its size does not matter (J-TXN-05). */

/** The transactions, each with what came for it. */
export const TAKEN = 'transactions left join takings using (challenge_id)'

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

/** SQL of the keys whose values are by hand, as `editedByHand` tells them. */
const EDITED = `case when edits is null then ''
  else coalesce((select string_agg(key, ',' order by key collate "C") from json_object_keys(edits) as key), '') end`

/**
 * What stands after the documented keys, for who does the books (N-36). Fees are in US dollars; what came and what was
 * given back is in the coin, or of a card in its currency; what was settled is the price, in that currency.
 */
const ADDED = {
  is_test: `case when test then '1' else '0' end`,
  store_id: 'store_id::text',
  fee: fiatSql('fee'),
  fee_gas: fiatSql('fee_gas'),
  refunded_amount: `coalesce(refunded_part, '')`,
  settled_amount: fiatSql('settled_amount'),
  settlement_time: `coalesce(${recordTime('settled_at')}, '')`,
  received_amount: receivedSql,
} as const

/** What came after that. */
const ADDED_LAST = {
  edited_by_hand: EDITED,
  edited_time: `case when ${EDITED} = '' then '' else coalesce(${recordTime('edited_at')}, '') end`,
} as const

/** Former releases, by the number of the form of their exports: the first had the documented keys alone. */
export type FormerCsv = 1 | 2

const addedUpTo = (release: FormerCsv | undefined): Readonly<Record<string, string>> => {
  if (release === 1) return {}
  return release === 2 ? ADDED : Object.assign({}, ADDED, ADDED_LAST)
}

/** The columns of the CSV, in their order. */
export const CSV_KEYS: readonly string[] = [...RECORD_KEYS, ...Object.keys(addedUpTo(undefined))]

/** SQL of the sealed value that replaces a column; null where there is none. */
const sealed: { readonly [K in (typeof RECORD_KEYS)[number]]?: string } = {
  billing: `nullif(edits->>'billing', '')`,
  description: `case when edits->>'description' is null then sealed_description end`,
  vat_details: 'sealed_vat_details',
}

/**
 * The transactions of one account, or of all, that a condition selects, oldest first, with a header line. Text that a
 * spreadsheet would run is quoted by a leading '. A cell that is sealed stands between two marks, to be opened on the
 * way; without a mark it is empty. `former`: with the columns of that release.
 */
export const transactionsCsv = (
  sql: Sql,
  where: string,
  accountId: string | undefined,
  { mark, former }: { mark?: string | undefined; former?: FormerCsv | undefined } = {},
) => {
  const known = RECORD_KEYS.map((key) => `${cell(key, mark)} as ${key}`)
  const added = Object.entries(addedUpTo(former)).map(([key, value]) => `${value} as ${key}`)
  return sql
    .unsafe(
      `copy (select ${[...known, ...added].join(', ')} from ${TAKEN} where ${where} order by ${accountId === undefined ? 'created_at, transaction_id' : 'number'})
       to stdout with (format csv, header)`,
    )
    .readable()
}

function recordTime(column: string): string {
  return `replace(left(${column}, 19), 'T', ' ')`
}

/** The characters with which a text begins that a spreadsheet would run, or split; the last of them in ASCII is @. */
const RUN_BY_SPREADSHEETS = [...'=+-\t\r\n@'].map((character) => character.charCodeAt(0)).join(', ')
const LAST_RUN = '@'.charCodeAt(0)

/**
 * SQL of a text in which whatever a spreadsheet would run is quoted by a leading '. Most texts begin with a letter, so
 * that one comparison is enough for them.
 */
export const inertSql = (value: string): string => `case when ascii(${value}) > ${LAST_RUN} then ${value}
  when ascii(${value}) in (${RUN_BY_SPREADSHEETS}) then '''' || ${value} else ${value} end`

const cell = (key: (typeof RECORD_KEYS)[number], mark: string | undefined): string => {
  const [plain, hidden] = [inertSql(columns[key]), sealed[key]]
  return mark === undefined || hidden === undefined ? plain : `coalesce('${mark}' || ${hidden} || '${mark}', ${plain})`
}
