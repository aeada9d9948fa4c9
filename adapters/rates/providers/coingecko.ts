import { z } from 'zod'
import { usdIn } from '../decimal.ts'
import { coins } from '../symbols.ts'
import { coinQuotes, type Provider, urlUnder } from './provider.ts'

/** `{"bitcoin":{"usd":67187.3358,"last_updated_at":1711356300}}`: an id that it does not know is not in the answer. */
const Answer = z.record(z.string(), z.unknown())
const Price = z.object({ usd: z.string(), last_updated_at: z.string().regex(/^\d{1,12}$/) })

/**
 * CoinGecko's `/simple/price`. Its answers change every minute, so asking more often tells nothing new. That is 43,200
 * calls a month: open to callers without a key, and more than the 10,000 of a free demo key.
 */
export const coingecko: Provider = {
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
    const prices = Answer.parse(answer)
    return coinQuotes((coin) => {
      const price = Price.safeParse(prices[coin.coingecko]).data
      return price && { usd: usdIn(price.usd), at: Number(price.last_updated_at) * 1_000 }
    })
  },
}
