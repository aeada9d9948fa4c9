import { z } from 'zod'
import { currencies } from './currencies.ts'
import { usdIn, usdInverse } from './decimal.ts'
import { type Coin, coins, tickersOf } from './symbols.ts'

/**
 * The price of one coin, or of one unit of a currency, as a source tells it; `code` is its symbol or its ISO 4217 code.
 */
export type Quote = {
  readonly code: string
  /** The price in 10⁻¹² dollars. */
  readonly usd: bigint
  /** The source's own time of the price, in milliseconds since 1970, where it tells one. */
  readonly at?: number
}

/** A public source of prices. It is asked for everything it knows at once, never for one coin. */
export type Provider = {
  /** The base URL when no setting says otherwise. */
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

/**
 * Milliseconds between rounds: three rounds fit in the time for which a quote counts, so that one that fails leaves no
 * gap.
 */
const EXCHANGE_INTERVAL_MS = 30_000

/** A path and a query after a base, which may have a query of its own, such as a key. */
const urlUnder = (base: string, path: string, query: Readonly<Record<string, string>> = {}): string => {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** A quote of each coin for which `of` finds a price. */
const coinQuotes = (of: (coin: Coin) => { usd: bigint | undefined; at?: number } | undefined): Quote[] =>
  coins.flatMap((coin) => {
    const { usd, ...rest } = of(coin) ?? {}
    return usd === undefined ? [] : [{ code: coin.symbol, usd, ...rest }]
  })

/** The quotes of all currencies in a table of how many of each a dollar buys. */
const currencyQuotes = (rates: Readonly<Record<string, unknown>>, rest: { at?: number } = {}): Quote[] =>
  [...currencies].flatMap((code) => {
    const usd = usdInverse(textIn(rates, code))
    return usd === undefined ? [] : [{ code, usd, ...rest }]
  })

const textIn = (table: Readonly<Record<string, unknown>>, key: string): string => {
  const value = table[key]
  return typeof value === 'string' ? value : ''
}

/** `{"code":"0","msg":"","data":[{"instId":"BTC-USD","idxPx":"43350","ts":"1649419644492",…}]}` */
const OkxAnswer = z.object({ code: z.literal('0'), data: z.array(z.unknown()) })
const Index = z.object({ instId: z.string(), idxPx: z.string(), ts: z.string().regex(/^\d{1,15}$/) })

/**
 * OKX's indexes in dollars, each a mean over several exchanges; its own markets are in Tether, whose price is in
 * question here.
 */
const okx: Provider = {
  base: 'https://www.okx.com',
  intervalMs: EXCHANGE_INTERVAL_MS,
  coins: true,
  urls: (base) => [urlUnder(base, '/api/v5/market/index-tickers', { quoteCcy: 'USD' })],
  read(answer) {
    const indexes = new Map(
      OkxAnswer.parse(answer).data.flatMap((each) => {
        const index = Index.safeParse(each).data
        return index ? [[index.instId, index] as const] : []
      }),
    )
    return coinQuotes((coin) => {
      const index = tickersOf(coin).flatMap((ticker) => indexes.get(`${ticker}-USD`) ?? [])[0]
      return index && { usd: usdIn(index.idxPx), at: Number(index.ts) }
    })
  },
}

/**
 * `{"error":[],"result":{"XXBTZUSD":{"a":["30300.1","1","1.000"],"b":["30300.0","1","1.000"],…}}}`: ask and bid, the
 * price first.
 */
const KrakenAnswer = z.object({ error: z.array(z.string()), result: z.record(z.string(), z.unknown()).optional() })
const Ticker = z.object({ a: z.array(z.string()), b: z.array(z.string()) })

/**
 * Kraken's order books with the dollar: the middle between the best bid and the best ask, because the last trade of a
 * quiet market may be hours old and has no time here.
 */
const kraken: Provider = {
  base: 'https://api.kraken.com',
  intervalMs: EXCHANGE_INTERVAL_MS,
  coins: true,
  urls(base) {
    // A pair that it does not know may fail the whole call, so both names of a renamed coin are asked for by
    // themselves.
    const settled = coins.filter(({ kraken: names }) => names.length === 1).flatMap(({ kraken: names }) => names)
    const renamed = coins.filter(({ kraken: names }) => names.length > 1).flatMap(({ kraken: names }) => names)
    return [settled.join(), ...renamed].map((pair) => urlUnder(base, '/0/public/Ticker', { pair }))
  },
  read(answer) {
    const { error, result } = KrakenAnswer.parse(answer)
    if (!result) throw new Error(error[0] ?? 'no result')
    return coinQuotes((coin) => middleOf(coin, result))
  },
}

const middleOf = ({ kraken: names }: Coin, result: Record<string, unknown>) => {
  const ticker = names.flatMap((name) => Ticker.safeParse(result[name]).data ?? [])[0]
  const [ask, bid] = [usdIn(ticker?.a[0] ?? ''), usdIn(ticker?.b[0] ?? '')]
  return ask && bid ? { usd: (ask + bid) / 2n } : undefined
}

/**
 * `{"data":{"currency":"USD","rates":{"AED":"3.6730","BTC":"0.0000107420123456"}}}`: how many of each a dollar buys.
 */
const CoinbaseAnswer = z.object({
  data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.unknown()) }),
})

