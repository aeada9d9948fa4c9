import { currencies } from '../currencies.ts'
import { usdInverse } from '../decimal.ts'
import { type Coin, coins } from '../symbols.ts'

/** What a source says that one of something costs: a coin by its symbol, a currency by ISO 4217. */
export type Quote = {
  readonly code: string
  /** In 10⁻¹² dollars. */
  readonly usd: bigint
  /** The source's own time of it, in milliseconds since 1970, where it tells one. */
  readonly at?: number
}

/** A public source of prices. It is asked for everything it knows at once, never for one coin. */
export type Provider = {
  /** Where it is when no setting says otherwise. */
  readonly base: string
  readonly intervalMs: number
  /** Whether it prices coins, or currencies alone. */
  readonly coins: boolean
  /** The calls that make one round. */
  urls(base: string): readonly string[]
  /**
   * The quotes in one answer, whose numbers are text (`parseExact`); throws when it is not what this source answers.
   */
  read(answer: unknown): readonly Quote[]
}

/** Three rounds in the time for which a quote counts, so that one that fails leaves no gap. */
export const EXCHANGE_INTERVAL_MS = 30_000

/** A path and a query after a base, which may have a query of its own, such as a key. */
export const urlUnder = (base: string, path: string, query: Readonly<Record<string, string>> = {}): string => {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** A quote of each coin for which `of` finds a price. */
export const coinQuotes = (of: (coin: Coin) => { usd: bigint | undefined; at?: number } | undefined): Quote[] =>
  coins.flatMap((coin) => {
    const { usd, ...rest } = of(coin) ?? {}
    return usd === undefined ? [] : [{ code: coin.symbol, usd, ...rest }]
  })

/** The quotes of all currencies in a table of how many of each a dollar buys. */
export const currencyQuotes = (rates: Readonly<Record<string, unknown>>, rest: { at?: number } = {}): Quote[] =>
  [...currencies].flatMap((code) => {
    const usd = usdInverse(textIn(rates, code))
    return usd === undefined ? [] : [{ code, usd, ...rest }]
  })

export const textIn = (table: Readonly<Record<string, unknown>>, key: string): string => {
  const value = table[key]
  return typeof value === 'string' ? value : ''
}
