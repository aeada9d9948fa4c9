import type { Posting } from '../journal.ts'
import type { BookEntry, BookKind, BookPosting, View } from './entry.ts'
import { TOP_UPS } from './sales.ts'

/**
 * Prepaid credit, balances, app credit and points are claims on the platform: what a holder has there, the platform
 * owes. So one movement stands in the books of the holder as it is, and in those of the platform turned round.
 */

/** An event that moves claims: its type, and the words by which it says why. */
export type ClaimEvent = {
  readonly type: string
  readonly reason?: string | undefined
  readonly kind?: string | undefined
}

/** The entries of an event whose postings in the common journal are `postings`; all of them are claims. */
export const claimEntriesOf = (event: ClaimEvent, postings: readonly Posting[]): readonly BookEntry[] => {
  const kind = kindOf(event, postings)
  const holders = [...new Set(postings.flatMap(({ account }) => holderOf(account) ?? []))]
  const platform = postings.map((each) => turned(each, platformAccount(each, event)))
  return [
    ...holders.map((view) => ({ view, kind, postings: holdersPostings(event, view, postings) })),
    { view: 'platform' as const, kind, postings: platform },
  ]
}

const HOLDER = /^(seller|user|app):([^:]+):([a-z]+)$/

const holderOf = (account: string): View | undefined => {
  const [, holder, id] = HOLDER.exec(account) ?? []
  return holder && id ? (`${holder}:${id}` as View) : undefined
}

const turned = ({ asset, amount }: Posting, account: string): BookPosting => ({
  account,
  asset,
  amount: String(-BigInt(amount)),
})

const holdersPostings = (event: ClaimEvent, view: View, postings: readonly Posting[]): readonly BookPosting[] =>
  postings.map((each) => ({
    account: holderOf(each.account) === view ? ownAccount(each.account) : otherAccount(view, each, event),
    asset: each.asset,
    amount: each.amount,
  }))

const ownAccount = (account: string): string => {
  const [, , , purse = ''] = HOLDER.exec(account) ?? []
  return purse === 'owed' ? 'liabilities:owed' : `assets:${purse === 'units' ? 'points' : purse}`
}

/** Where a holder's claim comes from or goes to. */
const otherAccount = (view: View, { account, asset, amount }: Posting, event: ClaimEvent): string => {
  if (asset === POINTS) return 'equity:points'
  if (view.startsWith('seller:'))
    return account === FEES ? `expenses:${isGas(event) ? 'gas' : 'fees'}` : (SELLERS[account] ?? OWNER)
  const name = TRANSFERS[event.kind ?? ''] ?? 'payments'
  if (name === TOP_UP) return OWNER
  // What is taken from the other side comes to the holder.
  return `${amount.startsWith('-') ? 'income' : 'expenses'}:${name}`
}

/** The asset code of game units. */
const POINTS = 'UNITS'
const FEES = 'platform:fees'
/** What a holder put in from outside. */
const OWNER = 'equity:owner'

const SELLERS: Readonly<Record<string, string>> = {
  'platform:sales': 'expenses:purchases',
  'platform:grants': 'income:grants',
}

const TOP_UP = 'top-ups'

/** The name that a kind of transfer between balances has in accounts. */
const TRANSFERS: Readonly<Record<string, string>> = {
  intent: 'payments',
  'standing-order': 'payments',
  'credit-push': 'pushes',
  refund: 'refunds',
  grant: 'grants',
  'top-up': TOP_UP,
}

const isGas = ({ reason }: ClaimEvent): boolean => reason === 'gasless-fee' || reason === 'gas-returned'

/** The platform's account for what the common journal calls `account`. */
const platformAccount = ({ account, asset }: Posting, event: ClaimEvent): string => {
  const [, holder, id, purse = ''] = HOLDER.exec(account) ?? []
  if (holder && id) return purse === 'owed' ? `assets:owed:${id}` : `liabilities:${CLAIMS[purse]}:${id}`
  if (account === 'in-transit') return asset === POINTS ? 'liabilities:points-in-transit' : 'liabilities:in-transit'
  if (account === 'house') return 'equity:house'
  if (account === FEES) return isGas(event) ? 'income:gas' : 'income:fees'
  return PLATFORMS[account] ?? `liabilities:stakes:${account}`
}

/** The names of claims in the platform's books, keyed by the holder's purse. */
const CLAIMS: Readonly<Record<string, string>> = {
  credit: 'credit',
  balance: 'balances',
  units: 'points',
}

const PLATFORMS: Readonly<Record<string, string>> = {
  'platform:sales': 'income:sales',
  'platform:grants': 'expenses:grants',
  'platform:top-ups': TOP_UPS,
}

const kindOf = ({ type, reason, kind }: ClaimEvent, [first]: readonly Posting[]): BookKind => {
  if (first?.asset === POINTS) return 'points'
  const byReason = REASONS[reason ?? ''] ?? TYPES[type]
  return byReason ?? KINDS[kind ?? ''] ?? 'payment'
}

const REASONS: Readonly<Record<string, BookKind>> = {
  'email-verified': 'grant',
  'top-up': 'top-up',
  'platform-fee': 'fee',
  'gasless-fee': 'gas',
  'seat-unused': 'correction',
  'fee-returned': 'correction',
  'gas-returned': 'correction',
  'top-up-reversed': 'correction',
}

const TYPES: Readonly<Record<string, BookKind>> = {
  SeatPaid: 'purchase',
  LanderPackBought: 'purchase',
  PointsRedeemed: 'grant',
  OwedCreditCollected: 'owed',
  OwedBalanceCollected: 'owed',
  BalanceTakenBack: 'correction',
  TopUpSettled: 'top-up',
}

const KINDS: Readonly<Record<string, BookKind>> = {
  'credit-push': 'push',
  refund: 'refund',
  grant: 'grant',
  'top-up': 'top-up',
}
