import type { Units } from '../../kernel/money.ts'

/**
 * Books are somebody's: the platform's, a seller's, a user's or an app's. What is one of them owes is what another has,
 * so that each keeps accounts of its own; their names begin with what they are.
 */

/** Whose books: `platform`, `seller:acc_…`, `user:usr_…` or `app:app_…`. */
export type View = 'platform' | `${'seller' | 'user' | 'app'}:${string}`

/** The pattern of a view's name: it may stand in SQL as it is. */
export const VIEW = /^(platform|seller:acc_[a-z0-9]{1,64}|user:usr_[a-z0-9]{1,64}|app:app_[a-z0-9]{1,64})$/

/** What an entry is about, in the words of an accountant. */
export type BookKind =
  | 'sale'
  | 'refund'
  | 'dispute'
  | 'suspense'
  | 'top-up'
  | 'fee'
  | 'gas'
  | 'purchase'
  | 'grant'
  | 'payment'
  | 'push'
  | 'points'
  | 'owed'
  | 'correction'

/**
 * An amount above zero is a debit: what is had or was spent. `account` is one of the view, such as `assets:receipts`.
 */
export type BookPosting = { readonly account: string; readonly asset: string; readonly amount: Units }

/** What one event says in the books of one of them; the postings of each asset sum to zero. */
export type BookEntry = { readonly view: View; readonly kind: BookKind; readonly postings: readonly BookPosting[] }

/** The five kinds of account, which every name begins with. */
export const ACCOUNT_TYPES = ['assets', 'liabilities', 'equity', 'income', 'expenses'] as const

/**
 * Stands between an amount in a coin and the same in money, so that each of them sums to zero. Programs of accountants
 * are told the price in its place.
 */
export const CONVERSION = 'equity:conversion'

/** A posting, unless nothing moves. */
export const posting = (account: string, asset: string, amount: bigint): readonly BookPosting[] =>
  amount === 0n ? [] : [{ account, asset, amount: String(amount) }]

/** From one account to another; `from` gets less. */
export const moved = (from: string, to: string, asset: string, amount: bigint): readonly BookPosting[] => [
  ...posting(from, asset, -amount),
  ...posting(to, asset, amount),
]

/** The same the other way round. */
export const reversed = (postings: readonly BookPosting[]): readonly BookPosting[] =>
  postings.map((each) => ({ ...each, amount: String(-BigInt(each.amount)) }))
