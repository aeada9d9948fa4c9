import { assets } from '../../domain/kernel/assets.ts'
import { FIAT_DECIMALS } from '../../domain/kernel/money.ts'
import { decimalsOf } from '../../domain/reading/journal.ts'
import { inertSql } from '../selling/transactions/transactions-csv.ts'
import {
  type BookTime,
  booksOf,
  COMMON,
  type JournalSelection,
  type JournalTables,
  MINED_POSTINGS,
} from './journal-tables.ts'

/** The columns that an export has beside the postings themselves, and the rows that have them. */

/** A column by its name in files: `isText` where others may have chosen it, `ofPosting` where postings differ. */
type Column = { readonly name: string; readonly isText?: true; readonly ofPosting?: true }

/** Whether the postings of one entry may differ in a column. */
export const isOfPosting = ({ ofPosting }: Column): boolean => ofPosting === true

/** What every journal says: whose sale a posting belongs to, and what it is worth. */
const TAGS: readonly Column[] = [
  { name: 'transaction_id' },
  { name: 'fiat_amount' },
  { name: 'fiat_currency' },
  { name: 'rate' },
]
/** What the books of somebody say beside those. */
const BOOK_TAGS: readonly Column[] = [
  { name: 'kind', isText: true },
  { name: 'hash', isText: true },
  { name: 'payer', isText: true },
]
const FACT_TAGS: readonly Column[] = [
  { name: 'order' },
  { name: 'document', isText: true },
  { name: 'counterparty', isText: true },
  { name: 'value_usd', ofPosting: true },
  { name: 'value', ofPosting: true },
  { name: 'value_currency', ofPosting: true },
  { name: 'rate_source' },
]

/** The columns of an export in their order; former releases had fewer. */
export const columnsOf = ({ view, release }: JournalSelection): readonly Column[] => {
  if (release === 1) return []
  if (view === undefined) return TAGS
  return release === 2 ? [...TAGS, ...BOOK_TAGS] : [...TAGS, ...BOOK_TAGS, ...FACT_TAGS]
}

export const tablesOf = ({ view }: JournalSelection): JournalTables => (view === undefined ? COMMON : booksOf(view))

export const isMined = ({ view, by }: { view?: unknown; by?: BookTime | undefined }): boolean =>
  view !== undefined && by === 'mined'

export const sourceOf = (selection: JournalSelection): string =>
  isMined(selection) ? MINED_POSTINGS : tablesOf(selection).postings

/** SQL of the columns, and of the rows that have them. */
export const taggedRows = (selection: JournalSelection) => {
  const { column, rows } = rowsOf(selection, (value) => value)
  return { tags: columnsOf(selection).map(column), tagged: rows }
}

/**
 * SQL of the same columns and rows where what is the same in all postings of an entry is told, and looked for, with the
 * first of them alone. `tags` are the columns of a posting, then the event, then the columns of its entry.
 */
export const entryRows = (selection: JournalSelection) => {
  const { column, rows } = rowsOf(selection, inFirstPosting)
  const columns = columnsOf(selection)
  const event = ['at', 'event_type', 'event_id', 'stream'].map(inFirstPosting)
  const of = columns.filter(isOfPosting).map(column)
  const tags = [...of, ...event, ...columns.filter((each) => !isOfPosting(each)).map(column)]
  return { place: inFirstPosting('position'), tags, tagged: rows }
}

/** The postings of an event in one journal are counted from 0, so that the first of them opens its entry. */
const inFirstPosting = (value: string): string => `case when line = 0 then ${value} end`

/** `told` is what is told of SQL that is the same in all postings of an entry. */
const rowsOf = (selection: JournalSelection, told: (value: string) => string) => {
  const { reached, view } = selection
  const known = (column: string, at: string) =>
    reached === undefined ? column : `case when ${at} <= ${reached} then ${column} end`
  const transaction = `coalesce(transaction_id, ${known('sold_as', 'known_at')})`
  const rows = `${sourceOf(selection)} left join ${salesIn(tablesOf(selection).sales)} on sold = ${told('challenge_id')}`
  const sql: Readonly<Record<string, string>> = {
    transaction_id: transaction,
    fiat_amount: `trim_scale(fiat_amount * 1e-${FIAT_DECIMALS})`,
    order: `coalesce(${known('sale_order', 'documented_at')}, order_id)`,
    document: `coalesce(document, ${known('sale_document', 'documented_at')})`,
    counterparty: `coalesce(counterparty, ${known('sale_payer', 'sale_paid_at')})`,
  }
  return {
    column: ({ name, ofPosting }: Column) => `${ofPosting ? name : told(sql[name] ?? name)} as "${name}"`,
    rows:
      view === undefined || selection.release !== undefined
        ? rows
        : `${rows} left join ${DOCUMENTS} on documented = ${told(transaction)}`,
  }
}

/** The transactions of sales, under a name that no posting has. */
const salesIn = (table: string): string => `(select challenge_id as sold, sold_as, known_at from ${table}) s`

/** The documents, likewise. */
const DOCUMENTS = `(select transaction_id as documented, order_id as sale_order, document as sale_document,
  known_at as documented_at, payer as sale_payer, paid_at as sale_paid_at from book_documents) d`

/** SQL of the lines of a CSV file. `time` is SQL of the time of a row. */
export const csvOf = (rows: string, columns: readonly Column[], time: string): string =>
  `select position, line, ${time} as time, ${['event_type', 'event_id', 'stream', 'account', 'asset'].map((name) => `${inertSql(name)} as ${name}`).join(', ')},
    ${wholeAmount} as amount, amount as units${columns.map(({ name, isText }) => `, ${isText ? inertSql(`"${name}"`) : `"${name}"`} as "${name}"`).join('')} from (${rows}) r`

/** The dollar of every fee and what begins with no capital letter are told without a regular expression. */
const isCurrencySql = `asset = 'USD' or ascii(asset) <= ${'Z'.charCodeAt(0)} and asset ~ '^[A-Z]{3}$'`

const wholeAmount = `case ${[
  [isCurrencySql, FIAT_DECIMALS] as const,
  ...assets.map(({ code }) => [`asset = '${code}'`, decimalsOf(code)] as const),
]
  .map(([when, decimals]) => `when ${when} then trim_scale(amount * 1e-${decimals})`)
  .join(' ')} else amount end`
