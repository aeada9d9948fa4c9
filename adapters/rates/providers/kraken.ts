import { z } from 'zod'
import { usdIn } from '../decimal.ts'
import { type Coin, coins } from '../symbols.ts'
import { coinQuotes, EXCHANGE_INTERVAL_MS, type Provider, urlUnder } from './provider.ts'

/**
 * `{"error":[],"result":{"XXBTZUSD":{"a":["30300.1","1","1.000"],"b":["30300.0","1","1.000"],…}}}`: ask and bid, the
 * price first.
 */
const Answer = z.object({ error: z.array(z.string()), result: z.record(z.string(), z.unknown()).optional() })
const Ticker = z.object({ a: z.array(z.string()), b: z.array(z.string()) })

/**
 * Kraken's order books with the dollar: the middle between the best bid and the best ask, because the last trade of a
 * quiet market may be hours old and has no time here.
 */
export const kraken: Provider = {
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
    const { error, result } = Answer.parse(answer)
    if (!result) throw new Error(error[0] ?? 'no result')
    return coinQuotes((coin) => middleOf(coin, result))
  },
}

const middleOf = ({ kraken: names }: Coin, result: Record<string, unknown>) => {
  const ticker = names.flatMap((name) => Ticker.safeParse(result[name]).data ?? [])[0]
  const [ask, bid] = [usdIn(ticker?.a[0] ?? ''), usdIn(ticker?.b[0] ?? '')]
  return ask && bid ? { usd: (ask + bid) / 2n } : undefined
}
