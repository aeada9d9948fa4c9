import { z } from 'zod'
import { usdInverse } from '../decimal.ts'
import { tickersOf } from '../symbols.ts'
import { coinQuotes, currencyQuotes, EXCHANGE_INTERVAL_MS, type Provider, textIn, urlUnder } from './provider.ts'

/**
 * `{"data":{"currency":"USD","rates":{"AED":"3.6730","BTC":"0.0000107420123456"}}}`: how many of each a dollar buys.
 */
const Answer = z.object({
  data: z.object({ currency: z.literal('USD'), rates: z.record(z.string(), z.unknown()) }),
})

/** With fewer digits the rounding alone would move the price of a coin by a hundredth of a percent. */
const COIN_DIGITS_MIN = 5

/** Coinbase's exchange rates, coins and currencies in one answer, without a time of their own. */
export const coinbase: Provider = {
  base: 'https://api.coinbase.com',
  intervalMs: EXCHANGE_INTERVAL_MS,
  coins: true,
  urls: (base) => [urlUnder(base, '/v2/exchange-rates', { currency: 'USD' })],
  read(answer) {
    const { rates } = Answer.parse(answer).data
    const ofCoins = coinQuotes((coin) => {
      const ticker = tickersOf(coin).find((each) => textIn(rates, each) !== '') ?? ''
      return { usd: usdInverse(textIn(rates, ticker), COIN_DIGITS_MIN) }
    })
    return [...ofCoins, ...currencyQuotes(rates)]
  },
}
