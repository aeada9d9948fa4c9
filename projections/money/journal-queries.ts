import type { ISql, Sql } from 'postgres'
import { accountsOf } from '../../domain/reading/journal.ts'
import { atOneMoment, type BooksEnd } from './journal-cut.ts'
import { type Statement, type StatementWish, statementOf } from './journal-statement.ts'
import { type BalanceRow, balancesAt } from './journal-sums.ts'

/** The books of any moment, exactly. An owner (`acc_…`, `usr_…`, `app_…`) narrows them to its own accounts. */

/** The most points of time that one series may have. */
const SERIES_POINTS_MAX = 400

export type SeriesWish = {
  readonly account?: string | undefined
  readonly owner?: string | undefined
  readonly asset?: string | undefined
}

export const journalQueries = (sql: Sql) => {
  const atOnce = <T>(ask: (tx: ISql) => Promise<T>) => atOneMoment(sql, ask)
  return {
    /** The sum of every account in every asset; over all accounts each asset sums to zero. */
    trialBalance: (end: BooksEnd = {}, owner?: string): Promise<BalanceRow[]> =>
      atOnce((tx) => balancesAt(tx, end, owner === undefined ? {} : { accounts: accountsOf(owner) })),

    /** The lines of an account in the order of the ledger, by pages; empty for an account that is not the owner's. */
    accountStatement: async (wish: StatementWish, owner?: string): Promise<Statement> =>
      owner === undefined || accountsOf(owner).includes(wish.account)
        ? atOnce((tx) => statementOf(tx, wish))
        : { opening: {}, lines: [], closing: {}, next: undefined },

    /**
     * The balances of accounts at each of some times (ISO 8601 UTC, in milliseconds); at most SERIES_POINTS_MAX of
     * them.
     */
    balanceSeries: ({ account, owner, asset }: SeriesWish, times: readonly string[]): Promise<Point[]> => {
      if (times.length > SERIES_POINTS_MAX) throw new Error(`a series has at most ${SERIES_POINTS_MAX} points`)
      const own = owner === undefined ? undefined : accountsOf(owner)
      const accounts = account === undefined ? own : (own ?? [account]).filter((each) => each === account)
      return atOnce(async (tx) => {
        const points: Point[] = []
        for (const at of times) points.push({ at, balances: await balancesAt(tx, { at }, { accounts, asset }) })
        return points
      })
    },
  }
}

export type Point = { readonly at: string; readonly balances: readonly BalanceRow[] }
