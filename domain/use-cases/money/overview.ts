import type { Capability } from '../../account/capabilities.ts'
import { assetOf } from '../../kernel/assets.ts'
import { addDays, daysUpTo, type ZoneDay } from '../../kernel/calendar.ts'
import { clockOf } from '../account/time-zone.ts'
import type { UseCaseContext } from '../context.ts'

/** What a seller sold in the last days, what is left of the credit, and what needs a hand (N-83). */

/** The periods that can be asked for, and how many days each has; the last of them is today. */
export const PERIODS = { today: 1, '7d': 7, '30d': 30 } as const
export type Period = keyof typeof PERIODS

/** Sums of sales. Amounts are in millionths of a US dollar. */
type Sold = { readonly sales: number; readonly usd: bigint }
/** What was sold in one coin; `settled` is what came for it, in the coin's smallest unit and by its worth. */
export type SoldInCoin = Sold & {
  readonly asset: string
  readonly decimals: number
  readonly settled: bigint
  readonly settledUsd: bigint
}
export type SoldOnDay = ZoneDay & Sold & { readonly coins: readonly SoldInCoin[] }

/** Credit in millionths of a US dollar. `daysLeft` is null where nothing was charged in the last 30 days. */
type CreditLeft = { readonly balance: bigint; readonly daysLeft: number | null }

export type MatterKind = 'unmatched' | 'underpaid' | 'webhooks-failed' | 'disputed' | 'low-credit' | 'chains-behind'

/** Something that needs a hand. `transactions` are the newest that it is about, where that is known. */
export type Matter = {
  readonly kind: MatterKind
  /** How much of it there is, up to MATTERS_MAX. */
  readonly count: number
  readonly transactions: readonly string[]
  /** Networks by their names, for `chains-behind`. */
  readonly networks?: readonly string[]
}

export type Overview = {
  readonly period: Period
  readonly zone: string
  readonly test: boolean
  readonly sold: Sold
  readonly settledUsd: bigint
  readonly fee: bigint
  /** Null for one who sees single stores: these are not told apart by store. */
  readonly gasFee: bigint | null
  readonly refundedUsd: bigint | null
  readonly coins: readonly SoldInCoin[]
  readonly days: readonly SoldOnDay[]
  /** Null for one who may not see the credit, or sees single stores alone; and for tests, which cost nothing. */
  readonly credit: CreditLeft | null
  readonly matters: readonly Matter[]
}

/** The most that is counted of what needs a hand; more is told as this many. */
export const MATTERS_MAX = 100
/** Transactions that are named for what needs a hand. */
const NAMED_MAX = 5
/** Days for which something needs a hand: what nobody has mended by then is left as it is. */
const MATTER_DAYS = 30
/** Credit that lasts for fewer days than this is low. */
const LOW_CREDIT_DAYS = 7
const DAY_MS = 86_400_000

/** Figures of one day and coin. Amounts are in millionths of a US dollar, `settled` in the coin's smallest unit. */
export type SalesRow = {
  /** The place of the day among those that were asked for, from 0. */
  readonly day: number
  /** A coin by its code, or the currency of payments by card; empty for what is known of no coin. */
  readonly asset: string
  readonly decimals: number
  readonly sales: number
  readonly soldUsd: string
  readonly settled: string
  readonly settledUsd: string
  readonly fee: string
  readonly gasFee: string
  readonly refundedUsd: string
}

/** Whose rows are asked for: with `stores`, those of these stores alone. */
type Owner = { readonly accountId: string; readonly stores?: readonly number[] | undefined }
/** The same for rows that are of tests or of live sales. */
export type MatterOwner = Owner & { readonly test: boolean }

/** The rows that an overview is made of. */
type OverviewRows = {
  /** Figures of the days that begin at `starts`, in order; the last one has not ended. */
  salesByDay(owner: Owner, test: boolean, starts: readonly string[]): Promise<readonly SalesRow[]>
  firstSaleAt(accountId: string): Promise<string | undefined>
  billing(accountId: string): Promise<{ readonly credit: string }>
  /** For each payment that settles nothing, the transaction that it may have been meant for. */
  unmatchedSince(owner: MatterOwner, since: string, limit: number): Promise<readonly (string | null)[]>
  underpaidSince(accountId: string, owner: MatterOwner, since: string, limit: number): Promise<readonly string[]>
  webhooksFailedSince(owner: MatterOwner, since: string, limit: number): Promise<readonly string[]>
  openDisputes(owner: MatterOwner, limit: number): Promise<readonly string[]>
  wallets(accountId: string): Promise<readonly { readonly asset: string; readonly active: boolean }[]>
}

type Parts = {
  readonly flow: Pick<UseCaseContext, 'ledger' | 'world'>
  readonly queries: OverviewRows
  /** How each connected chain is, by the name of its network. */
  readonly chainHealth: () => ReadonlyMap<string, { readonly status: string }>
}

/** Who asks. It has to be somebody who may see transactions. */
type Asker = {
  readonly accountId: string
  readonly storeScope: readonly number[] | undefined
  can(capability: Capability): boolean
}