/** With fewer digits the rounding alone would move the price of a coin by a hundredth of a percent. */
const COIN_DIGITS_MIN = 5

/** Coinbase's exchange rates, coins and currencies in one answer, without a time of their own. */
const coinbase: Provider = {
  base: 'https://api.coinbase.com',
  intervalMs: EXCHANGE_INTERVAL_MS,
  coins: true,
  urls: (base) => [urlUnder(base, '/v2/exchange-rates', { currency: 'USD' })],
  read(answer) {
    const { rates } = CoinbaseAnswer.parse(answer).data
    const ofCoins = coinQuotes((coin) => {
      const ticker = tickersOf(coin).find((each) => textIn(rates, each) !== '') ?? ''
      return { usd: usdInverse(textIn(rates, ticker), COIN_DIGITS_MIN) }
    })
    return [...ofCoins, ...currencyQuotes(rates)]
  },
}

/** `{"bitcoin":{"usd":67187.3358,"last_updated_at":1711356300}}`: an id that it does not know is not in the answer. */
const CoinGeckoAnswer = z.record(z.string(), z.unknown())
const Price = z.object({ usd: z.string(), last_updated_at: z.string().regex(/^\d{1,12}$/) })

/**
 * CoinGecko's `/simple/price`. Its answers change every minute, so asking more often tells nothing new. That is 43,200
 * calls a month: open to callers without a key, and more than the 10,000 of a free demo key.
 */
const coingecko: Provider = {
  base: 'https://api.coingecko.com/api/v3',
  intervalMs: 60_000,
  coins: true,
  urls: (base) => [
    urlUnder(base, '/simple/price', {
      ids: coins.map((coin) => coin.coingecko).join(),
      vs_currencies: 'usd',
      include_last_updated_at: 'true',
      precision: 'full',
    }),
  ],
  read(answer) {
    const prices = CoinGeckoAnswer.parse(answer)
    return coinQuotes((coin) => {
      const price = Price.safeParse(prices[coin.coingecko]).data
      return price && { usd: usdIn(price.usd), at: Number(price.last_updated_at) * 1_000 }
    })
  },
}

/** `{"result":"success","time_last_update_unix":1744588952,"base_code":"USD","rates":{"USD":1,"AED":3.6725,…},…}` */
const ErApiAnswer = z.object({
  result: z.literal('success'),
  base_code: z.literal('USD'),
  time_last_update_unix: z.string().regex(/^\d{1,12}$/),
  rates: z.record(z.string(), z.unknown()),
})

/** The open rates of ExchangeRate-API: every currency, on every day of the week, once a day. */
const erapi: Provider = {
  base: 'https://open.er-api.com',
  intervalMs: 3_600_000,
  coins: false,
  urls: (base) => [urlUnder(base, '/v6/latest/USD')],
  read(answer) {
    const { rates, time_last_update_unix: seconds } = ErApiAnswer.parse(answer)
    return currencyQuotes(rates, { at: Number(seconds) * 1_000 })
  },
}

/** Every source of prices by the name that the setting RATES gives it. */
export const providers = { coinbase, kraken, okx, coingecko, erapi } satisfies Record<string, Provider>

export type ProviderName = keyof typeof providers
