import type { ISql, Sql } from 'postgres'
import type { View } from '../../domain/reading/books/entry.ts'
import { atOneMoment, type BooksEnd } from './journal-cut.ts'
import { type BalanceRow, balancesAt } from './journal-sums.ts'
import { type BookTime, booksOf, MINED_POSTINGS } from './journal-tables.ts'

/** The books of one of those whom the journal concerns, at any moment. */

export type BookPeriod = {
  /** What every account had before the period; income and costs of before are retained earnings. */
  readonly opening: readonly BalanceRow[]
  /** What every account has at its end; income and costs are those of the period. */
  readonly closing: readonly BalanceRow[]
}

/** The account that has what was earned and spent before a period. */
export const RETAINED = 'equity:retained-earnings'
/** Accounts of what was earned and spent, which a period begins at nothing; SQL reads the pattern alike. */
export const EARNED = /^(income|expenses):/

export const bookQueries = (sql: Sql) => ({
  /** The sum of every account in every asset; each asset sums to zero. */
  bookBalances: (view: View, end: BooksEnd = {}, by?: BookTime): Promise<BalanceRow[]> =>
    atOneMoment(sql, (tx) => balancesBy(tx, view, end, by), booksOf(view)),

  /** A period: what came before `end` of `before` opens it. */
  bookPeriod: (view: View, before: BooksEnd, end: BooksEnd, by?: BookTime): Promise<BookPeriod> =>
    atOneMoment(
      sql,
      async (tx) => {
        const early = await balancesBy(tx, view, before, by)
        const opening = summed(early.map((row) => (isEarned(row) ? { ...row, account: RETAINED } : row)))
        const all = await balancesBy(tx, view, end, by)
        const moved = [...all, ...early.map((row) => ({ ...row, amount: String(-BigInt(row.amount)) }))]
        return { opening, closing: summed([...opening, ...moved]) }
      },
      booksOf(view),
    ),

  /** Whether anything was ever booked in a view. */
  hasBooks: async (view: View): Promise<boolean> => {
    const rows = await sql`select from book_sums where view = ${view} limit 1`
    return rows.length > 0
  },
})

/** By the time of mining each posting of the view is looked at: blocks know when events were recorded. */
const balancesBy = async (tx: ISql, view: View, end: BooksEnd, by: BookTime = 'settled'): Promise<BalanceRow[]> => {
  if (by === 'settled') return balancesAt(tx, end, {}, booksOf(view))
  const values = [
    view,
    ...(end.at === undefined ? [] : [end.at]),
    ...(end.order === undefined ? [] : [String(end.order)]),
  ]
  const early = end.at === undefined ? '' : ' and at collate "C" <= $2'
  const known = end.order === undefined ? '' : ` and position <= $${values.length}`
  const rows = await tx.unsafe<BalanceRow[]>(
    `select account, asset, sum(amount)::text as amount from ${MINED_POSTINGS}
     where view = $1${early}${known} group by account, asset order by account, asset`,
    values,
  )
  return [...rows]
}

const isEarned = ({ account }: BalanceRow): boolean => EARNED.test(account)

const summed = (rows: readonly BalanceRow[]): BalanceRow[] => {
  const sums = new Map<string, BalanceRow>()
  for (const { account, asset, amount } of rows) {
    const key = `${account} ${asset}`
    sums.set(key, { account, asset, amount: String(BigInt(sums.get(key)?.amount ?? 0) + BigInt(amount)) })
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== '0')
    .sort((a, b) => (`${a.account} ${a.asset}` < `${b.account} ${b.asset}` ? -1 : 1))
}