/** What the API and the dashboard both show. */
export const overviewOf = async (
  { flow, queries, chainHealth }: Parts,
  actor: Asker,
  { period, test }: { readonly period: Period; readonly test: boolean },
): Promise<Overview> => {
  const { accountId, storeScope: stores } = actor
  const clock = await clockOf(flow, accountId)
  const now = flow.world.now().toISOString()
  const days = daysUpTo(clock, now, PERIODS['30d'])
  const seesCredit = !test && stores === undefined && actor.can('billing.view')
  const [rows, credit, matters] = await Promise.all([
    queries.salesByDay(
      { accountId, stores },
      test,
      days.map(({ start }) => start),
    ),
    seesCredit ? creditFacts(queries, accountId) : null,
    mattersOf({ queries, chainHealth }, { accountId, test, stores }, addDays(now, -MATTER_DAYS)),
  ])
  const left = credit && creditLeft(credit, rows, { since: days[0]?.start ?? now, now })
  const first = days.length - PERIODS[period]
  const wanted = rows.filter(({ day }) => day >= first)
  const isWhole = stores === undefined
  return {
    period,
    zone: clock.zone,
    test,
    sold: soldIn(wanted),
    settledUsd: sumOf(wanted, 'settledUsd'),
    fee: sumOf(wanted, 'fee'),
    gasFee: isWhole ? sumOf(wanted, 'gasFee') : null,
    refundedUsd: isWhole ? sumOf(wanted, 'refundedUsd') : null,
    coins: coinsOf(wanted),
    days: days.slice(first).map((day, n) =>
      soldOn(
        day,
        wanted.filter((row) => row.day === first + n),
      ),
    ),
    credit: left,
    matters: [...matters, ...lowCredit(left)],
  }
}

type Amount = 'soldUsd' | 'settled' | 'settledUsd' | 'fee' | 'gasFee' | 'refundedUsd'

const sumOf = (rows: readonly SalesRow[], amount: Amount): bigint =>
  rows.reduce((sum, row) => sum + BigInt(row[amount]), 0n)

const soldIn = (rows: readonly SalesRow[]): Sold => ({
  sales: rows.reduce((sum, row) => sum + row.sales, 0),
  usd: sumOf(rows, 'soldUsd'),
})

const soldOn = (day: ZoneDay, rows: readonly SalesRow[]): SoldOnDay => ({
  ...day,
  ...soldIn(rows),
  coins: coinsOf(rows),
})

/** The coins in which something was sold, those that brought most first. */
const coinsOf = (rows: readonly SalesRow[]): readonly SoldInCoin[] =>
  [...Map.groupBy(rows, ({ asset, decimals }) => `${asset} ${decimals}`).values()]
    .flatMap((same) => {
      const [one] = same
      if (!one || one.asset === '') return []
      const { asset, decimals } = one
      const settled = { settled: sumOf(same, 'settled'), settledUsd: sumOf(same, 'settledUsd') }
      return [{ ...soldIn(same), ...settled, asset, decimals }]
    })
    .sort((a, b) => (a.usd === b.usd ? (a.asset < b.asset ? -1 : 1) : a.usd > b.usd ? -1 : 1))

const creditFacts = async (queries: OverviewRows, accountId: string) => {
  const [{ credit }, firstSaleAt] = await Promise.all([queries.billing(accountId), queries.firstSaleAt(accountId)])
  return { balance: BigInt(credit), firstSaleAt }
}

/** For how long the credit lasts while as much is charged as in the last 30 days, or since the first sale. */
const creditLeft = (
  { balance, firstSaleAt }: { readonly balance: bigint; readonly firstSaleAt: string | undefined },
  rows: readonly SalesRow[],
  { since, now }: { readonly since: string; readonly now: string },
): CreditLeft => {
  const charged = sumOf(rows, 'fee') + sumOf(rows, 'gasFee')
  if (firstSaleAt === undefined || charged <= 0n) return { balance, daysLeft: null }
  const from = Date.parse(firstSaleAt > since ? firstSaleAt : since)
  const elapsed = Math.max(DAY_MS, Date.parse(now) - from)
  return { balance, daysLeft: Number((balance * BigInt(elapsed)) / (charged * BigInt(DAY_MS))) }
}

const lowCredit = (credit: CreditLeft | null): readonly Matter[] => {
  if (credit === null) return []
  const { balance, daysLeft } = credit
  return balance === 0n || (daysLeft !== null && daysLeft < LOW_CREDIT_DAYS)
    ? [{ kind: 'low-credit', count: 1, transactions: [] }]
    : []
}

const mattersOf = async (
  { queries, chainHealth }: Omit<Parts, 'flow'>,
  owner: MatterOwner,
  since: string,
): Promise<readonly Matter[]> => {
  const [unmatched, underpaid, webhooks, disputed, wallets] = await Promise.all([
    owner.test ? [] : queries.unmatchedSince(owner, since, MATTERS_MAX),
    queries.underpaidSince(owner.accountId, owner, since, MATTERS_MAX),
    queries.webhooksFailedSince(owner, since, MATTERS_MAX),
    queries.openDisputes(owner, MATTERS_MAX),
    owner.test ? [] : queries.wallets(owner.accountId),
  ])
  const used = new Set(wallets.flatMap(({ asset, active }) => (active ? (assetOf(asset)?.network ?? []) : [])))
  const networks = [...chainHealth()].flatMap(([name, { status }]) => (used.has(name) && status !== 'ok' ? name : []))
  const about = unmatched.flatMap((id) => id ?? [])
  return [
    ...matter('unmatched', unmatched.length, [...new Set(about)]),
    ...matter('underpaid', underpaid.length, underpaid),
    ...matter('webhooks-failed', webhooks.length, webhooks),
    ...matter('disputed', disputed.length, disputed),
    ...(networks.length > 0
      ? [{ kind: 'chains-behind', count: networks.length, transactions: [], networks } as const]
      : []),
  ]
}

const matter = (kind: MatterKind, count: number, transactions: readonly string[]): readonly Matter[] =>
  count === 0 ? [] : [{ kind, count, transactions: transactions.slice(0, NAMED_MAX) }]
