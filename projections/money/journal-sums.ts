import type { ISql } from 'postgres'
import { type BooksEnd, cutAt, type JournalCut } from './journal-cut.ts'
import { COMMON, type JournalTables } from './journal-tables.ts'

/**
 * The balances of accounts at a moment: sums of whole blocks, and the single postings of those that the moment cuts.
 */

export type BalanceRow = { account: string; asset: string; amount: string }

export type BalanceFilter = { readonly accounts?: readonly string[] | undefined; readonly asset?: string | undefined }

/**
 * The balances at an end, by account and asset. They have to be asked inside one transaction that sees one moment of
 * the database.
 */
export const balancesAt = async (
  sql: ISql,
  end: BooksEnd,
  of: BalanceFilter = {},
  tables: JournalTables = COMMON,
): Promise<BalanceRow[]> => sumOf(sql, await cutAt(sql, end, tables), end, of, tables)

/** The sums of the whole blocks of a cut, and with `end` also of its single postings that are not too late. */
export const sumOf = async (
  sql: ISql,
  cut: JournalCut,
  end: BooksEnd | undefined,
  of: BalanceFilter = {},
  tables: JournalTables = COMMON,
): Promise<BalanceRow[]> => {
  if (of.accounts?.length === 0) return []
  const values: string[] = []
  const parameter = (value: string) => `$${values.push(value)}`
  const narrowed = [
    ...(of.accounts === undefined ? [] : [`account in (${of.accounts.map(parameter).join(', ')})`]),
    ...(tables.view === undefined ? [] : [`view = ${parameter(tables.view)}`]),
    ...(of.asset === undefined ? [] : [`asset = ${parameter(of.asset)}`]),
  ]
  const partly = end ? cut.partly : []
  const early = end?.at === undefined || partly.length === 0 ? [] : [`at <= ${parameter(end.at)}`]
  const part = (table: string, conditions: readonly string[]) =>
    `select account, asset, amount from ${table} where ${[...conditions, ...narrowed].join(' and ')}`
  // Numbers are written into the text, so that the database can estimate how large each piece is.
  const parts = [
    ...cut.whole.map(({ level, from, to }) =>
      part(tables.sums, [`level = ${level}`, `block between ${from} and ${to}`]),
    ),
    ...partly.map(({ from, to }) => part(tables.postings, [`position between ${from} and ${to}`, ...early])),
  ]
  if (parts.length === 0) return []
  const rows = await sql.unsafe<BalanceRow[]>(
    `select account, asset, sum(amount)::text as amount from (${parts.join(' union all ')}) as parts
     group by account, asset order by account, asset`,
    values,
  )
  return [...rows]
}
