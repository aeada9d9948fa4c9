/** The pieces of a product that are lent, and how many are left: the questions that its stock can be asked. */

/** Pieces that wait for the payment of one sale. Times are ISO 8601. */
export type Loan = {
  readonly quantity: number
  /** Until when they are lent, whatever happens. */
  readonly until: string
  /** A keyed hash of the network that the caller came from, when callers are told apart by it. */
  readonly network?: string
  /** Until when a payment that was seen or signed keeps them. */
  readonly keptUntil?: string
}

export type StockState = {
  readonly accountId: string
  /** Pieces that are there, those that are lent included; null: nobody counts them, so that there are always some. */
  readonly count: number | null
  /** Keyed by the name of the sale: the loans that had not lapsed when the newest one began; at most LOANS_MAX. */
  readonly loans: { readonly [holder: string]: Loan }
  /** The newest calls with an Idempotency-Key, and what each made of the number. */
  readonly calls: readonly {
    readonly id: string
    readonly request: string
    readonly count: number | null
    readonly lent: number
  }[]
  /** The newest payments that there was no piece for. */
  readonly refused: readonly string[]
  /** The place in the ledger's order up to which sales were counted. */
  readonly through: bigint
}
export type CountedStock = StockState & { readonly count: number }

/** The most pieces of one product that are counted. */
export const STOCK_MAX = 1_000_000_000
/** The most sales that hold pieces of one product at once; the amounts of an address are as many. */
export const LOANS_MAX = 10_000
/** Pieces that callers of one network may hold at least, and the share of all pieces where that is more. */
const NETWORK_PIECES_MIN = 2
const NETWORK_SHARE = 10

/** The most pieces that callers of one network, who name nothing, may hold at once. */
export const mostOfOneNetwork = (count: number): number =>
  Math.max(NETWORK_PIECES_MIN, Math.floor(count / NETWORK_SHARE))

export const hoursAfter = (time: string, hours: number): string =>
  new Date(Date.parse(time) + hours * 3_600_000).toISOString()

export const endOf = ({ until, keptUntil = until }: Loan): string => (keptUntil > until ? keptUntil : until)

/** Whether a payment that was seen or signed keeps it. */
export const isKept = ({ keptUntil }: Loan, now: string): boolean => keptUntil !== undefined && keptUntil > now

/** Whether it is kept for half of the time until `until`, or longer, so that it need not be renewed. */
export const isKeptLongEnough = ({ keptUntil = '' }: Loan, until: string, now: string): boolean =>
  Date.parse(keptUntil) - Date.parse(now) >= (Date.parse(until) - Date.parse(now)) / 2

/** What is lent to a sale, unless it has lapsed. */
export const heldBy = ({ loans }: StockState, holder: string, now: string): Loan | undefined => {
  const loan = loans[holder]
  return loan && endOf(loan) > now ? loan : undefined
}

/** The pieces that are lent now. */
export const lentAt = ({ loans }: StockState, now: string): number =>
  Object.values(loans).reduce((sum, loan) => (endOf(loan) > now ? sum + loan.quantity : sum), 0)

/** The pieces that can be lent now; undefined where nobody counts them. */
const availableAt = (state: StockState, now: string): number | undefined =>
  state.count === null ? undefined : Math.max(0, state.count - lentAt(state, now))

/** Whether so many pieces can be lent now. */
export const isInStock = (state: StockState, now: string, quantity = 1): boolean =>
  (availableAt(state, now) ?? quantity) >= quantity

/** Puts a loan in place of any former one of the sale, or takes it away. */
export const withLoan = (state: StockState, holder: string, loan: Loan | undefined): StockState => {
  const { [holder]: _, ...others } = state.loans
  return { ...state, loans: loan ? { ...others, [holder]: loan } : others }
}

export const withoutLapsed = (state: StockState, now: string): StockState => {
  const loans = Object.entries(state.loans)
  const living = loans.filter(([, loan]) => endOf(loan) > now)
  return living.length === loans.length ? state : { ...state, loans: Object.fromEntries(living) }
}
