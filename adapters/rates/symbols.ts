/**
 * The names of each coin at those who price it. A coin of the catalogue that is not in here has no price, and a test
 * says so.
 */

export type Coin = {
  /** The coin itself, on whatever network: USDC on Ethereum and on Base is one coin with one price. */
  readonly symbol: string
  /** Set when the issuer keeps the coin at a dollar: that is its price for as long as the market agrees. */
  readonly stable?: true
  /** CoinGecko's id. */
  readonly coingecko: string
  /** Kraken's own name of its pair with the dollar; several when the coin was renamed, the newest first. */
  readonly kraken: readonly string[]
  /** Tickers at other exchanges, when they are not just the symbol; the newest first. */
  readonly tickers?: readonly string[]
}

export const coins: readonly Coin[] = [
  { symbol: 'BTC', coingecko: 'bitcoin', kraken: ['XXBTZUSD'] },
  { symbol: 'ETH', coingecko: 'ethereum', kraken: ['XETHZUSD'] },
  { symbol: 'LTC', coingecko: 'litecoin', kraken: ['XLTCZUSD'] },
  { symbol: 'SOL', coingecko: 'solana', kraken: ['SOLUSD'] },
  { symbol: 'TRX', coingecko: 'tron', kraken: ['TRXUSD'] },
  // Renamed from Toncoin to Gram in June 2026; exchanges follow one by one.
  { symbol: 'TON', coingecko: 'the-open-network', kraken: ['GRAMUSD', 'TONUSD'], tickers: ['GRAM', 'TON'] },
  { symbol: 'BNB', coingecko: 'binancecoin', kraken: ['BNBUSD'] },
  { symbol: 'POL', coingecko: 'polygon-ecosystem-token', kraken: ['POLUSD'] },
  { symbol: 'AVAX', coingecko: 'avalanche-2', kraken: ['AVAXUSD'] },
  { symbol: 'USDC', stable: true, coingecko: 'usd-coin', kraken: ['USDCUSD'] },
  { symbol: 'USDT', stable: true, coingecko: 'tether', kraken: ['USDTZUSD'] },
]

/** Asset codes that do not begin with the symbol of their coin. */
const exceptions: ReadonlyMap<string, string> = new Map([['gram', 'TON']])

const bySymbol: ReadonlyMap<string, Coin> = new Map(coins.map((coin) => [coin.symbol, coin]))

/**
 * The coin behind an asset code: what is before the `_`, which names the network (`usdc_base`). Undefined when nobody
 * prices it.
 */
export const coinFor = (code: string): Coin | undefined => {
  const [, name = ''] = /^([a-z0-9]+)(?:_[a-z0-9]+)?$/.exec(code) ?? []
  return bySymbol.get(exceptions.get(name) ?? name.toUpperCase())
}

export const tickersOf = ({ symbol, tickers = [symbol] }: Coin): readonly string[] => tickers
