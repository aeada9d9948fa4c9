import type { Sql } from 'postgres'
import { UTC, type ZoneClock } from '../../../domain/kernel/calendar.ts'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import { zonedSql } from '../../engine/zoned-sql.ts'
import { fiatSql, receivedSql } from '../takings.ts'

/** The CSV is written by Postgres and passed through as it comes, so its size does not matter (J-TXN-05). */

/** The transactions, each with what came for it. */
export const TAKEN = 'transactions left join takings using (challenge_id)'

/** How each documented key is read from the table; the same words as `transactionRecord` uses. */
const columnsIn = (recordTime: TimeSql): Readonly<Record<(typeof RECORD_KEYS)[number], string>> => ({
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
})

/** SQL of the text of a column of times. */
type TimeSql = (column: string) => string

/** SQL of the keys whose values are by hand, as `editedByHand` tells them. */
const EDITED = `case when edits is null then ''
  else coalesce((select string_agg(key, ',' order by key collate "C") from json_object_keys(edits) as key), '') end`

/**
 * What stands after the documented keys, for who does the books (N-36). Fees are in US dollars; what came and what was
 * given back is in the coin, or of a card in its currency; what was settled is the price, in that currency.
 */
const addedIn = (recordTime: TimeSql) => ({
  is_test: `case when test then '1' else '0' end`,
  store_id: 'store_id::text',
  fee: fiatSql('fee'),
  fee_gas: fiatSql('fee_gas'),
  refunded_amount: `coalesce(refunded_part, '')`,
  settled_amount: fiatSql('settled_amount'),
  settlement_time: `coalesce(${recordTime('settled_at')}, '')`,
  received_amount: receivedSql,
})

/** What came after that. */
const addedLastIn = (recordTime: TimeSql) => ({
  edited_by_hand: EDITED,
  edited_time: `case when ${EDITED} = '' then '' else coalesce(${recordTime('edited_at')}, '') end`,
})

/** Former releases, by the number of the form of their exports: the first had the documented keys alone. */
type FormerCsv = 1 | 2

const addedUpTo = (release: FormerCsv | undefined, times: TimeSql): Readonly<Record<string, string>> => {
  if (release === 1) return {}
  const added = addedIn(times)
  return release === 2 ? added : Object.assign({}, added, addedLastIn(times))
}

/** In UTC, as records have it. */
const recordTime: TimeSql = (column) => `replace(left(${column}, 19), 'T', ' ')`

/** The columns of the CSV, in their order. */
export const CSV_KEYS: readonly string[] = [...RECORD_KEYS, ...Object.keys(addedUpTo(undefined, recordTime))]

/** SQL of the sealed value that replaces a column; null where there is none. */
const sealed: { readonly [K in (typeof RECORD_KEYS)[number]]?: string } = {
  billing: `nullif(edits->>'billing', '')`,
  description: `case when edits->>'description' is null then sealed_description end`,
  vat_details: 'sealed_vat_details',
}

/** What is asked of a CSV beside the rows. */
export type CsvForm = {
  readonly mark?: string | undefined
  readonly former?: FormerCsv | undefined
  /** The clocks that show the times, and the time that it is; absent: those of UTC. */
  readonly zoned?: { readonly clock: ZoneClock; readonly now: string } | undefined
}

/**
 * The transactions of one account, or of all, that a condition selects, oldest first, with a header line. Text that a
 * spreadsheet would run is quoted by a leading '. A cell that is sealed stands between two marks, to be opened on the
 * way; without a mark it is empty. `former`: with the columns of that release.
 */
export const transactionsCsv = async (
  sql: Sql,
  where: string,
  accountId: string | undefined,
  { mark, former, zoned }: CsvForm = {},
) => {
  const times = zoned && zoned.clock.zone !== UTC ? await timesIn(sql, where, zoned) : recordTime
  const columns = columnsIn(times)
  const known = RECORD_KEYS.map((key) => `${cell(columns[key], sealed[key], mark)} as ${key}`)
  const added = Object.entries(addedUpTo(former, times)).map(([key, value]) => `${value} as ${key}`)
  return sql
    .unsafe(
      `copy (select ${[...known, ...added].join(', ')} from ${TAKEN} where ${where} order by ${accountId === undefined ? 'created_at, transaction_id' : 'number'})
       to stdout with (format csv, header)`,
    )
    .readable()
}

/** As the clocks of a zone show it: `2026-11-21 16:05:00+01:00`. */
const timesIn = async (sql: Sql, where: string, { clock, now }: NonNullable<CsvForm['zoned']>): Promise<TimeSql> => {
  const [row] = await sql.unsafe<{ first: string | null }[]>(
    `select min(created_at collate "C") as first from ${TAKEN} where ${where}`,
  )
  const first = row?.first ?? now
  const last = first > now ? first : now
  return (column) => zonedSql(clock, first, last, { column, pattern: 'YYYY-MM-DD HH24:MI:SS' })
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

const cell = (column: string, hidden: string | undefined, mark: string | undefined): string => {
  const plain = inertSql(column)
  return mark === undefined || hidden === undefined ? plain : `coalesce('${mark}' || ${hidden} || '${mark}', ${plain})`
}
